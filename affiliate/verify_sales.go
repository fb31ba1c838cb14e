package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// verifySales checks sales with their refunds and commissions.
func (a *audit) verifySales() {
	readings, clicks := a.readings(), a.clickNumbers()
	for r := range a.sales.records() {
		a.verifySale(r)
		a.verifyRefunds(r)
		a.verifyCommissions(r, readings)
		a.verifyWhy(r, clicks)
	}
	unique(a, "I53", "sale", &a.sales, ByNumber)
	unique(a, "I43", "sale", &a.sales, ByExternalID)
	unique(a, "I43", "sale", &a.sales, ByInvoice)
}

func (a *audit) verifySale(r *SaleRecord) {
	name := numbered("sale", r.Number)
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I36", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	a.refers("I29", "sale", r.ID, "link", r.LinkID, a.links.has(r.LinkID))
	a.owned(name, r.LinkID, r.AffiliateID)
	a.refers("I37", "sale", r.ID, "referral", r.ReferralID, a.referrals.has(r.ReferralID))
	if r.TotalEarned.Sign() < 0 || !r.validFree() || r.Tax.Sign() < 0 || r.Shipping.Sign() < 0 {
		a.breach("I44", name, "total %v, tax %v, shipping %v", r.TotalEarned, r.Tax, r.Shipping)
	} else if r.charge().check("tax") != nil {
		a.breach("I44", name, "tax %v and shipping %v are above the total %v", r.Tax, r.Shipping, r.TotalEarned)
	}
	if checkSubtotal(r.Subtotal) != nil || r.charge().checkSubtotal(r.Subtotal, "subtotal") != nil {
		a.breach("I44", name, "subtotal %v of total %v, tax %v, shipping %v", r.Subtotal, r.TotalEarned, r.Tax, r.Shipping)
	}
	a.verifyHoldDays(name, r.HoldDays)
	listed(a, name, "status", r.Status.Value(), SaleActive, SaleRefunded)
	a.instants("sale", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyRefunds checks that refunds add up, and what the full refund leaves.
func (a *audit) verifyRefunds(r *SaleRecord) {
	name := numbered("sale", r.Number)
	sum, ids := Amount{}, map[string]bool{}
	for _, refund := range r.Refunds {
		total, err := sum.Add(refund.Amount)
		if err != nil || refund.Amount.Sign() < 0 && !refund.Fact || refund.Amount.IsZero() && !r.Free || ids[refund.ID] {
			a.breach("I41", name, "refund %q of %v is not positive, or counted twice", refund.ID, refund.Amount)
		}
		if total.Sign() < 0 {
			a.breach("I41", name, "with refund %q more came back than was refunded", refund.ID)
		}
		parts := Refund{Amount: Set(refund.Amount), Tax: refund.Tax, Shipping: refund.Shipping}
		if !refund.Fact && parts.checkParts() != nil || refund.Tax.IsZero() != refund.Shipping.IsZero() {
			a.breach("I41", name, "refund %q of %v has %v of tax and %v of shipping", refund.ID, refund.Amount, refund.Tax, refund.Shipping)
		}
		sum = total
		ids[refund.ID] = refund.ID != ""
	}
	if sum != r.Refunded || r.Refunded.Cmp(r.TotalEarned) > 0 {
		a.breach("I41", name, "refunds add up to %v, refunded %v of %v", sum, r.Refunded, r.TotalEarned)
	}
	full := r.Refunded == r.TotalEarned
	if r.Free { // of nothing, nothing is left
		full = r.Status.Is(SaleRefunded)
	}
	if full != r.Status.Is(SaleRefunded) || full != r.DeletedFired || full == r.RefundedAt.IsZero() {
		a.breach("I41", name, "refunded %v of %v, status %s, refundedAt %v", r.Refunded, r.TotalEarned, r.Status, r.RefundedAt)
	}
	if earned, err := r.commissionEarned(); full && (err != nil || !earned.IsZero()) {
		a.breach("I41", name, "nothing is kept of it, but it earns %v", earned)
	}
}

// verifyCommissions checks the commissions of a sale. Those in a payout are
// checked together with the payout.
func (a *audit) verifyCommissions(r *SaleRecord, readings []*Program) {
	for i := range r.Commissions {
		a.verifyCommission(r, i)
	}
	if len(r.Commissions) == 0 {
		return
	}
	name := numbered("sale", r.Number)
	sum, err := r.commissionEarned()
	agrees := func(p *Program) bool {
		earned, unknown := p.earned(r)
		return err == nil && unknown == nil && earned == sum
	}
	if !slices.ContainsFunc(readings, agrees) {
		a.breach("I40", name, "its commissions earn %v, which its rate does not give", sum)
	}
	if _, hand := r.ByHand.Get(); hand {
		return
	}
	a.verifyRate(name, r.Rate, r.RateType.Value())
	if most, err := r.kept(); err == nil && !r.RateType.Is(CommissionFlat) && sum.Cmp(a.rounded(most)) > 0 {
		a.breach("I40", name, "its commissions earn %v, above their base of at most %v", sum, most)
	}
}

// verifyCommission checks one commission of a sale by itself. Only beside one
// that a payout took may there be another, or a negative one.
func (a *audit) verifyCommission(r *SaleRecord, i int) {
	c, name := &r.Commissions[i], numbered("sale", r.Number)
	if c.ClawBack != (i > 0) || c.ClawBack && !r.frozen() || !c.ClawBack && c.Earned.Sign() < 0 {
		a.breach("I40", name, "commission %d earns %v, number %d of the sale", c.Number, c.Earned, i+1)
	}
	if c.AffiliateID != r.AffiliateID {
		a.breach("I40", name, "commission %d is of affiliate %s, the sale of %s", c.Number, c.AffiliateID, r.AffiliateID)
	}
	if !a.affiliates.has(c.AffiliateID) {
		a.breach("I36", name, "the affiliate %s of commission %d does not exist", c.AffiliateID, c.Number)
	}
	listed(a, name, "approvalStatus", c.Approval.Value(), approvalStatuses...)
	if c.Approval.Is(ApprovalAccepted) != c.HoldReason.Is("") {
		a.breach("I81", name, "commission %d is %s for the reason %q", c.Number, c.Approval, c.HoldReason)
	}
	if c.PayoutID != uuid.Nil && !c.Approval.Is(ApprovalAccepted) {
		a.breach("I42", name, "commission %d is %s, and in payout %s", c.Number, c.Approval, c.PayoutID)
	}
	a.instants("sale", r.ID, c.CreatedAt, c.UpdatedAt)
}

// rounded is an amount in the digits of the program's currency; as it is where
// it has no room.
func (a *audit) rounded(sum Amount) Amount {
	if r, err := sum.Round(a.cfg.Currency); err == nil {
		return r
	}
	return sum
}
