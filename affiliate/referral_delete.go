package affiliate

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// DeleteReferral removes a referral, named by id or email, and its sales. It
// returns nil when there is no such referral.
//
// Errors: [MissingField], [InPayout] when a payout holds one of the sales.
//
// Effects: referral, sales and totals are deleted, clicks lose the reference,
// counters of codes stay; referral.deleted.
//
// Source: docs/rules.md 4.7.
func (p *Program) DeleteReferral(ctx context.Context, ident string) (err error) {
	defer p.begin(&ctx, "DeleteReferral", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "referral.delete", input: ident, refused: first(referralIDRequired.when(plaintext.Blank(ident)))}
	_, err = write(o, rq, func() (struct{}, error) {
		rec, err := o.findReferral(ident)
		if errors.Is(err, ErrNotFound) {
			return struct{}{}, nil
		}
		if err != nil {
			return struct{}{}, err
		}
		if err := o.dropReferralSales(rec.ID); err != nil {
			return struct{}{}, err
		}
		if err := o.removeReferral(rec); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, o.emitDeleted(ReferralDeleted, rec.ID, 0, rec.Revision+1)
	})
	return err
}

// dropReferralSales removes every sale of a referral, or none when a payout
// holds one.
func (o *op) dropReferralSales(referral uuid.UUID) error {
	sales, err := gather(o.tx.Sales, Query{Key: Key{Index: OfReferral, ID: referral}})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sales, func(r SaleRecord) bool { return r.inPayout() }) {
		return referralInPayout.Err()
	}
	for _, rec := range sales {
		if err := o.dropSale(rec); err != nil {
			return err
		}
	}
	return nil
}

// dropReferral removes a referral as part of its affiliate's removal.
func (o *op) dropReferral(rec ReferralRecord) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.cascade(ReferralDeleted, rec.ID, 0, rec.Revision+1)
}

// removeReferral removes a referral and its totals. Clicks and sales that
// still name it (sales credited to another affiliate) lose the reference.
func (o *op) removeReferral(rec ReferralRecord) error {
	key := Key{Index: OfReferral, ID: rec.ID}
	err := each(o.tx.Clicks, key, func(click ClickRecord) error {
		click.ReferralID = uuid.Nil
		return o.tx.Clicks.Replace(click)
	})
	if err != nil {
		return internal("clear clicks", err)
	}
	err = each(o.tx.Sales, key, func(sale SaleRecord) error {
		sale.ReferralID = uuid.Nil
		return o.tx.Sales.Replace(sale)
	})
	if err != nil {
		return internal("clear sales", err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, tally{referrals: 1}); err != nil {
			return err
		}
	}
	if err := o.forget(rec.ID); err != nil {
		return err
	}
	if err := o.forgetPayers(rec.ID); err != nil {
		return err
	}
	if err := o.unbindErasures(rec.ID); err != nil {
		return internal("clear erasures", err)
	}
	return o.tx.Referrals.Delete(rec.ID)
}
