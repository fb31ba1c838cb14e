package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// closeIfRefunded ends a sale that is refunded in full.
func (o *op) closeIfRefunded(rec *SaleRecord) error {
	kept, err := rec.kept()
	if err != nil || kept.Sign() > 0 {
		return err
	}
	rec.Status, rec.RefundedAt = EnumOf(SaleRefunded), o.now
	return nil
}

// RefundSale refunds a sale in full, or in part with Amount. The commission is
// reduced in proportion; after a full refund it is exactly zero, and the sale
// stays REFUNDED. A repeated RefundID, or a repeated full refund, does nothing,
// and the result says so. Redemption counters do not change.
//
// Errors: [MissingField], [InvalidField], [SaleNotFound],
// [OutsideRefundWindow], [ManuallyPaid], [AlreadyPaid], [IncludedInPayout],
// [RefundExceedsSale], [RefundLimitReached].
//
// Effects: the sale, its commission, totals; sale.updated for a part,
// sale.deleted for the whole (contract 7.1),
// after which nothing is fired for that sale.
//
// Source: docs/rules.md 5.5, docs/contract.md 3.7.
func (p *Program) RefundSale(ctx context.Context, in Refund) (RefundResult, error) {
	amount, part := in.Amount.Get()
	o := p.op(ctx)
	rq := request{name: "sale.refund", input: in, refused: first(
		saleIDRequired.when(in.SaleID == 0),
		refundNotPositive.when(part && amount.Sign() <= 0),
		optional("refundId", in.RefundID, maxName),
	)}
	return write(o, rq, func() (RefundResult, error) {
		before, err := o.saleByNumber(in.SaleID)
		if err != nil {
			return RefundResult{}, saleNotFound.ifMissing(err)
		}
		if before.refundedBy(in.RefundID) {
			return RefundResult{Success: true, AlreadyRefunded: true, Reason: RefundedAlready}, nil
		}
		rec := before.Clone()
		if err := o.refund(&rec, in); err != nil {
			return RefundResult{}, err
		}
		if _, err := o.saveSale(before, rec); err != nil {
			return RefundResult{}, err
		}
		reason := RefundedInPart
		if rec.Status.Is(SaleRefunded) {
			reason = RefundedInFull
		}
		return RefundResult{Success: true, Reason: reason}, nil
	})
}

// refundedBy reports whether a refund was applied before, or the sale is
// refunded in full.
func (r *SaleRecord) refundedBy(id string) bool {
	known := func(f RefundRecord) bool { return id != "" && f.ID == id }
	return r.Status.Is(SaleRefunded) || slices.ContainsFunc(r.Refunds, known)
}

// refund checks a refund and puts it into the record.
func (o *op) refund(rec *SaleRecord, in Refund) error {
	if err := o.refundable(rec); err != nil {
		return err
	}
	left, err := rec.kept()
	if err != nil {
		return err
	}
	amount := in.Amount.Or(left)
	if amount.Cmp(left) > 0 {
		return refundExceedsSale.Err()
	}
	if len(rec.Refunds) >= o.cfg.Limits.Refunds && amount.Cmp(left) < 0 {
		return refundLimitReached.Err()
	}
	if rec.Refunded, err = rec.Refunded.Add(amount); err != nil {
		return err
	}
	rec.Refunds = append(rec.Refunds, RefundRecord{ID: in.RefundID, Amount: amount, At: o.now})
	if err := o.recompute(rec); err != nil {
		return err
	}
	return o.closeIfRefunded(rec)
}

// refundable refuses refunds that come too late or would undo a payout.
func (o *op) refundable(rec *SaleRecord) error {
	if window := o.cfg.RefundWindow; window > 0 && o.now.After(rec.CreatedAt.Add(window)) {
		return outsideRefundWindow.Err()
	}
	for i := range rec.Commissions {
		if rec.Commissions[i].ManuallyPaid {
			return manuallyPaid.Err()
		}
	}
	id := rec.payoutID()
	if id == uuid.Nil {
		return nil
	}
	payout, err := o.tx.Payouts.Get(id)
	if err != nil {
		return internal("payout of a sale", err)
	}
	if payout.Status == PayoutPaid {
		return alreadyPaid.Err()
	}
	return includedInPayout.Err()
}
