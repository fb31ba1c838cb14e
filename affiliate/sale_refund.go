package affiliate

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
)

// closeIfRefunded ends a sale that is refunded in full, and opens it again when
// something of the refund came back.
func (o *op) closeIfRefunded(rec *SaleRecord) error {
	kept, err := rec.kept()
	switch {
	case err != nil:
		return err
	case kept.Sign() <= 0:
		rec.Status, rec.RefundedAt = EnumOf(SaleRefunded), o.now
	case rec.Status.Is(SaleRefunded):
		rec.Status, rec.RefundedAt = EnumOf(SaleActive), Instant{}
	}
	return nil
}

// RefundSale refunds a sale in full, or in part with Amount. The commission is
// reduced in proportion, or by what of the amount was neither Tax nor Shipping;
// after a full refund it is exactly zero, and the sale
// stays REFUNDED. A repeated RefundID, or a repeated full refund, does nothing,
// and the result says so. Redemption counters do not change.
//
// A sale whose commission is in a payout is refunded only with ClawBack. The
// payout stays as it is, and what was paid too much becomes a further, negative
// commission of the sale.
//
// Errors: [MissingField], [InvalidField], [SaleNotFound],
// [OutsideRefundWindow], [RefundExceedsSale], [RefundLimitReached]; without
// ClawBack [ManuallyPaid], [AlreadyPaid], [IncludedInPayout].
//
// Effects: the sale, its commissions, totals; sale.updated for a part,
// sale.deleted for the whole (contract 7.1).
//
// Source: docs/rules.md 5.5, docs/contract.md 3.7, docs/money.md 2.
func (p *Program) RefundSale(ctx context.Context, in Refund) (_ RefundResult, err error) {
	defer p.begin(&ctx, "RefundSale", writes).end(&err)
	amount, part := in.Amount.Get()
	o := p.op(ctx)
	rq := request{name: "sale.refund", refused: first(
		RefuseNoSaleID.when(in.SaleID == 0),
		notCleared("amount", in.Amount), // never taken as the whole sale
		refundNotPositive.when(part && amount.Sign() <= 0),
		p.ownCurrency(&in.Currency),
		optional("refundId", in.RefundID, maxName),
		in.checkParts(),
	)}
	rq.input = in
	return write(o, rq, func() (RefundResult, error) {
		before, err := o.saleByNumber(in.SaleID)
		if err != nil {
			return RefundResult{}, saleNotFound.ifMissing(err)
		}
		return o.refundOnce(before, in)
	})
}

// refundOnce refunds a sale, unless that was done before.
func (o *op) refundOnce(before SaleRecord, in Refund) (RefundResult, error) {
	if before.refundedBy(in.RefundID) {
		return RefundResult{Success: true, AlreadyRefunded: true, Reason: RefundedAlready}, nil
	}
	rec := before.Clone()
	if err := o.refund(&rec, in); err != nil {
		return RefundResult{}, err
	}
	if _, err := o.saveWithFacts(before, rec, before.refundCause()); err != nil {
		return RefundResult{}, err
	}
	reason := RefundedInPart
	if rec.Status.Is(SaleRefunded) {
		reason = RefundedInFull
	}
	return RefundResult{Success: true, Reason: reason}, nil
}

// refundCause is the cause of a movement by a refund of the sale.
func (r *SaleRecord) refundCause() Cause {
	if r.frozen() {
		return CauseClawBack
	}
	return CauseRefund
}

// refundedBy reports whether a refund was applied before, or the sale is
// refunded in full.
func (r *SaleRecord) refundedBy(id string) bool {
	known := func(f RefundRecord) bool { return id != "" && f.ID == id }
	return r.Status.Is(SaleRefunded) || slices.ContainsFunc(r.Refunds, known)
}

// refund checks a refund and puts it into the record.
func (o *op) refund(rec *SaleRecord, in Refund) error {
	if window := o.cfg.RefundWindow; window > 0 && o.now.After(rec.CreatedAt.Add(window)) {
		return outsideRefundWindow.Err()
	}
	if !in.ClawBack {
		if err := o.refusePaidOut(rec); err != nil {
			return err
		}
	}
	left, err := rec.kept()
	if err != nil {
		return err
	}
	amount := in.Amount.Or(left)
	if amount.Cmp(left) > 0 {
		return refundExceedsSale.Err()
	}
	if err := rec.checkParts(in); err != nil {
		return err
	}
	if len(rec.Refunds) >= o.cfg.Limits.Refunds && amount.Cmp(left) < 0 {
		return refundLimitReached.Err()
	}
	rec.Refunds = append(rec.Refunds, in.record(amount, o.now))
	return o.giveBack(rec, amount)
}

// giveBack changes what is refunded by the sum of refunds that were put into the
// record. It is not above what is left; below zero, as much of earlier refunds came back.
func (o *op) giveBack(rec *SaleRecord, sum Amount) (err error) {
	if rec.Refunded, err = rec.Refunded.Add(sum); err != nil {
		return err
	}
	if err := o.recompute(rec); err != nil {
		return err
	}
	return o.closeIfRefunded(rec)
}

// checkParts checks what a refund says of its tax and shipping by itself. All that is
// left has as much of them as is left.
func (in *Refund) checkParts() *Error {
	tax, shipping := in.Tax.Or(Amount{}), in.Shipping.Or(Amount{})
	sum, err := tax.Add(shipping)
	amount, part := in.Amount.Get()
	named := !in.Tax.IsZero() || !in.Shipping.IsZero()
	return cmp.Or(
		notCleared("tax", in.Tax), notCleared("shipping", in.Shipping),
		taxNegative.when(tax.Sign() < 0), shippingNegative.when(shipping.Sign() < 0),
		refundAmountRequired.when(named && !part),
		refundPartsExceed.when(named && (err != nil || sum.Cmp(amount) > 0)),
	)
}

// checkParts refuses a refund of more tax or shipping than the sale has left.
func (r *SaleRecord) checkParts(in Refund) error {
	named, err := r.refundParts()
	if err == nil {
		named, err = named.plus(in.Amount.Or(Amount{}), in.Tax, in.Shipping)
	}
	if err != nil {
		return err
	}
	return first(
		refundPartExceedsSale.about("tax").when(named.tax.Cmp(r.Tax) > 0 && !in.Tax.IsZero()),
		refundPartExceedsSale.about("shipping").when(named.shipping.Cmp(r.Shipping) > 0 && !in.Shipping.IsZero()),
	)
}

// refusePaidOut refuses the refund of a sale when a payout holds one of its
// commissions: as manually paid before as paid, and that before as included.
func (o *op) refusePaidOut(rec *SaleRecord) error {
	var refusal error
	for i := range rec.Commissions {
		c := &rec.Commissions[i]
		if c.ManuallyPaid {
			return manuallyPaid.Err()
		}
		if c.PayoutID == uuid.Nil {
			continue
		}
		payout, err := o.tx.Payouts.Get(c.PayoutID)
		if err != nil {
			return internal("payout of a sale", err)
		}
		switch {
		case payout.Status == PayoutPaid:
			refusal = alreadyPaid.Err()
		case refusal == nil:
			refusal = includedInPayout.Err()
		}
	}
	return refusal
}
