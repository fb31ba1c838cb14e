package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// RecalculateSales calculates the commissions of the selected sales again with
// the current terms and deductions and returns how many changed. A change of terms (a plan, an
// own rate, a tier) applies to future sales; this method applies it to past
// ones. It does not change sales in a payout, refunded sales, commissions that
// were set by hand and a sale's own rate. A sale beyond its plan's limits stays
// without a commission. A filter with an empty value selects nothing. It is one
// transaction; [RecalculateJob] does it in steps.
//
// Errors: [InvalidField] (totalEarned, commissionEarned) when a total does not
// fit.
//
// Effects: the sales, their totals; sale.updated for each that changed.
//
// Source: docs/rules.md 5.3.
func (p *Program) RecalculateSales(ctx context.Context, f SaleFilter) (_ int, err error) {
	defer p.begin(&ctx, "RecalculateSales", writes).end(&err)
	o := p.op(ctx)
	return write(o, request{name: "sale.recalculate", input: f}, func() (int, error) {
		changed := 0
		err := eachChosen(o.tx.Sales, o.chooseSales(f), func(rec SaleRecord) error {
			moved, err := o.recalculate(rec)
			if moved {
				changed++
			}
			return err
		})
		return changed, err
	})
}

// recalculate calculates the commission of a sale again, and reports whether that
// changed it.
func (o *op) recalculate(before SaleRecord) (bool, error) {
	if before.inPayout() || before.Status.Is(SaleRefunded) {
		return false, nil
	}
	if _, byHand := before.ByHand.Get(); byHand {
		return false, nil
	}
	rec := before.Clone()
	rec.Why.Deduct = EnumOf(o.deduction())
	if err := o.applyTerms(&rec); err != nil {
		return false, err
	}
	if err := o.recompute(&rec); err != nil {
		return false, err
	}
	if before.sameMoney(&rec) {
		return false, nil
	}
	_, err := o.saveWithFacts(before, rec, CauseUpdate)
	return err == nil, err
}

// ReviewCommissions accepts, holds or declines the commissions of sales, all or
// nothing. Declined ones do not count in the totals.
//
// Errors: [InvalidField] (approvalStatus), [SaleNotFound], [InPayout],
// [BulkLimitExceeded].
//
// Effects: the commissions, totals; sale.updated for each sale that changed.
//
// Source: docs/contract.md 2.7.
func (p *Program) ReviewCommissions(ctx context.Context, status ApprovalStatus, ids ...SaleID) (_ []Sale, err error) {
	defer p.begin(&ctx, "ReviewCommissions", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "sale.review", input: []any{status, ids}, refused: first(oneOf("approvalStatus", status, approvalStatuses), p.checkBulk(len(ids)))}
	return write(o, rq, func() ([]Sale, error) {
		for _, id := range ids {
			if _, _, err := o.reviewed(id, status); err != nil {
				return nil, err
			}
		}
		return eachOf(ids, func(id SaleID) (Sale, error) {
			before, after, err := o.reviewed(id, status)
			if err != nil {
				return Sale{}, err
			}
			return o.saveWithFacts(before, after, CauseReview)
		})
	})
}

// releaseApproved accepts the commissions that waited for the approval of their
// affiliate.
func (o *op) releaseApproved(affiliate uuid.UUID) error {
	var waiting []SaleRecord
	for sale, err := range o.tx.Sales.List(Query{Key: Key{Index: OfAffiliate, ID: affiliate}}) {
		if err != nil {
			return internal("read sales", err)
		}
		if slices.ContainsFunc(sale.Commissions, waitsForApproval) {
			waiting = append(waiting, sale)
		}
	}
	for _, before := range waiting {
		after := before.Clone()
		for i := range after.Commissions {
			if c := &after.Commissions[i]; waitsForApproval(*c) {
				c.review(ApprovalAccepted, o.now)
			}
		}
		if _, err := o.saveWithFacts(before, after, CauseReview); err != nil {
			return err
		}
	}
	return nil
}

func waitsForApproval(c CommissionRecord) bool {
	return c.Approval.Is(ApprovalOnHold) && c.HoldReason.Is(HoldAffiliateNotApproved)
}

// reviewed is a sale before and after a review.
func (o *op) reviewed(id SaleID, status ApprovalStatus) (before, after SaleRecord, err error) {
	if before, err = o.saleByNumber(id); err != nil {
		return before, after, saleNotFound.ifMissing(err)
	}
	after = before.Clone()
	for i := range after.Commissions {
		after.Commissions[i].review(status, o.now)
	}
	if before.inPayout() && !same(before, after) {
		return before, after, saleInPayout.Err()
	}
	return before, after, nil
}
