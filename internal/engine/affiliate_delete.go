package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteAffiliate implements tributary.Program.DeleteAffiliate.
func (p *Program) DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) (err error) {
	defer p.Begin(&ctx, "DeleteAffiliate", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "affiliate.delete", Input: []any{ref, p.gives}, Refused: refusal.First(refusal.RefuseNoAffiliateID.When(ref == (affiliate.AffiliateRef{})))}
	_, err = Write(o, rq, func() (struct{}, error) {
		rec, err := o.AffiliateOf(ref)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && !ownRef(&rec, ref) {
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

// ownRef reports whether a reference names an affiliate by what its record has, and not by a name that leads to it.
func ownRef(rec *record.Affiliate, ref affiliate.AffiliateRef) bool {
	email, _ := mailbox.Canonical(ref.Email)
	return (ref.ID == uuid.Nil || ref.ID == rec.ID) && (ref.Email == "" || email == rec.Email) && (ref.ExternalID == "" || ref.ExternalID == rec.ExternalID)
}

// refuseInPayout refuses when a sale of the affiliate, or a sale of one of its
// referrals, is in a payout: such a sale and its referral are never deleted
// (rule 4.7). A sale of a referral may belong to another affiliate because of a
// code.
func (o *Op) refuseInPayout(id uuid.UUID) error {
	key := record.Key{Index: record.OfAffiliate, ID: id}
	if err := o.noneInPayout(key); err != nil {
		return err
	}
	for rec, err := range o.Tx.Adjustments.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read adjustments", err)
		}
		if rec.PayoutID != uuid.Nil {
			return refusal.AffiliateInPayout.Err()
		}
	}
	for rec, err := range o.Tx.Referrals.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read referrals", err)
		}
		if err := o.noneInPayout(record.Key{Index: record.OfReferral, ID: rec.ID}); err != nil {
			return err
		}
	}
	return nil
}

// noneInPayout refuses when a sale with the key is in a payout.
func (o *Op) noneInPayout(key record.Key) error {
	for sale, err := range o.Tx.Sales.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if inPayout(&sale) {
			return refusal.AffiliateInPayout.Err()
		}
	}
	return nil
}

// dropAffiliate removes the affiliate and the records that belong to it,
// children first. Its movements stay. A sale that a code credited to another affiliate stays,
// without the referral.
func (o *Op) dropAffiliate(rec record.Affiliate) error {
	owed, err := o.owedTo(rec.ID)
	if err != nil {
		return err
	}
	cause, err := o.lose(owed, o.gives)
	if err != nil {
		return err
	}
	key := record.Key{Index: record.OfAffiliate, ID: rec.ID}
	steps := []func() error{
		func() error { return Each(o.Tx.Sales, key, o.dropSale(cause)) },
		func() error { return Each(o.Tx.Referrals, key, o.dropReferral) },
		func() error { return Each(o.Tx.Clicks, key, o.dropClick) },
		func() error { return Each(o.Tx.Links, key, o.removeLink) },
		func() error { return Each(o.Tx.Codes, key, o.unassignCode) },
		func() error { return Each(o.Tx.Payouts, key, o.dropPayout) },
		func() error { return Each(o.Tx.Adjustments, key, o.dropAdjustment(cause)) },
		func() error { return o.forget(rec.ID) },
		func() error { return o.dropNames(record.OfAffiliate, rec.ID) },
		func() error { return o.Tx.Affiliates.Delete(rec.ID) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refusal.Internal("delete affiliate", err)
		}
	}
	return o.emitDeleted(affiliate.AffiliateDeleted, rec.ID, 0, rec.Revision+1)
}

// dropClick removes a click. When the visitor became a customer of another
// affiliate, the click count of that affiliate falls by one.
func (o *Op) dropClick(rec record.Click) error {
	if err := o.uncount(rec.ReferralID, Tally{Clicks: 1}); err != nil {
		return err
	}
	return o.Tx.Clicks.Delete(rec.ID)
}

// dropPayout removes a payout. Those that hold something are refused before.
func (o *Op) dropPayout(rec record.Payout) error { return o.Tx.Payouts.Delete(rec.ID) }

// dropAdjustment removes an adjustment, which no payout holds.
func (o *Op) dropAdjustment(cause affiliate.Cause) func(record.Adjustment) error {
	return func(rec record.Adjustment) error {
		if IsMoved(&rec) {
			return o.Tx.Adjustments.Delete(rec.ID)
		}
		if err := o.Enter(rec.AffiliateID, BookAdjustment(&rec, cause, rec.Amount.Neg())); err != nil {
			return err
		}
		return o.Tx.Adjustments.Delete(rec.ID)
	}
}

// unassignCode leaves the code without an affiliate.
func (o *Op) unassignCode(rec record.Code) error {
	old := rec
	rec.AffiliateID = uuid.Nil
	if o.Cfg.CascadeEvents {
		_, err := o.saveCode(old, rec)
		return err
	}
	rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
	return o.Tx.Codes.Replace(rec)
}
