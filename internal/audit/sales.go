package audit

import (
	"math"
	"math/big"
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
		if a.mine(r.ID) {
			a.verifyRefunds(r)
		}
		a.verifyCommissions(r)
		a.verifyClicked(r, clicks)
		if a.mine(r.ID) {
			a.verifyWhy(r)
			a.verifySaleTerms(r)
		}
	}
	unique(a, "I53", "sale", &a.sales, record.ByNumber)
	unique(a, "I43", "sale", &a.sales, record.ByExternalID)
	unique(a, "I43", "sale", &a.sales, record.ByInvoice)
	unique(a, "I43", "sale", &a.sales, record.ByConversion)
}

func (a *audit) verifySale(r *record.Sale) {
	name := numbered("sale", r.Number)
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I36", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	refers(a, "I29", "sale", r.ID, "link", r.LinkID, &a.links)
	a.owned(name, r.LinkID, r.AffiliateID)
	refers(a, "I37", "sale", r.ID, "referral", r.ReferralID, &a.referrals)
	a.early(0, func() {
		a.verifyHidden(r.ReferralID, "sale", r.ID, func() bool { return !engine.Same(*r, engine.BlankedSale(*r)) })
	})
	if !a.own(r.ID) {
		return
	}
	a.verifyCharged(name, r)
	a.verifyHoldDays(name, int64(r.HoldDays))
	listed(a, name, "status", r.Status.Value(), affiliate.SaleActive, affiliate.SaleRefunded)
	a.instants("sale", r.ID, r.CreatedAt, r.UpdatedAt)
	r, _ = a.chargedAs(r)
	if r.TotalEarned.Sign() < 0 || !freeAsStored(r) || r.Tax.Sign() < 0 || r.Shipping.Sign() < 0 {
		a.breach("I44", name, "total %v, tax %v, shipping %v", r.TotalEarned, r.Tax, r.Shipping)
	} else if r.Tax.Scaled() > r.TotalEarned.Scaled()-r.Shipping.Scaled() {
		a.breach("I44", name, "tax %v and shipping %v are above the total %v", r.Tax, r.Shipping, r.TotalEarned)
	}
	net := func() *big.Rat { return minus(minus(fraction(r.TotalEarned), fraction(r.Tax)), fraction(r.Shipping)) }
	if basket, told := r.Subtotal.Get(); told && (basket.Sign() <= 0 || fraction(basket).Cmp(net()) < 0) {
		a.breach("I44", name, "subtotal %v of total %v, tax %v, shipping %v", r.Subtotal, r.TotalEarned, r.Tax, r.Shipping)
	}
	if len(r.Lines) > 0 {
		a.verifyLines(name, r)
	}
	if limit, ok := r.Cap.Get(); ok && (limit.Sign() < 0 || r.RateFixed) {
		a.breach("I40", name, "it may earn at most %v, and its rate is given for it alone: %v", limit, r.RateFixed)
	}
}

// freeAsStored reports whether a sale is marked free exactly when its total is 0, and
// then has a basket and no commission. A conversion has neither total, basket nor rate, and
// a commission.
func freeAsStored(r *record.Sale) bool {
	if r.Conversion != "" {
		_, rated := r.Rate.Get()
		return !r.Free && !r.Past && !rated && r.TotalEarned.IsZero() && r.Subtotal.IsZero() && r.Why.Payment == 0 && len(r.Commissions) > 0
	}
	basket, _ := r.Subtotal.Get()
	nothing := r.TotalEarned.Sign() == 0
	return r.Free == nothing && (!nothing || basket.Sign() > 0 && len(r.Commissions) == 0)
}

// verifyRefunds checks that refunds add up, and what the full refund leaves.
func (a *audit) verifyRefunds(r *record.Sale) {
	name := numbered("sale", r.Number)
	r, _ = a.chargedAs(r)
	sum, ids := affiliate.Amount{}, map[string]bool(nil)
	if len(r.Refunds) > 0 {
		ids = map[string]bool{}
	}
	for _, refund := range r.Refunds {
		total, err := sum.Add(refund.Amount)
		if err != nil || refund.Amount.Sign() < 0 && !refund.Fact || refund.Amount.IsZero() && r.TotalEarned.Sign() > 0 || ids[refund.ID] {
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
	if len(r.Lines) > 0 {
		a.verifyLineRefunds(name, r)
	}
	full := r.Refunded == r.TotalEarned
	if r.Free || r.Conversion != "" { // of nothing, nothing is left
		full = r.Status.Is(affiliate.SaleRefunded)
	}
	if full != r.Status.Is(affiliate.SaleRefunded) || full != r.DeletedFired || full == r.RefundedAt.IsZero() {
		a.breach("I41", name, "refunded %v of %v, status %s, refundedAt %v", r.Refunded, r.TotalEarned, r.Status, r.RefundedAt)
	}
	if !full {
		return
	}
	if earned := entriesOf(r); earned.Sign() != 0 {
		a.breach("I41", name, "nothing is kept of it, but it earns %s", figure(earned))
	}
}

// verifyCommissions checks the commissions of a sale. Those in a payout are
// checked together with the payout.
func (a *audit) verifyCommissions(r *record.Sale) {
	for i := range r.Commissions {
		a.verifyCommission(r, i)
	}
	if len(r.Commissions) == 0 || !a.own(r.ID) {
		return
	}
	name := numbered("sale", r.Number)
	if earnsPlainly(r, a.Cfg.Currency) {
		a.verifyRate(name, r.Rate, r.RateType.Value())
		return
	}
	sum := entriesOf(r)
	r, _ = a.chargedAs(r)
	agrees := func(d deducting) bool { return capped(r, nearest(d.earns(r), a.Cfg.Currency)).Cmp(sum) == 0 }
	if !slices.ContainsFunc(deductings(r), agrees) {
		a.breach("I40", name, "its commissions earn %s, which its rate does not give", figure(sum))
	}
	if _, hand := r.ByHand.Get(); hand {
		return
	}
	a.verifyRate(name, r.Rate, r.RateType.Value())
	if most := inProgram(r, minus(fraction(r.TotalEarned), fraction(r.Refunded))); !r.RateType.Is(affiliate.CommissionFlat) && !paysAmounts(r) && sum.Cmp(nearest(most, a.Cfg.Currency)) > 0 {
		a.breach("I40", name, "its commissions earn %s, above their base of at most %s", figure(sum), figure(most))
	}
}

// verifyCommission checks one commission of a sale by itself. A further or a negative
// commission is allowed only next to one that a payout took.
func (a *audit) verifyCommission(r *record.Sale, i int) {
	c, name, own := &r.Commissions[i], numbered("sale", r.Number), a.own(r.ID)
	if own && (c.ClawBack != (i > 0) || c.ClawBack && !engine.SaleFrozen(r) || !c.ClawBack && c.Earned.Sign() < 0) {
		a.breach("I40", name, "commission %d earns %v, number %d of the sale", c.Number, c.Earned, i+1)
	}
	if own && c.AffiliateID != r.AffiliateID {
		a.breach("I40", name, "commission %d is of affiliate %s, the sale of %s", c.Number, c.AffiliateID, r.AffiliateID)
	}
	if a.affiliates.lacks(c.AffiliateID) {
		a.breach("I36", name, "the affiliate %s of commission %d does not exist", c.AffiliateID, c.Number)
	}
	if !own {
		return
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

func (a *audit) siftSale(r *record.Sale) {
	k, number := a.key(r.ID), a.key(record.NumberID(r.Number))
	a.about(inSales, k)
	a.verifySale(r)
	a.verifyRefunds(r)
	a.verifyCommissions(r)
	a.verifyWhy(r)
	a.verifySaleTerms(r)
	a.given(inSales, saleNumbers, a.keyed(a.sales.kind, record.Key{Index: record.ByNumber, ID: record.NumberID(r.Number)}), r.Number)
	siftKeys(a, inSales, &a.sales, r)
	a.siftOrigin(r)
	a.siftImported(r.ID, record.ImportedAsSale)
	a.siftLive("sale", liveObject{id: r.ID, revision: r.Revision, ended: r.DeletedFired})
	if (r.CodeID != uuid.Nil || r.Offer) && r.Conversion == "" {
		a.add(inCodes, number, number.num(isByCode).id(r.CodeID), -1)
		if r.Offer && r.CodeID != uuid.Nil {
			a.pick(inCodes, number)
		}
		if !r.Status.Is(affiliate.SaleRefunded) && a.knows(number, number.num(isGivenBack)) {
			a.pick(inCodes, number)
		}
	}
	if charged, _ := a.chargedAs(r); !refundedByHost(charged) {
		a.pick(inPayments, k)
	}
	a.siftCommissions(r)
	if brought := a.knows(k, k.num(isBrought)); brought {
		a.siftBrought(r)
	} else {
		a.siftBooked(r, number)
	}
	owner := a.key(r.AffiliateID)
	a.add(inMovements, owner, owner.num(isCounted).num(countedAs(r)), -1)
	if r.Status.Is(affiliate.SaleRefunded) {
		return
	}
	var commission int64
	for i := range r.Commissions {
		if c := &r.Commissions[i]; !c.Approval.Is(affiliate.ApprovalDeclined) {
			commission += a.bounded(c.Earned)
		}
	}
	for i, id := range [...]uuid.UUID{r.AffiliateID, r.LinkID, r.ReferralID} {
		if id == uuid.Nil || i > 0 && id == r.AffiliateID || i > 1 && id == r.LinkID {
			continue
		}
		o := a.key(id).num(isTotal)
		k := a.key(id)
		a.add(inTotals, k, o.num(countedAs(r)), 1)
		if r.Free || r.Past {
			a.add(inTotals, k, o.num(ofFree), 1)
		}
		a.add(inTotals, k, o.num(ofRevenue), a.bounded(r.TotalEarned)-a.bounded(r.Refunded))
		a.add(inTotals, k, o.num(ofCommission), commission)
	}
}

// bounded returns an amount for a sum of a few. Amounts that are too large for it are
// looked at more closely, like all sums that may overflow.
func (a *audit) bounded(x affiliate.Amount) int64 {
	if n := x.Scaled(); n > -1<<56 && n < 1<<56 {
		return n
	}
	a.moved = math.MaxInt64
	return 0
}

// siftCommissions compares the commissions of a sale with payouts and with the books.
func (a *audit) siftCommissions(r *record.Sale) {
	for i := range r.Commissions {
		c := &r.Commissions[i]
		e := entryKey{number: c.Number}
		a.given(inPayouts, commissionNumbers, a.keyOf(e), c.Number)
		switch {
		case c.PayoutID != uuid.Nil:
			a.entry(c.PayoutID, e, c.AffiliateID, r.Number, c.Earned)
		case engine.CommissionFrozen(c):
			a.pick(inPayouts, a.keyOf(e)) // a payout that was canceled lists it
		}
		switch {
		case c.Approval.Is(affiliate.ApprovalOnHold):
			a.account(c.AffiliateID, affiliate.AccountHeld, c.Earned)
		case c.Approval.Is(affiliate.ApprovalAccepted) && c.PayoutID == uuid.Nil:
			a.account(c.AffiliateID, affiliate.AccountPayable, c.Earned)
		}
	}
}
