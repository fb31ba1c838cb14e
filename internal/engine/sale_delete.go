package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteSale implements tributary.Program.DeleteSale.
func (p *Program) DeleteSale(ctx context.Context, id affiliate.SaleID) (err error) {
	defer p.Begin(&ctx, "DeleteSale", Writes).End(&err)
	o := p.Op(ctx)
	_, err = Write(o, Request{Name: "sale.delete", Input: id}, func() (struct{}, error) {
		rec, err := o.findSale(affiliate.SaleRef{ID: id})
		if errors.Is(err, affiliate.ErrNotFound) {
			return struct{}{}, nil
		}
		if err == nil {
			err = o.deleteSale(rec)
		}
		return struct{}{}, err
	})
	return err
}

// ReverseSale implements tributary.Program.ReverseSale.
func (p *Program) ReverseSale(ctx context.Context, ref affiliate.SaleRef, how affiliate.Reversal) (_ affiliate.ReversedSale, err error) {
	defer p.Begin(&ctx, "ReverseSale", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.reverse", Input: []any{ref, how}, Refused: cmp.Or(
		checkSaleRef(ref), refusal.First(refusal.Optional("refundId", how.RefundID, refusal.MaxName)),
	)}
	return Write(o, rq, func() (affiliate.ReversedSale, error) {
		rec, err := o.findSale(ref)
		if err != nil {
			return affiliate.ReversedSale{}, refusal.SaleNotFound.IfMissing(err)
		}
		if how.ClawBack && stays(&rec) {
			_, err = o.refundOnce(rec, affiliate.Refund{RefundID: how.RefundID, ClawBack: true})
		} else {
			err = o.deleteSale(rec)
		}
		return affiliate.ReversedSale{ID: affiliate.SaleID(rec.Number)}, err
	})
}

// stays reports whether a reversal with ClawBack keeps the sale: a payout holds
// one of its commissions, or it was reversed in this way before.
func stays(r *record.Sale) bool {
	return inPayout(r) || SaleFrozen(r) && r.Status.Is(affiliate.SaleRefunded)
}

// deleteSale removes a sale and fires its event.
func (o *Op) deleteSale(rec record.Sale) error {
	if inPayout(&rec) {
		return refusal.SaleInPayout.Err()
	}
	if err := o.removeSale(rec, affiliate.CauseDeletion); err != nil || rec.DeletedFired {
		return err
	}
	return o.emitDeleted(affiliate.SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
}

// dropSale removes a sale as part of its referral's or affiliate's removal. The
// caller has checked that no payout holds it.
func (o *Op) dropSale(cause affiliate.Cause) func(record.Sale) error {
	return func(rec record.Sale) error {
		if err := o.removeSale(rec, cause); err != nil || rec.DeletedFired {
			return err
		}
		return o.cascade(affiliate.SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
	}
}

// removeSale removes a sale from the records and from the totals. Its redemption
// and its movements stay.
func (o *Op) removeSale(rec record.Sale, cause affiliate.Cause) error {
	if err := o.moveSale(&rec, nil, cause); err != nil {
		return err
	}
	pay, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: rec.ID})
	if pay.Left != "" { // whether the sale was right is no question any more
		pay.Left = ""
		err = o.Tx.Payments.Replace(pay)
	}
	if IgnoreMissing(err) != nil {
		return refusal.Internal("payment of a sale", err)
	}
	return o.Tx.Sales.Delete(rec.ID)
}
