package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
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
func (p *Program) DeleteSale(ctx context.Context, id SaleID) error {
	o := p.op(ctx)
	_, err := write(o, request{name: "sale.delete", input: id}, func() (struct{}, error) {
		err := o.deleteSale(SaleRef{ID: id})
		if errors.Is(err, SaleNotFound) {
			err = nil
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
// Errors: [MissingField], [SaleNotFound], [InPayout].
//
// Effects: those of [Program.DeleteSale].
//
// Source: docs/contract.md 7.1; docs/rules.md 5.5.
func (p *Program) ReverseSale(ctx context.Context, ref SaleRef) error {
	o := p.op(ctx)
	_, err := write(o, request{name: "sale.reverse", input: ref}, func() (struct{}, error) {
		return struct{}{}, o.deleteSale(ref)
	})
	return err
}

// deleteSale removes the sale that a caller named and fires its event.
func (o *op) deleteSale(ref SaleRef) error {
	rec, err := o.findSale(ref)
	if err != nil {
		return saleNotFound.ifMissing(err)
	}
	if rec.payoutID() != uuid.Nil {
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

// removeSale removes a sale from the records and from the totals. The ledger
// and the counters of its code stay.
func (o *op) removeSale(rec SaleRecord) error {
	was, err := rec.tally()
	if err != nil {
		return err
	}
	if err := o.moveSale(&rec, was, tally{}); err != nil {
		return err
	}
	return o.tx.Sales.Delete(rec.ID)
}
