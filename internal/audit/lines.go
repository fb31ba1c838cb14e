package audit

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The lines of sales and the rules that decide about them, a second time and in fractions.
// Only sales with lines pay for it. Source: docs/terms.md.

// ruled reports whether a rule decides about a line of the sale.
func ruled(r *record.Sale) bool {
	return slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool { return l.Rule != "" || l.Pay != affiliate.RulePay{} })
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
		if l.Quantity.Sign() <= 0 || l.Discount.Sign() < 0 || l.CodeDiscount.Sign() < 0 || off.Cmp(fraction(l.Amount)) > 0 || len(l.Categories) > refusal.MaxCategories {
			a.breach("I44", name, "line %d: %v pieces for %v, discount %v, by the code %v, in %d categories", i, l.Quantity, l.Amount, l.Discount, l.CodeDiscount, len(l.Categories))
		}
		if l.CodeDiscount.Sign() > 0 && r.CodeID == uuid.Nil && !r.Offer {
			a.breach("I44", name, "line %d: %v off by a code that it has not", i, l.CodeDiscount)
		}
		if l.ID != "" && slices.ContainsFunc(r.Lines[:i], func(q affiliate.StoredLine) bool { return q.ID == l.ID }) {
			a.breach("I44", name, "two of its lines are %q", l.ID)
		}
		if was, known := pays[l.Rule]; known && was != l.Pay {
			a.breach("I40", name, "line %d: the rule %q pays %s %v, and %s %v", i, l.Rule, was.Type, was.Rate, l.Pay.Type, l.Pay.Rate)
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
	fits := func(d deducting) bool {
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
	if sum.Sign() == 0 && !slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool { return l.Refunded.Sign() < 0 }) {
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
func (d deducting) lineBases(r *record.Sale) []*big.Rat {
	base := d.base(r, remainder{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)})
	nets, amounts, first := make([]*big.Rat, len(r.Lines)), make([]*big.Rat, len(r.Lines)), make([]*big.Rat, len(r.Lines))
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
func (d deducting) ofLines(r *record.Sale, left, kept *big.Rat) *big.Rat {
	bases, open, all := d.lineBases(r), make([]*big.Rat, len(r.Lines)), new(big.Rat)
	for i := range r.Lines { // what other refunds took is shared by what these left
		if open[i] = minus(bases[i], fraction(r.Lines[i].Refunded)); open[i].Sign() < 0 {
			open[i] = new(big.Rat)
		}
		all = plus(all, open[i])
	}
	rate, _ := r.Rate.Get()
	ofSale := affiliate.RulePay{Type: cmp.Or(affiliate.RuleType(r.RateType.Value()), affiliate.RulePercentage), Rate: rate}
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

// capped returns what a sale earns, at most its cap. What a person set has none.
func capped(r *record.Sale, earned *big.Rat) *big.Rat {
	limit, ok := r.Cap.Get()
	if _, hand := r.ByHand.Get(); !ok || hand {
		return earned
	}
	return least(earned, fraction(limit))
}

// verifyRules checks the rules of a plan: they are as the program stores them.
func (a *audit) verifyRules(name object, t *affiliate.Terms) {
	if t.MaxPerSale.Sign() < 0 || t.MaxPerCustomer.Sign() < 0 {
		a.breach("I40", name, "its caps are %v a sale, %v a customer", t.MaxPerSale, t.MaxPerCustomer)
	}
	if len(t.Rules) == 0 && t.MonthsFrom == "" {
		return
	}
	terms := t.Clone()
	terms.MaxPayments, terms.MaxMonths, terms.HoldDays = 0, 0, 0 // these and the rate are checked by themselves
	terms.Type, terms.Rate, terms.MaxPerSale, terms.MaxPerCustomer = "", affiliate.Percent{}, affiliate.Amount{}, affiliate.Amount{}
	want := terms.Clone()
	if err := engine.NormalizeTerms(&terms); err != nil {
		a.breach("I40", name, "its rules are not valid: %v", err)
	} else if terms.Type = ""; !engine.Same(record.Plan{Terms: want}, record.Plan{Terms: terms}) {
		a.breach("I40", name, "its rules are not as they are stored")
	}
}
