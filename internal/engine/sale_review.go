package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Recalculate calculates the commission of a sale again, and reports whether that
// changed it.
func (o *Op) Recalculate(before record.Sale) (bool, error) {
	if inPayout(&before) || before.Status.Is(affiliate.SaleRefunded) {
		return false, nil
	}
	if _, byHand := before.ByHand.Get(); byHand {
		return false, nil
	}
	rec := before.Clone()
	rec.Why.Deduct = affiliate.EnumOf(o.deduction())
	if err := o.applyTerms(&rec); err != nil {
		return false, err
	}
	if err := o.Recompute(&rec); err != nil {
		return false, err
	}
	if sameMoney(&before, &rec) {
		return false, nil
	}
	_, err := o.saveWithFacts(before, rec, affiliate.CauseUpdate)
	return err == nil, err
}

// ReviewCommissions implements tributary.Program.ReviewCommissions.
func (p *Program) ReviewCommissions(ctx context.Context, status affiliate.ApprovalStatus, ids ...affiliate.SaleID) (_ []affiliate.Sale, err error) {
	defer p.Begin(&ctx, "ReviewCommissions", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.review", Input: []any{status, ids}, Refused: refusal.First(refusal.OneOf("approvalStatus", status, approvalStatuses), p.CheckBulk(len(ids)))}
	return Write(o, rq, func() ([]affiliate.Sale, error) {
		for _, id := range ids {
			if _, _, err := o.reviewed(id, status); err != nil {
				return nil, err
			}
		}
		return eachOf(ids, func(id affiliate.SaleID) (affiliate.Sale, error) {
			before, after, err := o.reviewed(id, status)
			if err != nil {
				return affiliate.Sale{}, err
			}
			return o.saveWithFacts(before, after, affiliate.CauseReview)
		})
	})
}

// releaseApproved accepts the commissions that waited for the approval of their
// affiliate.
func (o *Op) releaseApproved(affiliateID uuid.UUID) error {
	var waiting []record.Sale
	for sale, err := range o.Tx.Sales.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: affiliateID}}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if slices.ContainsFunc(sale.Commissions, waitsForApproval) {
			waiting = append(waiting, sale)
		}
	}
	for _, before := range waiting {
		after := before.Clone()
		for i := range after.Commissions {
			if c := &after.Commissions[i]; waitsForApproval(*c) {
				review(c, affiliate.ApprovalAccepted, o.Now)
			}
		}
		if _, err := o.saveWithFacts(before, after, affiliate.CauseReview); err != nil {
			return err
		}
	}
	return nil
}

func waitsForApproval(c record.Commission) bool {
	return c.Approval.Is(affiliate.ApprovalOnHold) && c.HoldReason.Is(affiliate.HoldAffiliateNotApproved)
}

// reviewed returns a sale before and after a review.
func (o *Op) reviewed(id affiliate.SaleID, status affiliate.ApprovalStatus) (before, after record.Sale, err error) {
	if before, err = o.SaleByNumber(id); err != nil {
		return before, after, refusal.SaleNotFound.IfMissing(err)
	}
	after = before.Clone()
	for i := range after.Commissions {
		review(&after.Commissions[i], status, o.Now)
	}
	if inPayout(&before) && !Same(before, after) {
		return before, after, refusal.SaleInPayout.Err()
	}
	return before, after, nil
}
