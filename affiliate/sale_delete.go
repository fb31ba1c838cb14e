package affiliate

import (
	"context"
	"errors"
)

// DeleteSale removes a sale with its commissions. It returns nil when there is
// no such sale.
//
// It frees the sale's external ids, so a payment that a provider reports again
// is recorded again. When money goes back to the customer, call
// [Program.RefundSale] instead, which keeps the sale and its ids.
//
// Errors: [MissingField], [InPayout].
//
// Effects: sale and totals; redemption counters stay; sale.deleted, unless the
// full refund has fired it.
//
// Source: docs/rules.md 3.2 and 5.5.
func (p *Program) DeleteSale(ctx context.Context, id SaleID) (err error) {
	defer p.begin(&ctx, "DeleteSale", writes).end(&err)
	o := p.op(ctx)
	_, err = write(o, request{name: "sale.delete", input: id}, func() (struct{}, error) {
		rec, err := o.findSale(SaleRef{ID: id})
		if errors.Is(err, ErrNotFound) {
			return struct{}{}, nil
		}
		if err == nil {
			err = o.deleteSale(rec)
		}
		return struct{}{}, err
	})
	return err
}

// ReverseSale removes a sale that a payment provider or shop reports as
// reversed, disputed, or cancelled with its order. It is [Program.DeleteSale]
// for callers that know the payment by another id, and it returns an error when
// there is no such sale.
//
// It frees the sale's external ids, as DeleteSale does: a payment that is
// reported again after its reversal is recorded again. Use [Program.RefundSale]
// for a dispute that may be won, and for a payment whose notice may arrive late
// or twice.
//
// A sale whose commission is in a payout cannot be removed. With
// Reversal.ClawBack it is refunded in full instead, with the refund's effects:
// the sale and its external ids stay. ClawBack changes nothing for other sales.
// A second reversal of a sale that was refunded so changes nothing.
//
// Errors: [MissingField], [InvalidField] (refundId), [SaleNotFound]; [InPayout]
// without ClawBack, [OutsideRefundWindow] with it.
//
// Effects: those of [Program.DeleteSale], or of [Program.RefundSale].
//
// Source: docs/contract.md 7.1; docs/rules.md 5.5; docs/money.md 2.
func (p *Program) ReverseSale(ctx context.Context, ref SaleRef, how Reversal) (_ ReversedSale, err error) {
	defer p.begin(&ctx, "ReverseSale", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "sale.reverse", input: []any{ref, how}, refused: first(
		RefuseNoSaleID.when(ref == (SaleRef{})), optional("refundId", how.RefundID, maxName),
	)}
	return write(o, rq, func() (ReversedSale, error) {
		rec, err := o.findSale(ref)
		if err != nil {
			return ReversedSale{}, saleNotFound.ifMissing(err)
		}
		if how.ClawBack && rec.stays() {
			_, err = o.refundOnce(rec, Refund{RefundID: how.RefundID, ClawBack: true})
		} else {
			err = o.deleteSale(rec)
		}
		return ReversedSale{SaleID(rec.Number)}, err
	})
}

// stays reports whether a reversal that claws back keeps the sale: a payout
// holds a commission of it, or it was reversed so before.
func (r *SaleRecord) stays() bool {
	return r.inPayout() || r.frozen() && r.Status.Is(SaleRefunded)
}

// deleteSale removes a sale and fires its event.
func (o *op) deleteSale(rec SaleRecord) error {
	if rec.inPayout() {
		return saleInPayout.Err()
	}
	if err := o.removeSale(rec); err != nil || rec.DeletedFired {
		return err
	}
	return o.emitDeleted(SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
}

// dropSale removes a sale as part of its referral's or affiliate's removal. The
// caller has checked that no payout holds it.
func (o *op) dropSale(rec SaleRecord) error {
	if err := o.removeSale(rec); err != nil || rec.DeletedFired {
		return err
	}
	return o.cascade(SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
}

// removeSale removes a sale from the records and from the totals. Its redemption
// and its movements stay.
func (o *op) removeSale(rec SaleRecord) error {
	if err := o.moveSale(&rec, nil, CauseDeletion); err != nil {
		return err
	}
	return o.tx.Sales.Delete(rec.ID)
}
