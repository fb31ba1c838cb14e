package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// DeleteAffiliate removes an affiliate with its links, clicks, referrals, sales,
// adjustments and canceled payouts. Its codes stay without an affiliate, until
// [Program.UpdateCode] gives them to another one. When nothing matches,
// DeleteAffiliate does nothing and returns nil.
//
// Errors: [MissingField] (affiliateId), [IdentifiersMismatch]; [InPayout] when
// a commission or an adjustment that would be deleted is part of a payout that is
// not canceled.
//
// Effects: only affiliate.deleted; with Config.CascadeEvents the events of the
// children before it.
//
// Source: docs/rules.md 4.7; docs/contract.md 3.1.
func (p *Program) DeleteAffiliate(ctx context.Context, ref AffiliateRef) (err error) {
	defer p.begin(&ctx, "DeleteAffiliate", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "affiliate.delete", input: ref, refused: first(RefuseNoAffiliateID.when(ref == (AffiliateRef{})))}
	_, err = write(o, rq, func() (struct{}, error) {
		rec, err := o.affiliateByIDOrEmail(ref.ID, ref.Email)
		if errors.Is(err, ErrNotFound) {
			return struct{}{}, nil
		}
		if err == nil {
			err = o.refuseInPayout(rec.ID)
		}
		if err == nil {
			err = o.dropAffiliate(rec)
		}
		return struct{}{}, err
	})
	return err
}

// refuseInPayout refuses when a sale of the affiliate, or a sale of one of its
// referrals, is in a payout: such a sale and its referral are never deleted
// (rule 4.7). A sale of a referral may belong to another affiliate because of a
// code.
func (o *op) refuseInPayout(id uuid.UUID) error {
	key := Key{Index: OfAffiliate, ID: id}
	if err := o.noneInPayout(key); err != nil {
		return err
	}
	for rec, err := range o.tx.Adjustments.List(Query{Key: key}) {
		if err != nil {
			return internal("read adjustments", err)
		}
		if rec.PayoutID != uuid.Nil {
			return affiliateInPayout.Err()
		}
	}
	for rec, err := range o.tx.Referrals.List(Query{Key: key}) {
		if err != nil {
			return internal("read referrals", err)
		}
		if err := o.noneInPayout(Key{Index: OfReferral, ID: rec.ID}); err != nil {
			return err
		}
	}
	return nil
}

// noneInPayout refuses when a sale with the key is in a payout.
func (o *op) noneInPayout(key Key) error {
	for sale, err := range o.tx.Sales.List(Query{Key: key}) {
		if err != nil {
			return internal("read sales", err)
		}
		if sale.inPayout() {
			return affiliateInPayout.Err()
		}
	}
	return nil
}

// dropAffiliate removes the affiliate and the records that belong to it,
// children first. Its movements stay. A sale that a code credited to another affiliate stays,
// without the referral.
func (o *op) dropAffiliate(rec AffiliateRecord) error {
	key := Key{Index: OfAffiliate, ID: rec.ID}
	steps := []func() error{
		func() error { return each(o.tx.Sales, key, o.dropSale) },
		func() error { return each(o.tx.Referrals, key, o.dropReferral) },
		func() error { return each(o.tx.Clicks, key, o.dropClick) },
		func() error { return each(o.tx.Links, key, o.removeLink) },
		func() error { return each(o.tx.Codes, key, o.unassignCode) },
		func() error { return each(o.tx.Payouts, key, o.dropPayout) },
		func() error { return each(o.tx.Adjustments, key, o.dropAdjustment) },
		func() error { return o.forget(rec.ID) },
		func() error { return o.tx.Affiliates.Delete(rec.ID) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return internal("delete affiliate", err)
		}
	}
	return o.emitDeleted(AffiliateDeleted, rec.ID, 0, rec.Revision+1)
}

// dropClick removes a click. When the visitor became a customer of another
// affiliate, the click count of that affiliate falls by one.
func (o *op) dropClick(rec ClickRecord) error {
	if err := o.uncount(rec.ReferralID, tally{clicks: 1}); err != nil {
		return err
	}
	return o.tx.Clicks.Delete(rec.ID)
}

// dropPayout removes a payout. Those that hold something are refused before.
func (o *op) dropPayout(rec PayoutRecord) error { return o.tx.Payouts.Delete(rec.ID) }

// dropAdjustment removes an adjustment, which no payout holds.
func (o *op) dropAdjustment(rec AdjustmentRecord) error {
	if rec.isMoved() {
		return o.tx.Adjustments.Delete(rec.ID)
	}
	if err := o.enter(rec.AffiliateID, bookAdjustment(&rec, CauseDeletion, rec.Amount.negated())); err != nil {
		return err
	}
	return o.tx.Adjustments.Delete(rec.ID)
}

// unassignCode leaves the code without an affiliate.
func (o *op) unassignCode(rec CodeRecord) error {
	old := rec
	rec.AffiliateID = uuid.Nil
	if o.cfg.CascadeEvents {
		_, err := o.saveCode(old, rec)
		return err
	}
	rec.UpdatedAt = later(o.now, rec.UpdatedAt)
	return o.tx.Codes.Replace(rec)
}
