package audit

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifySales checks sales with their refunds and commissions.
func (a *audit) verifySales() {
	clicks := a.clickNumbers()
	for r := range a.sales.records() {
		a.verifySale(r)
		a.verifyRefunds(r)
		a.verifyCommissions(r)
		a.verifyWhy(r, clicks)
	}
	unique(a, "I53", "sale", &a.sales, record.ByNumber)
	unique(a, "I43", "sale", &a.sales, record.ByExternalID)
	unique(a, "I43", "sale", &a.sales, record.ByInvoice)
}

func (a *audit) verifySale(r *record.Sale) {
	name := numbered("sale", r.Number)
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I36", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	a.refers("I29", "sale", r.ID, "link", r.LinkID, a.links.has(r.LinkID))
	a.owned(name, r.LinkID, r.AffiliateID)
	a.refers("I37", "sale", r.ID, "referral", r.ReferralID, a.referrals.has(r.ReferralID))
	if r.TotalEarned.Sign() < 0 || !freeAsStored(r) || r.Tax.Sign() < 0 || r.Shipping.Sign() < 0 {
		a.breach("I44", name, "total %v, tax %v, shipping %v", r.TotalEarned, r.Tax, r.Shipping)
	} else if r.Tax.Scaled() > r.TotalEarned.Scaled()-r.Shipping.Scaled() {
		a.breach("I44", name, "tax %v and shipping %v are above the total %v", r.Tax, r.Shipping, r.TotalEarned)
	}
	net := minus(minus(fraction(r.TotalEarned), fraction(r.Tax)), fraction(r.Shipping))
	if basket, told := r.Subtotal.Get(); told && (basket.Sign() <= 0 || fraction(basket).Cmp(net) < 0) {
		a.breach("I44", name, "subtotal %v of total %v, tax %v, shipping %v", r.Subtotal, r.TotalEarned, r.Tax, r.Shipping)
	}
	a.verifyHoldDays(name, r.HoldDays)
	listed(a, name, "status", r.Status.Value(), affiliate.SaleActive, affiliate.SaleRefunded)
	a.instants("sale", r.ID, r.CreatedAt, r.UpdatedAt)
}

// freeAsStored reports whether a sale is marked free exactly when its total is 0, and
// then has a basket and no commission.
func freeAsStored(r *record.Sale) bool {
	basket, _ := r.Subtotal.Get()
	nothing := r.TotalEarned.Sign() == 0
	return r.Free == nothing && (!nothing || basket.Sign() > 0 && len(r.Commissions) == 0)
}

// verifyRefunds checks that refunds add up, and what the full refund leaves.
func (a *audit) verifyRefunds(r *record.Sale) {
	name := numbered("sale", r.Number)
	sum, ids := affiliate.Amount{}, map[string]bool{}
	for _, refund := range r.Refunds {
		total, err := sum.Add(refund.Amount)
		if err != nil || refund.Amount.Sign() < 0 && !refund.Fact || refund.Amount.IsZero() && !r.Free || ids[refund.ID] {
			a.breach("I41", name, "refund %q of %v is not positive, or counted twice", refund.ID, refund.Amount)
		}
		if total.Sign() < 0 {
			a.breach("I41", name, "with refund %q more came back than was refunded", refund.ID)
		}
		tax, shipping := refund.Tax.Or(affiliate.Amount{}), refund.Shipping.Or(affiliate.Amount{})
		over := tax.Sign() < 0 || shipping.Sign() < 0 || plus(fraction(tax), fraction(shipping)).Cmp(fraction(refund.Amount)) > 0
		if !refund.Fact && over || refund.Tax.IsZero() != refund.Shipping.IsZero() {
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
		full = r.Status.Is(affiliate.SaleRefunded)
	}
	if full != r.Status.Is(affiliate.SaleRefunded) || full != r.DeletedFired || full == r.RefundedAt.IsZero() {
		a.breach("I41", name, "refunded %v of %v, status %s, refundedAt %v", r.Refunded, r.TotalEarned, r.Status, r.RefundedAt)
	}
	if earned := entriesOf(r); full && earned.Sign() != 0 {
		a.breach("I41", name, "nothing is kept of it, but it earns %s", figure(earned))
	}
}

// verifyCommissions checks the commissions of a sale. Those in a payout are
// checked together with the payout.
func (a *audit) verifyCommissions(r *record.Sale) {
	for i := range r.Commissions {
		a.verifyCommission(r, i)
	}
	if len(r.Commissions) == 0 {
		return
	}
	name := numbered("sale", r.Number)
	sum := entriesOf(r)
	agrees := func(d deducting) bool { return nearest(d.earns(r), a.Cfg.Currency).Cmp(sum) == 0 }
	if !slices.ContainsFunc(deductings(r), agrees) {
		a.breach("I40", name, "its commissions earn %s, which its rate does not give", figure(sum))
	}
	if _, hand := r.ByHand.Get(); hand {
		return
	}
	a.verifyRate(name, r.Rate, r.RateType.Value())
	if most := minus(fraction(r.TotalEarned), fraction(r.Refunded)); !r.RateType.Is(affiliate.CommissionFlat) && sum.Cmp(nearest(most, a.Cfg.Currency)) > 0 {
		a.breach("I40", name, "its commissions earn %s, above their base of at most %s", figure(sum), figure(most))
	}
}

// verifyCommission checks one commission of a sale by itself. A further or a negative
// commission is allowed only next to one that a payout took.
func (a *audit) verifyCommission(r *record.Sale, i int) {
	c, name := &r.Commissions[i], numbered("sale", r.Number)
	if c.ClawBack != (i > 0) || c.ClawBack && !engine.SaleFrozen(r) || !c.ClawBack && c.Earned.Sign() < 0 {
		a.breach("I40", name, "commission %d earns %v, number %d of the sale", c.Number, c.Earned, i+1)
	}
	if c.AffiliateID != r.AffiliateID {
		a.breach("I40", name, "commission %d is of affiliate %s, the sale of %s", c.Number, c.AffiliateID, r.AffiliateID)
	}
	if !a.affiliates.has(c.AffiliateID) {
		a.breach("I36", name, "the affiliate %s of commission %d does not exist", c.AffiliateID, c.Number)
	}
	listed(a, name, "approvalStatus", c.Approval.Value(), approvalStatuses...)
	if c.Approval.Is(affiliate.ApprovalAccepted) != c.HoldReason.Is("") {
		a.breach("I81", name, "commission %d is %s for the reason %q", c.Number, c.Approval, c.HoldReason)
	}
	if c.PayoutID != uuid.Nil && !c.Approval.Is(affiliate.ApprovalAccepted) {
		a.breach("I42", name, "commission %d is %s, and in payout %s", c.Number, c.Approval, c.PayoutID)
	}
	a.instants("sale", r.ID, c.CreatedAt, c.UpdatedAt)
}
