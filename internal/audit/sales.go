package audit

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
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
		a.breach("I44", name, "subtotal %v of total %v, tax %v, shipping %v", r.Subtotal,
			r.TotalEarned, r.Tax, r.Shipping)
	}
	if len(r.Lines) > 0 {
		a.verifyLines(name, r)
	}
	a.verifyDraws(name, r)
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
		return !r.Free && !r.Past && !rated && r.TotalEarned.IsZero() && r.Subtotal.IsZero() &&
			r.Why.Payment == 0 && len(r.Commissions) > 0
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
		if err != nil || refund.Amount.Sign() < 0 && !refund.Fact || refund.Amount.IsZero() &&
			r.TotalEarned.Sign() > 0 || ids[refund.ID] {
			a.breach("I41", name, "refund %q of %v is not positive, or counted twice", refund.ID, refund.Amount)
		}
		if total.Sign() < 0 {
			a.breach("I41", name, "with refund %q more came back than was refunded", refund.ID)
		}
		tax, shipping := refund.Tax.Or(affiliate.Amount{}), refund.Shipping.Or(affiliate.Amount{})
		over := tax.Sign() < 0 || shipping.Sign() < 0 ||
			plus(fraction(tax), fraction(shipping)).Cmp(fraction(refund.Amount)) > 0
		if !refund.Fact && over || refund.Tax.IsZero() != refund.Shipping.IsZero() {
			a.breach("I41", name, "refund %q of %v has %v of tax and %v of shipping", refund.ID,
				refund.Amount, refund.Tax, refund.Shipping)
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
		a.breach("I41", name, "refunded %v of %v, status %s, refundedAt %v", r.Refunded,
			r.TotalEarned, r.Status, r.RefundedAt)
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
	agrees := func(d deduction) bool { return capped(r, nearest(d.earns(r), a.Cfg.Currency)).Cmp(sum) == 0 }
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
		a.breach("I40", name, "commission %d is of affiliate %s, the sale of %s", c.Number,
			c.AffiliateID, r.AffiliateID)
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
	a.given(inSales, saleNumbers,
		a.keyed(a.sales.kind, record.Key{Index: record.ByNumber, ID: record.NumberID(r.Number)}),
		r.Number)
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
	a.siftDraws(r, commission)
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

// The lines of sales and the rules that decide about them, a second time and in fractions.
// Only sales with lines pay for it. Source: docs/terms.md.

// ruled reports whether a rule decides about a line of the sale.
func ruled(r *record.Sale) bool {
	return slices.ContainsFunc(r.Lines,
		func(l affiliate.StoredLine) bool { return l.Rule != "" || l.Pay != affiliate.RulePay{} })
}

// paysAmounts reports whether a rule of the sale pays more than a part of its base may be.
func paysAmounts(r *record.Sale) bool {
	return slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool {
		return l.Pay.Type == affiliate.RuleFlat || l.Pay.Type == affiliate.RuleUnit
	})
}

// verifyLines checks the lines of a sale: each by itself, and that they add up.
func (a *audit) verifyLines(name object, r *record.Sale) {
	sum, pays := new(big.Rat), map[string]affiliate.RulePay{}
	for i := range r.Lines {
		l := &r.Lines[i]
		sum = plus(sum, fraction(l.Amount))
		off := plus(fraction(l.Discount), fraction(l.CodeDiscount))
		if l.Quantity.Sign() <= 0 || l.Discount.Sign() < 0 || l.CodeDiscount.Sign() < 0 ||
			off.Cmp(fraction(l.Amount)) > 0 || len(l.Categories) > refusal.MaxCategories {
			a.breach("I44", name,
				"line %d: %v pieces for %v, discount %v, by the code %v, in %d categories", i,
				l.Quantity, l.Amount, l.Discount, l.CodeDiscount, len(l.Categories))
		}
		if l.CodeDiscount.Sign() > 0 && r.CodeID == uuid.Nil && !r.Offer {
			a.breach("I44", name, "line %d: %v off by a code that it has not", i, l.CodeDiscount)
		}
		if l.ID != "" && slices.ContainsFunc(r.Lines[:i], func(q affiliate.StoredLine) bool { return q.ID == l.ID }) {
			a.breach("I44", name, "two of its lines are %q", l.ID)
		}
		if was, known := pays[l.Rule]; known && was != l.Pay {
			a.breach("I40", name, "line %d: the rule %q pays %s %v, and %s %v", i, l.Rule, was.Type,
				was.Rate, l.Pay.Type, l.Pay.Rate)
		}
		pays[l.Rule] = l.Pay
		a.verifyPay(name, i, r)
	}
	if whole := r.Lines[0].Whole; whole && (len(r.Lines) > 1 || sum.Sign() != 0) {
		a.breach("I44", name, "it was sent without lines, and has %d of %s", len(r.Lines), figure(sum))
	} else if basket, _ := r.Subtotal.Get(); !whole && fraction(basket).Cmp(sum) != 0 || len(r.Lines) > refusal.MaxLines {
		a.breach("I44", name, "its %d lines add up to %s, its subtotal is %v", len(r.Lines), figure(sum), r.Subtotal)
	}
	if len(r.Commissions) == 0 && ruled(r) {
		a.breach("I40", name, "rules decide about it, but it has no commission")
	}
}

// verifyPay checks what the rule of a line pays: nothing without a rule, and beside the
// sale's own rate only a rule that pays nothing decides.
func (a *audit) verifyPay(name object, i int, r *record.Sale) {
	l := &r.Lines[i]
	rate, ok := l.Pay.Rate, false
	switch l.Pay.Type {
	case "":
		ok = l.Rule == "" && rate.Sign() == 0
	case affiliate.RuleNone:
		ok = l.Rule != "" && rate.Sign() == 0
	case affiliate.RulePercentage:
		ok = l.Rule != "" && !r.RateFixed && engine.CheckRate(rate, affiliate.CommissionPercentage) == nil
	case affiliate.RuleFlat, affiliate.RuleUnit:
		ok = l.Rule != "" && !r.RateFixed && engine.CheckRate(rate, affiliate.CommissionFlat) == nil
	}
	if !ok {
		a.breach("I40", name, "line %d: the rule %q cannot pay %s %v", i, l.Rule, l.Pay.Type, rate)
	}
}

// verifyLineRefunds checks that refunds took from each line at most what it brought, and
// from all of them at most what they named besides tax and shipping.
func (a *audit) verifyLineRefunds(name object, r *record.Sale) {
	sum, left := new(big.Rat), remainderOf(r)
	fits := func(d deduction) bool {
		bases := d.lineBases(r)
		for i := range r.Lines {
			if refunded := fraction(r.Lines[i].Refunded); refunded.Sign() < 0 || refunded.Cmp(bases[i]) > 0 {
				return refunded.Sign() == 0
			}
		}
		return true
	}
	for i := range r.Lines {
		sum = plus(sum, fraction(r.Lines[i].Refunded))
	}
	if sum.Sign() == 0 &&
		!slices.ContainsFunc(r.Lines,
			func(l affiliate.StoredLine) bool { return l.Refunded.Sign() < 0 }) {
		return
	}
	if goods := minus(minus(left.named, left.tax), left.shipping); sum.Cmp(goods) > 0 {
		a.breach("I41", name, "refunds named %s of its lines, and %s in all", figure(sum), figure(goods))
	}
	if !slices.ContainsFunc(deductings(r), fits) {
		a.breach("I41", name, "refunds took more from a line than it brought")
	}
}

// shared shares out a sum by weights in parts of 1/10,000. What is left over after cutting
// goes to those that lost most by it, the earlier ones first.
func shared(sum *big.Rat, weights []*big.Rat) []*big.Rat {
	all, over, least := new(big.Rat), sum, big.NewRat(1, decimal.Scale)
	for _, w := range weights {
		all = plus(all, w)
	}
	parts, cut, order := make([]*big.Rat, len(weights)), make([]*big.Rat, len(weights)), make([]int, len(weights))
	for i, w := range weights {
		exact := times(sum, per(w, all))
		scaled := times(exact, big.NewRat(decimal.Scale, 1))
		parts[i] = times(least, new(big.Rat).SetInt(new(big.Int).Div(scaled.Num(), scaled.Denom())))
		cut[i], over, order[i] = minus(exact, parts[i]), minus(over, parts[i]), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cut[j].Cmp(cut[i]) })
	for _, i := range order {
		if over.Sign() <= 0 {
			break
		}
		parts[i], over = plus(parts[i], least), minus(over, least)
	}
	return parts
}

// lineBases returns the parts of the lines in the base of a sale: by what all discounts left
// of them, else by their amounts, else the first has it all.
func (d deduction) lineBases(r *record.Sale) []*big.Rat {
	base := d.base(r, remainder{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)})
	nets, amounts, first := make([]*big.Rat, len(r.Lines)), make([]*big.Rat, len(r.Lines)),
		make([]*big.Rat, len(r.Lines))
	for i := range r.Lines {
		l := &r.Lines[i]
		amounts[i], first[i] = fraction(l.Amount), new(big.Rat)
		nets[i] = minus(minus(amounts[i], fraction(l.Discount)), fraction(l.CodeDiscount))
	}
	first[0] = base
	for _, weights := range [][]*big.Rat{nets, amounts} {
		if slices.ContainsFunc(weights, func(w *big.Rat) bool { return w.Sign() != 0 }) {
			return shared(base, weights)
		}
	}
	return first
}

// ofLines returns what the lines of a sale earn: left is what is kept of its base, kept of
// its total.
func (d deduction) ofLines(r *record.Sale, left, kept *big.Rat) *big.Rat {
	bases, open, all := d.lineBases(r), make([]*big.Rat, len(r.Lines)), new(big.Rat)
	for i := range r.Lines { // what other refunds took is shared by what these left
		if open[i] = minus(bases[i], fraction(r.Lines[i].Refunded)); open[i].Sign() < 0 {
			open[i] = new(big.Rat)
		}
		all = plus(all, open[i])
	}
	rate, _ := r.Rate.Get()
	ofSale := affiliate.RulePay{Type: cmp.Or(affiliate.RuleType(r.RateType.Value()),
		affiliate.RulePercentage), Rate: rate}
	// of returns the part of an amount that the lines of a rule keep of their bases, from the first line.
	of := func(amount *big.Rat, from int, one bool) *big.Rat {
		had, has := new(big.Rat), new(big.Rat)
		for i := from; i < len(r.Lines) && (!one || i == from); i++ {
			if r.Lines[i].Rule == r.Lines[from].Rule {
				had, has = plus(had, bases[i]), plus(has, times(left, per(open[i], all)))
			}
		}
		if had.Sign() == 0 {
			return times(amount, per(kept, fraction(r.TotalEarned)))
		}
		return times(amount, per(has, had))
	}
	earned, flat := new(big.Rat), map[string]bool{}
	for i := range r.Lines {
		l := &r.Lines[i]
		pay := l.Pay
		if l.Rule == "" {
			pay = ofSale
		}
		amount := big.NewRat(pay.Rate.Scaled(), decimal.Scale)
		switch {
		case pay.Type == affiliate.RulePercentage:
			earned = plus(earned, inProgram(r, times(times(left, per(open[i], all)), per(amount, big.NewRat(100, 1)))))
		case pay.Type == affiliate.RuleUnit:
			earned = plus(earned, of(times(amount, fraction(l.Quantity)), i, true))
		case pay.Type == affiliate.RuleFlat && !flat[l.Rule]:
			earned, flat[l.Rule] = plus(earned, of(amount, i, false)), true
		}
	}
	return earned
}

// ofConversion returns what a conversion earns: all that its rule pays, until it is refunded.
func ofConversion(r *record.Sale) *big.Rat {
	hand, byHand := r.ByHand.Get()
	switch {
	case r.Status.Is(affiliate.SaleRefunded):
		return new(big.Rat)
	case byHand:
		return fraction(hand.Earned)
	case len(r.Lines) == 1 && r.Lines[0].Pay.Type == affiliate.RuleFlat:
		return big.NewRat(r.Lines[0].Pay.Rate.Scaled(), decimal.Scale)
	}
	return new(big.Rat)
}

// capped returns what a sale earns, at most its cap and what budgets left it. What a person set
// has none.
func capped(r *record.Sale, earned *big.Rat) *big.Rat {
	if _, hand := r.ByHand.Get(); hand {
		return earned
	}
	if limit, ok := r.Cap.Get(); ok {
		earned = least(earned, fraction(limit))
	}
	for i := range r.Budgets {
		if most, cut := r.Budgets[i].Most.Get(); cut {
			earned = least(earned, fraction(most))
		}
	}
	return earned
}

// verifyRules checks the rules of a plan: they are as the program stores them.
func (a *audit) verifyRules(name object, t *affiliate.Terms) {
	if t.MaxPerSale.Sign() < 0 || t.MaxPerCustomer.Sign() < 0 {
		a.breach("I40", name, "its caps are %v a sale, %v a customer", t.MaxPerSale, t.MaxPerCustomer)
	}
	if len(t.Rules) == 0 && t.MonthsFrom == "" && len(t.Budgets) == 0 && len(t.Bonuses) == 0 {
		return
	}
	terms := t.Clone()
	terms.MaxPayments, terms.MaxMonths, terms.HoldDays = 0, 0, 0 // these and the rate are checked by themselves
	terms.Type, terms.Rate, terms.MaxPerSale, terms.MaxPerCustomer = "", affiliate.Percent{},
		affiliate.Amount{}, affiliate.Amount{}
	want := terms.Clone()
	if err := engine.NormalizeTerms(&terms); err != nil {
		a.breach("I40", name, "its rules, budgets or bonuses are not valid: %v", err)
	} else if terms.Type = ""; !engine.Same(record.Plan{Terms: want}, record.Plan{Terms: terms}) {
		a.breach("I40", name, "its rules, budgets or bonuses are not as they are stored")
	}
}

// clickKey is the key of the number of a click.
func (a *audit) clickKey(n int64) print {
	return a.keyed(a.clicks.kind, record.Key{Index: record.ByNumber, ID: record.NumberID(n)})
}

// clickNumbers returns the clicks by their numbers.
func (a *audit) clickNumbers() map[int64]*record.Click {
	clicks := map[int64]*record.Click{}
	for r := range a.clicks.records() {
		if a.picks(a.clickKey(r.Number)) {
			kept := *r
			clicks[r.Number] = &kept
		}
	}
	return clicks
}

// verifyClicked checks the click of a sale, if it was picked and is there.
func (a *audit) verifyClicked(r *record.Sale, clicks map[int64]*record.Click) {
	n := r.Why.Click
	if !a.picks(a.clickKey(n)) {
		return
	}
	if click := clicks[n]; click != nil && (click.CreatedAt.After(r.CreatedAt) || click.AffiliateID != r.AffiliateID) {
		a.breach("I74", numbered("sale", r.Number), "its click %d is of affiliate %s and %v", n,
			click.AffiliateID, click.CreatedAt)
	}
}

// needsCode reports whether only a sale with a code is credited so; takesCode, whether a
// sale with a code may be; takesClick, whether a click may have credited it.
func needsCode(by affiliate.CreditedBy) bool {
	return by == affiliate.CreditCode || by == affiliate.CreditBrought
}

func takesCode(by affiliate.CreditedBy) bool {
	return needsCode(by) || by == affiliate.CreditAffiliate || by == affiliate.CreditCustomer
}

func takesClick(by affiliate.CreditedBy) bool {
	return by == affiliate.CreditClick || by == affiliate.CreditFirstClick || by == affiliate.CreditBrought
}

// verifyWhy checks what a sale says about its origin, its terms and its
// commission. Sales older than these fields pass.
func (a *audit) verifyWhy(r *record.Sale) {
	w, name := &r.Why, numbered("sale", r.Number)
	if w.By.Is("") {
		return
	}
	code := r.CodeID != uuid.Nil
	if needsCode(w.By.Value()) && !code || code && !takesCode(w.By.Value()) || w.Click != 0 &&
		!takesClick(w.By.Value()) {
		a.breach("I70", name, "it is credited by %s, with code %s and click %d", w.By, r.CodeID, w.Click)
	}
	for i, one := range r.Candidates {
		same := func(c record.Candidate) bool { return c.By == one.By }
		if one.AffiliateID == uuid.Nil || slices.ContainsFunc(r.Candidates[:i], same) || one.By.Is(affiliate.CreditEmail) ||
			one.By.Is(affiliate.CreditBrought) || one.By.Is(affiliate.CreditUnknown) || one.By.Is("") {
			a.breach("I70", name, "it could have credited %s by %s", one.AffiliateID, one.By)
		}
	}
	if n := len(r.Candidates); n > 0 && !slices.ContainsFunc(r.Candidates,
		func(c record.Candidate) bool { return c.AffiliateID != r.Candidates[0].AffiliateID }) {
		a.breach("I70", name, "it could have credited one affiliate only, in %d ways", n)
	}
	plan, tier := w.PlanID != uuid.Nil, w.TierID != uuid.Nil
	if plan == w.PlanFrom.Is(affiliate.PlanOfProgram) ||
		tier != w.RateFrom.Is(affiliate.RateOfTier) ||
		r.RateFixed != w.RateFrom.Is(affiliate.RateOfSale) ||
		w.RateFrom.Is(affiliate.RateOfPlan) && !plan || w.RateFrom.Is(affiliate.RateOfProgram) &&
		plan || !slices.Contains(rateSources, w.RateFrom.Value()) {
		a.breach("I70", name, "its rate is from %s, its plan %s from %s, its tier %s", w.RateFrom,
			w.PlanID, w.PlanFrom, w.TierID)
	}
	if len(r.Commissions) == 0 && w.Over.Is("") && !r.Free {
		a.breach("I70", name, "it has no commission, and no reason for that")
	}
}

// siftOrigin notes the click that a sale names.
func (a *audit) siftOrigin(r *record.Sale) {
	if r.Why.Click == 0 {
		return
	}
	k := a.clickKey(r.Why.Click)
	if !a.here(k) {
		return
	}
	fact := k.num(isClicked).id(r.AffiliateID)
	first, pair := a.learn(k, k.num(isClicked)), a.learn(k, fact)
	if a.full {
		return
	}
	if !first && pair {
		a.pick(inSales, k) // of another affiliate
	}
	at := r.CreatedAt.Time().UnixMicro()
	if sold := a.value(fact); pair || at < *sold {
		*sold = at
	}
}
