package audit

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
)

// The lists of values, so that a check of a record copies none.
var (
	allAccounts          = affiliate.Accounts()
	affiliateStatuses    = affiliate.AffiliateStatuses()
	approvalStatuses     = affiliate.ApprovalStatuses()
	causes               = affiliate.Causes()
	durations            = affiliate.Durations()
	paymentTriggers      = affiliate.PaymentTriggers()
	payoutStatuses       = affiliate.PayoutStatuses()
	rateSources          = affiliate.RateSources()
	skipReasons          = affiliate.SkipReasons()
	subscriptionStatuses = affiliate.SubscriptionStatuses()
)

// The rules of money a second time, for the audit alone. They are written from
// docs/money.md and docs/payments.md, in fractions, and call no rule of the engine: an
// error in one of the two places shows as a breach.

// fraction returns an amount as a fraction.
func fraction(a affiliate.Amount) *big.Rat { return big.NewRat(a.Scaled(), decimal.Scale) }

// nearest returns an amount rounded half away from zero to the digits of a currency.
func nearest(exact *big.Rat, c affiliate.Currency) *big.Rat {
	unit := big.NewRat(c.Unit().Scaled(), decimal.Scale)
	units := new(big.Rat).Quo(exact, unit)
	units.Add(units, big.NewRat(int64(units.Sign()), 2))
	whole := new(big.Int).Quo(units.Num(), units.Denom()) // towards zero
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}

// figure shows a fraction in a breach, as an amount where it is one.
func figure(x *big.Rat) string {
	scaled := times(x, big.NewRat(decimal.Scale, 1))
	if scaled.IsInt() && scaled.Num().IsInt64() {
		return affiliate.AmountFromScaled(scaled.Num().Int64()).String()
	}
	return x.RatString()
}

// The arithmetic below never changes its arguments.

func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// per returns a divided by b; of nothing it is nothing.
func per(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(a, b)
}

func least(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

// chargedAs returns a sale with the amounts that were charged, in their currency; of most
// sales that is the program's.
func (a *audit) chargedAs(r *record.Sale) (*record.Sale, affiliate.Currency) {
	if len(r.Charged) == 0 {
		return r, a.Cfg.Currency
	}
	q, c := *r, &r.Charged[0]
	q.TotalEarned, q.Subtotal, q.Tax, q.Shipping, q.Refunded = c.TotalEarned, c.Subtotal, c.TaxAmount, c.ShippingAmount, c.RefundedAmount
	return &q, c.Currency
}

// inProgram returns what an amount that was charged for a sale is worth in the program's
// currency.
func inProgram(r *record.Sale, x *big.Rat) *big.Rat {
	if len(r.Charged) == 0 {
		return x
	}
	return times(x, big.NewRat(r.Charged[0].ExchangeRate.Scaled(), decimal.FineScale))
}

// verifyCharged checks the amounts of a sale in another currency against those in the
// program's.
func (a *audit) verifyCharged(name object, r *record.Sale) {
	if len(r.Charged) == 0 {
		return
	}
	c := &r.Charged[0]
	if len(r.Charged) > 1 || c.ExchangeRate.Scaled() <= 0 || !c.Currency.Known() || c.Currency == a.Cfg.Currency {
		a.breach("I85", name, "it was charged in %q at %v", c.Currency, c.ExchangeRate)
	}
	for _, pair := range [...]struct {
		what      string
		of, worth affiliate.Amount
	}{
		{"total", c.TotalEarned, r.TotalEarned}, {"tax", c.TaxAmount, r.Tax}, {"shipping", c.ShippingAmount, r.Shipping},
		{"refunded", c.RefundedAmount, r.Refunded}, {"subtotal", c.Subtotal.Or(affiliate.Amount{}), r.Subtotal.Or(affiliate.Amount{})},
	} {
		if want := nearest(inProgram(r, fraction(pair.of)), a.Cfg.Currency); want.Cmp(fraction(pair.worth)) != 0 {
			a.breach("I85", name, "its %s is %v, and %v %s at %v are %s", pair.what, pair.worth, pair.of, c.Currency, c.ExchangeRate, figure(want))
		}
	}
	if c.Subtotal.IsZero() != r.Subtotal.IsZero() {
		a.breach("I85", name, "its subtotal is %v, charged %v", r.Subtotal, c.Subtotal)
	}
}

// A deducting is what was taken off the total of a sale before its commission was
// calculated.
type deducting struct{ tax, shipping bool }

// deductings returns the deductions with which a sale may have been calculated: the
// recorded ones, or, for a sale that is older than this field, all possible ones.
func deductings(r *record.Sale) []deducting {
	switch r.Why.Deduct.Value() {
	case affiliate.DeductNothing:
		return []deducting{{}}
	case affiliate.DeductTax:
		return []deducting{{tax: true}}
	case affiliate.DeductShipping:
		return []deducting{{shipping: true}}
	case affiliate.DeductBoth:
		return []deducting{{true, true}}
	}
	return []deducting{{}, {tax: true}, {shipping: true}, {true, true}}
}

// A remainder is what refunds took from a sale: in total, and the part of it for which
// they named tax and shipping. Source: docs/money.md M9a.
type remainder struct{ refunded, named, tax, shipping *big.Rat }

// remainderOf returns what all refunds of a sale left.
func remainderOf(r *record.Sale) remainder {
	left := remainder{fraction(r.Refunded), new(big.Rat), new(big.Rat), new(big.Rat)}
	for i := range r.Refunds {
		f := &r.Refunds[i]
		if f.Tax.IsZero() && f.Shipping.IsZero() {
			continue
		}
		left.named = plus(left.named, fraction(f.Amount))
		left.tax = plus(left.tax, fraction(f.Tax.Or(affiliate.Amount{})))
		left.shipping = plus(left.shipping, fraction(f.Shipping.Or(affiliate.Amount{})))
	}
	return left
}

// base returns what is left of the base of a sale.
func (d deducting) base(r *record.Sale, left remainder) *big.Rat {
	total, tax, shipping := fraction(r.TotalEarned), new(big.Rat), new(big.Rat)
	if d.tax {
		tax = fraction(r.Tax)
	}
	if d.shipping {
		shipping = fraction(r.Shipping)
	}
	base, whole := minus(minus(total, tax), shipping), minus(total, left.named)
	kept := least(minus(total, left.refunded), whole)
	if left.named.Sign() != 0 {
		back := plus(least(left.tax, tax), least(left.shipping, shipping))
		if base = plus(minus(base, left.named), back); base.Sign() <= 0 {
			return new(big.Rat)
		}
	}
	if kept.Sign() <= 0 {
		return new(big.Rat)
	}
	return times(base, per(kept, whole))
}

// earns returns what a sale with a commission, as it was charged, earns in the program's
// currency, before it is rounded.
func (d deducting) earns(r *record.Sale) *big.Rat {
	if r.Conversion != "" {
		return ofConversion(r)
	}
	kept := minus(fraction(r.TotalEarned), fraction(r.Refunded))
	if kept.Sign() <= 0 {
		return new(big.Rat)
	}
	left := d.base(r, remainderOf(r))
	rate, _ := r.Rate.Get()
	if hand, ok := r.ByHand.Get(); ok {
		then := remainder{minus(fraction(r.TotalEarned), fraction(hand.Kept)), fraction(hand.Named), fraction(hand.Tax), fraction(hand.Shipping)}
		if whole := d.base(r, then); whole.Sign() != 0 {
			return times(fraction(hand.Earned), per(left, whole))
		}
		return times(fraction(hand.Earned), per(kept, fraction(hand.Kept)))
	}
	if ruled(r) {
		return d.ofLines(r, left, kept)
	}
	if r.RateType.Is(affiliate.CommissionFlat) {
		flat := big.NewRat(rate.Scaled(), decimal.Scale)
		if whole := d.base(r, remainder{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}); whole.Sign() > 0 {
			return times(flat, per(left, whole))
		}
		return times(flat, per(kept, fraction(r.TotalEarned)))
	}
	return inProgram(r, times(left, big.NewRat(rate.Scaled(), 100*decimal.Scale)))
}

// earnsPlainly reports whether a sale has one commission, which is what its percentage
// gives of its base, and no rule and no cap decides about it. It counts in whole numbers, because most sales are such, and says no
// where that is not enough: then the fractions decide.
func earnsPlainly(r *record.Sale, c affiliate.Currency) bool {
	rate, _ := r.Rate.Get()
	_, hand := r.ByHand.Get()
	if len(r.Charged) > 0 || len(r.Commissions) != 1 || len(r.Refunds) > 0 || !r.Refunded.IsZero() || hand || !r.RateType.Is(affiliate.CommissionPercentage) || r.Why.Deduct.Is("") || ruled(r) || !r.Cap.IsZero() {
		return false
	}
	base, d, unit := r.TotalEarned.Scaled(), deductings(r)[0], c.Unit().Scaled()
	if d.tax {
		base -= r.Tax.Scaled()
	}
	if d.shipping {
		base -= r.Shipping.Scaled()
	}
	if base <= 0 || base > r.TotalEarned.Scaled() || r.Tax.Sign() < 0 || r.Shipping.Sign() < 0 || rate.Sign() < 0 || rate.Scaled() > 100*decimal.Scale {
		return false
	}
	whole := uint64(100 * decimal.Scale * unit) // of the rate that gives one unit
	hi, lo := bits.Mul64(uint64(base), uint64(rate.Scaled()))
	if hi >= whole {
		return false
	}
	units, rest := bits.Div64(hi, lo, whole)
	if rest >= whole-rest {
		units++
	}
	return units*uint64(unit) == uint64(r.Commissions[0].Earned.Scaled())
}

// entriesOf returns the sum of a sale's commissions.
func entriesOf(r *record.Sale) *big.Rat {
	sum := new(big.Rat)
	for i := range r.Commissions {
		sum = plus(sum, fraction(r.Commissions[i].Earned))
	}
	return sum
}

// wantsRefunded returns how much of a sale is refunded by the facts of its payment and by
// the host together. Source: docs/payments.md.
func (a *audit) wantsRefunded(pay *record.Payment, sale *record.Sale, c affiliate.Currency) *big.Rat {
	total, gross := fraction(sale.TotalEarned), fraction(pay.Gross.Or(affiliate.Amount{}))
	refunds, failed, held := new(big.Rat), new(big.Rat), new(big.Rat)
	ids := map[string]bool{}
	for _, f := range pay.Refunds {
		ids[f.ID] = true
		switch {
		case f.State == affiliate.RefundFailed:
			failed = plus(failed, fraction(f.Amount))
		case f.State == affiliate.RefundSucceeded && !f.Late:
			refunds = plus(refunds, fraction(f.Amount))
		}
	}
	if said := minus(fraction(pay.Refunded.Or(affiliate.Amount{})), failed); said.Cmp(refunds) > 0 {
		refunds = said
	}
	disputed := false // by more than a warning
	for _, f := range pay.Disputes {
		ids[f.ID] = true
		disputed = disputed || !f.Warning && f.State != affiliate.DisputeInquiry
	}
	for _, f := range pay.Disputes {
		if (f.State == affiliate.DisputeWithdrawn || f.State == affiliate.DisputeLost) && !f.Late && !(f.Warning && disputed) {
			held = plus(held, fraction(f.Amount))
		}
	}
	lost := least(plus(refunds, held), gross)
	want := total
	if lost.Cmp(gross) != 0 || lost.Sign() == 0 {
		want = least(nearest(times(total, per(lost, gross)), c), total)
	}
	want = a.broughtOf(pay, want, c)
	for i := range sale.Refunds { // and what the host refunded besides
		if f := &sale.Refunds[i]; !f.Fact && !ids[f.ID] {
			want = plus(want, fraction(f.Amount))
		}
	}
	return least(want, total)
}

// broughtOf limits a sum to what a payment brought. For a payment in another currency than its
// sale, that is its worth in that of the sale.
func (a *audit) broughtOf(pay *record.Payment, sum *big.Rat, c affiliate.Currency) *big.Rat {
	if cmp.Or(pay.Counted, a.Cfg.Currency) == c {
		return least(sum, fraction(pay.Gross.Or(affiliate.Amount{})))
	}
	if worth, known := pay.Worth.Get(); known { // records older than this field lack it
		return least(sum, fraction(worth))
	}
	return sum
}

// wantsStatus returns the status of a customer with these subscriptions: the best of them;
// empty: none.
func wantsStatus(subs []affiliate.Subscription) affiliate.SubscriptionStatus {
	for _, status := range []affiliate.SubscriptionStatus{affiliate.SubscriptionActive, affiliate.SubscriptionPastDue} {
		if slices.ContainsFunc(subs, func(s affiliate.Subscription) bool { return s.Status == status }) {
			return status
		}
	}
	if len(subs) == 0 {
		return ""
	}
	return subs[0].Status
}
