package audit

import (
	"cmp"
	"encoding/json"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
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
	q.TotalEarned, q.Subtotal, q.Tax, q.Shipping, q.Refunded = c.TotalEarned, c.Subtotal,
		c.TaxAmount, c.ShippingAmount, c.RefundedAmount
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
		{"total", c.TotalEarned, r.TotalEarned}, {"tax", c.TaxAmount, r.Tax},
		{"shipping", c.ShippingAmount, r.Shipping},
		{"refunded", c.RefundedAmount, r.Refunded},
		{"subtotal", c.Subtotal.Or(affiliate.Amount{}), r.Subtotal.Or(affiliate.Amount{})},
	} {
		if want := nearest(inProgram(r, fraction(pair.of)), a.Cfg.Currency); want.Cmp(fraction(pair.worth)) != 0 {
			a.breach("I85", name, "its %s is %v, and %v %s at %v are %s", pair.what, pair.worth,
				pair.of, c.Currency, c.ExchangeRate, figure(want))
		}
	}
	if c.Subtotal.IsZero() != r.Subtotal.IsZero() {
		a.breach("I85", name, "its subtotal is %v, charged %v", r.Subtotal, c.Subtotal)
	}
}

// A deduction is the part taken off the total of a sale before its commission was
// calculated.
type deduction struct{ tax, shipping bool }

// deductings returns the deductions with which a sale may have been calculated: the
// recorded ones, or, for a sale that is older than this field, all possible ones.
func deductings(r *record.Sale) []deduction {
	switch r.Why.Deduct.Value() {
	case affiliate.DeductNothing:
		return []deduction{{}}
	case affiliate.DeductTax:
		return []deduction{{tax: true}}
	case affiliate.DeductShipping:
		return []deduction{{shipping: true}}
	case affiliate.DeductBoth:
		return []deduction{{true, true}}
	}
	return []deduction{{}, {tax: true}, {shipping: true}, {true, true}}
}

// A remainder is the part that refunds took from a sale: in total, and the part of it for which
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
func (d deduction) base(r *record.Sale, left remainder) *big.Rat {
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
func (d deduction) earns(r *record.Sale) *big.Rat {
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
		then := remainder{minus(fraction(r.TotalEarned), fraction(hand.Kept)), fraction(hand.Named),
			fraction(hand.Tax), fraction(hand.Shipping)}
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
// gives of its base, and no rule and no cap decides about it. It counts in whole numbers, because
// most sales are such, and says no
// where that is not enough: then the fractions decide.
func earnsPlainly(r *record.Sale, c affiliate.Currency) bool {
	rate, _ := r.Rate.Get()
	_, hand := r.ByHand.Get()
	if len(r.Charged) > 0 || len(r.Commissions) != 1 || len(r.Refunds) > 0 ||
		!r.Refunded.IsZero() || hand || !r.RateType.Is(affiliate.CommissionPercentage) ||
		r.Why.Deduct.Is("") || ruled(r) || !r.Cap.IsZero() {
		return false
	}
	base, d, unit := r.TotalEarned.Scaled(), deductings(r)[0], c.Unit().Scaled()
	if d.tax {
		base -= r.Tax.Scaled()
	}
	if d.shipping {
		base -= r.Shipping.Scaled()
	}
	if base <= 0 || base > r.TotalEarned.Scaled() || r.Tax.Sign() < 0 || r.Shipping.Sign() < 0 ||
		rate.Sign() < 0 || rate.Scaled() > 100*decimal.Scale {
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
		if (f.State == affiliate.DisputeWithdrawn || f.State == affiliate.DisputeLost) && !f.Late &&
			!(f.Warning && disputed) {
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

// The terms of sales, a second time: the rate and the cap of a sale are those of the version
// in which it was paid. That can be judged of terms that were not changed since. Source:
// docs/terms.md 7.

// settled is the time before a sale in which its terms must not have changed: servers have clocks
// of their own.
const settled = 24 * time.Hour

// keepTerms keeps the terms of a plan, or of the program, for the sales that have them.
func (a *audit) keepTerms(r *record.Plan) {
	if a.terms == nil {
		a.terms = map[uuid.UUID]record.Plan{}
	}
	kept := record.Plan{UpdatedAt: r.UpdatedAt, Terms: r.Terms, Versions: r.Versions}
	a.terms[r.ID] = kept.Clone()
}

// verifySaleTerms compares a sale with its terms.
func (a *audit) verifySaleTerms(r *record.Sale) {
	w, id := &r.Why, r.Why.PlanID
	if id == uuid.Nil {
		id = uuid.Max
	}
	of, known := a.terms[id]
	if !known || r.Past || w.By.Is("") || w.RateFrom.Is("") || r.Conversion != "" ||
		!of.UpdatedAt.Add(settled).Before(r.CreatedAt) {
		return
	}
	paid, t := engine.PaidOf(r), &of.Terms
	for i := range of.Versions {
		if !paid.Before(of.Versions[i].From) {
			t = &of.Versions[i].Terms
		}
	}
	rate, _ := r.Rate.Get()
	if w.RateFrom.Is(affiliate.RateOfPlan) || w.RateFrom.Is(affiliate.RateOfProgram) {
		if rate != t.Rate || !r.RateType.Is(t.Type) {
			a.breach("I40", numbered("sale", r.Number),
				"its rate is %s %v, that of its terms %s %v", r.RateType, rate, t.Type, t.Rate)
		}
	}
	a.verifyCap(r, t)
}

// verifyCap compares the cap of a sale with those of its terms.
func (a *audit) verifyCap(r *record.Sale, t *affiliate.Terms) {
	earlier, known := r.Why.Earlier.Get()
	if r.RateFixed || r.Free || len(r.Commissions) == 0 || !r.ByHand.IsZero() || t.MaxPerCustomer.Sign() > 0 && !known {
		return
	}
	var most *big.Rat
	if t.MaxPerSale.Sign() > 0 {
		most = fraction(t.MaxPerSale)
	}
	if t.MaxPerCustomer.Sign() > 0 {
		room := minus(fraction(t.MaxPerCustomer), fraction(earlier))
		if room.Sign() < 0 {
			room = new(big.Rat)
		}
		if most == nil || room.Cmp(most) < 0 {
			most = room
		}
	}
	if !r.Why.Over.Is("") { // a limit stops it
		most = new(big.Rat)
	}
	limit, capped := r.Cap.Get()
	if capped != (most != nil) || capped && fraction(limit).Cmp(most) != 0 {
		a.breach("I40", numbered("sale", r.Number),
			"it may earn at most %v, by its terms %v a sale and %v a customer, who had earned %v",
			r.Cap, t.MaxPerSale, t.MaxPerCustomer, r.Why.Earlier)
	}
}

// fromBefore stands for the type of a rate that was stored without one. It
// allows what either type allows: a percentage, or an amount of any size.
const fromBefore = affiliate.CommissionFlat

// verifyRates checks all rates: of plans, of tiers and of affiliates.
func (a *audit) verifyRates() {
	for r := range a.plans.records() {
		if a.mine(r.ID) {
			a.verifyPlan(r)
		}
	}
	for r := range a.settings.records() {
		if a.mine(r.ID) {
			a.verifySettings(r)
		}
	}
	for r := range a.tiers.records() {
		if a.mine(r.ID) {
			a.verifyTier(r)
		}
	}
	for r := range a.affiliates.records() {
		if a.mine(r.ID) {
			a.verifyOwnRate(r)
		}
	}
}

func (a *audit) verifyOwnRate(r *record.Affiliate) {
	if !affiliate.SameMailbox(r.Payee, r.PayoutEmail) || r.PayeeShared && r.Payee == "" {
		a.breach("I81", named("affiliate", r.ID), "it is paid at %q, kept as of %q", r.PayoutEmail, r.Payee)
	}
	a.verifyRate(named("affiliate", r.ID), r.Rate, cmp.Or(r.RateType, fromBefore))
}

// verifySettings checks what the store keeps of the Config. That it is another currency or
// zone is an error of the program, which has no books then.
func (a *audit) verifySettings(r *record.Settings) {
	name := named("settings", r.ID)
	if r.ID != uuid.Max || !r.Currency.Known() {
		a.breach("I44", name, "the program is kept in the currency %q", r.Currency)
	}
	a.instants("settings", r.ID, r.CreatedAt, r.UpdatedAt)
	if set := map[string]json.RawMessage(nil); len(r.Set) > 0 && (json.Unmarshal(r.Set, &set) != nil || len(set) == 0) {
		a.breach("I44", name, "what was set is no object of settings: %.100q", r.Set)
	}
}

func (a *audit) verifyPlan(r *record.Plan) {
	name := named("plan", r.ID)
	if r.ID != uuid.Max {
		a.titled(name, r.Name)
		listed(a, name, "paymentTrigger", r.Trigger, paymentTriggers...)
	} else if r.Name != "" || r.Trigger != "" || r.HoldRewards {
		a.breach("I44", name, "it is of the program, and has the name %q and the trigger %q", r.Name, r.Trigger)
	}
	a.verifyVersion(name, &r.Terms)
	for i := range r.Versions {
		a.verifyVersion(name, &r.Versions[i].Terms)
		if i > 0 && !r.Versions[i].From.After(r.Versions[i-1].From) {
			a.breach("I44", name, "version %d of its terms begins %v, and the one before it %v", i,
				r.Versions[i].From, r.Versions[i-1].From)
		}
	}
	if n := len(r.Versions) + 1; n > refusal.MaxVersions {
		a.breach("I44", name, "it has %d versions of its terms", n)
	}
	a.instants("plan", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyVersion checks one version of the terms of a plan.
func (a *audit) verifyVersion(name object, t *affiliate.Terms) {
	a.verifyRate(name, affiliate.Set(t.Rate), t.Type)
	if t.MaxPayments < 0 || t.MaxMonths < 0 {
		a.breach("I40", name, "it stops after %d payments, %d months", t.MaxPayments, t.MaxMonths)
	}
	a.verifyHoldDays(name, t.HoldDays)
	a.verifyRules(name, t)
}

func (a *audit) verifyHoldDays(of object, days int64) {
	if !engine.ValidHoldDays(days) {
		a.breach("I40", of, "a holding period of %d days", days)
	}
}

func (a *audit) verifyTier(r *record.Tier) {
	name := named("tier", r.ID)
	a.titled(name, r.Name)
	listed(a, name, "conditionType", r.Condition, affiliate.ConditionAll, affiliate.ConditionSome)
	a.verifyRate(name, r.Rate, cmp.Or(r.RateType, fromBefore))
	if r.Tier < 1 || r.MinReferrals < 0 || r.MinRevenue.Sign() < 0 {
		a.breach("I44", name, "rank %d, minReferrals %d, minRevenue %v", r.Tier, r.MinReferrals, r.MinRevenue)
	}
	listed(a, name, "per", r.Per, append(engine.Intervals, "")...)
	if r.Grace < 0 || r.Per == "" && (r.Grace > 0 || r.AtEnd) {
		a.breach("I44", name, "a grace of %d, at the end of a period: %v, of each %q", r.Grace, r.AtEnd, r.Per)
	}
	a.instants("tier", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyRate checks a rate, where there is one, as one of its type.
func (a *audit) verifyRate(of object, given affiliate.Opt[affiliate.Percent], typ affiliate.CommissionType) {
	rate, ok := given.Get()
	if !ok {
		return
	}
	listed(a, of, "commissionType", typ, affiliate.CommissionPercentage, affiliate.CommissionFlat)
	if engine.CheckRate(rate, typ) != nil {
		a.breach("I40", of, "a rate of %v cannot be %s", rate, typ)
	}
}

func (a *audit) siftRates() {
	sift(a, &a.plans, func(r *record.Plan) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.plans.kind))
		a.keepTerms(r)
		a.about(inRates, k)
		a.verifyPlan(r)
	})
	sift(a, &a.settings, func(r *record.Settings) {
		a.about(inRates, a.key(r.ID))
		a.verifySettings(r)
	})
	sift(a, &a.hosted, func(r *record.Value) {
		a.instants("value", r.ID, r.CreatedAt, r.UpdatedAt)
		a.about(inRates, a.key(r.ID))
	})
	sift(a, &a.tiers, func(r *record.Tier) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.tiers.kind))
		a.about(inRates, k)
		a.verifyTier(r)
	})
}
