package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteReferral implements tributary.Program.DeleteReferral.
func (p *Program) DeleteReferral(ctx context.Context, ident string) (err error) {
	defer p.Begin(&ctx, "DeleteReferral", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "referral.delete", Input: []any{ident, p.gives}, Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
	_, err = Write(o, rq, func() (struct{}, error) {
		rec, err := o.FindReferral(ident)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && !ownName(&rec, ident) {
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
		return struct{}{}, o.emitDeleted(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
	})
	return err
}

// dropReferralSales removes every sale of a referral, or none when a payout
// holds one.
func (o *Op) dropReferralSales(referral uuid.UUID) error {
	sales, err := Gather(o.Tx.Sales, record.Query{Key: record.Key{Index: record.OfReferral, ID: referral}})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sales, func(r record.Sale) bool { return inPayout(&r) }) {
		return refusal.ReferralInPayout.Err()
	}
	owed, err := o.owedBy(record.Key{Index: record.OfReferral, ID: referral})
	if err != nil {
		return err
	}
	cause, err := o.lose(owed, o.gives)
	if err != nil {
		return err
	}
	for _, rec := range sales {
		if err := o.dropSale(cause)(rec); err != nil {
			return err
		}
	}
	return nil
}

// dropReferral removes a referral as part of its affiliate's removal.
func (o *Op) dropReferral(rec record.Referral) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.cascade(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
}

// removeReferral removes a referral and its totals. Clicks and sales that
// still name it (sales credited to another affiliate) lose the reference.
func (o *Op) removeReferral(rec record.Referral) error {
	key := record.Key{Index: record.OfReferral, ID: rec.ID}
	err := Each(o.Tx.Clicks, key, func(click record.Click) error {
		click.ReferralID = uuid.Nil
		return o.Tx.Clicks.Replace(click)
	})
	if err != nil {
		return refusal.Internal("clear clicks", err)
	}
	err = Each(o.Tx.Sales, key, func(sale record.Sale) error {
		sale.ReferralID = uuid.Nil
		return o.Tx.Sales.Replace(sale)
	})
	if err != nil {
		return refusal.Internal("clear sales", err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	if err := o.forget(rec.ID); err != nil {
		return err
	}
	if err := o.forgetPayers(rec.ID); err != nil {
		return err
	}
	if err := o.dropNames(record.OfReferral, rec.ID); err != nil {
		return refusal.Internal("clear erasures", err)
	}
	return o.Tx.Referrals.Delete(rec.ID)
}
