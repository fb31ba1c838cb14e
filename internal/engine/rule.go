package engine

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The checks of the rules of terms. Source: docs/terms.md 3.

var (
	ruleTypes     = []affiliate.RuleType{affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone}
	ruleCustomers = []affiliate.RuleCustomer{affiliate.CustomerNew, affiliate.CustomerReturning}
	monthOrigins  = []affiliate.MonthsFrom{affiliate.MonthsFromPayment, affiliate.MonthsFromReferral}
)

// normalizeRules checks rules, and refuses those that can never hold.
func normalizeRules(t *affiliate.Terms) error {
	if err := refusal.OneOfOrNone("monthsFrom", t.MonthsFrom, monthOrigins); err != nil {
		return err
	}
	if t.MonthsFrom == affiliate.MonthsFromPayment {
		t.MonthsFrom = ""
	}
	if len(t.Rules) == 0 {
		t.Rules = nil
		return nil
	}
	if len(t.Rules) > refusal.MaxRules {
		return refusal.FieldOver64Entries.Of("rules")
	}
	*t = t.Clone()
	for i := range t.Rules {
		rule, in := &t.Rules[i], fmt.Sprintf("rules[%d].", i)
		rule.Name = plaintext.Trim(rule.Name)
		if err := checkRule(rule, in); err != nil {
			return err
		}
		if slices.ContainsFunc(t.Rules[:i], func(q affiliate.Rule) bool { return q.Name == rule.Name }) {
			return refusal.FieldNotDistinct.Of("rules")
		}
	}
	for i := range t.Rules {
		if neverHolds(&t.Rules[i].When) {
			return refusal.RuleNeverHolds.On(fmt.Sprintf("rules[%d]", i))
		}
		for j := range t.Rules {
			if covers(&t.Rules[j], &t.Rules[i], j < i) {
				return refusal.RuleCovered(fmt.Sprintf("rules[%d]", i), t.Rules[i].Name, t.Rules[j].Name)
			}
		}
	}
	return nil
}

func checkRule(r *affiliate.Rule, in string) error {
	if err := refusal.First(
		refusal.FieldMissing.About(in+"name").When(r.Name == ""),
		refusal.CheckText(in+"name", r.Name, refusal.MaxPersonName, false),
	); err != nil {
		return err
	}
	w := &r.When
	for _, list := range [...]struct {
		name string
		ids  []string
	}{
		{"products", w.Products}, {"plans", w.Plans}, {"categories", w.Categories},
		{"notProducts", w.NotProducts}, {"notPlans", w.NotPlans}, {"notCategories", w.NotCategories},
	} {
		if err := checkIDs(in+"when."+list.name, list.ids, refusal.MaxRuleIDs, refusal.FieldOver100Entries); err != nil {
			return err
		}
	}
	if err := refusal.First(
		checkRange(in+"when.payment", w.PaymentFrom, w.PaymentTo),
		checkRange(in+"when.month", w.MonthFrom, w.MonthTo),
		refusal.OneOfOrNone(in+"when.customer", w.Customer, ruleCustomers),
	); err != nil {
		return err
	}
	for i, trigger := range w.Triggers {
		if err := refusal.OneOf(in+"when.paymentTriggers", trigger, paymentTriggers); err != nil {
			return err
		}
		if slices.Contains(w.Triggers[:i], trigger) {
			return refusal.FieldNotDistinct.Of(in + "when.paymentTriggers")
		}
	}
	if err := checkPay(&r.Pay, in+"pay."); err != nil {
		return err
	}
	return checkConversions(r, in)
}

// checkConversions checks a rule for conversions: it has nothing else to ask.
func checkConversions(r *affiliate.Rule, in string) error {
	w := r.When
	if len(w.Conversions) == 0 {
		return nil
	}
	if err := checkIDs(in+"when.conversions", w.Conversions, refusal.MaxRuleIDs, refusal.FieldOver100Entries); err != nil {
		return err
	}
	for i, name := range w.Conversions {
		if err := refusal.CheckText(fmt.Sprintf("%swhen.conversions[%d]", in, i), name, refusal.MaxPersonName, false); err != nil {
			return err
		}
	}
	w.Conversions = nil
	switch {
	case !asksNothing(&w):
		return refusal.RuleOfConversions.On(in + "when")
	case r.Firm:
		return refusal.RuleOfConversions.On(in + "firm")
	case r.Pay.Type != affiliate.RuleFlat && r.Pay.Type != affiliate.RuleNone:
		return refusal.RuleOfConversions.On(in + "pay.commissionType")
	}
	return nil
}

func checkPay(pay *affiliate.RulePay, in string) error {
	if err := refusal.OneOf(in+"commissionType", pay.Type, ruleTypes); err != nil {
		return err
	}
	field := in + "commissionRate"
	switch pay.Type {
	case affiliate.RuleNone:
		return refusal.First(refusal.FieldNotAllowed.About(field).When(pay.Rate.Sign() != 0))
	case affiliate.RulePercentage:
		return checkRateOf(field, pay.Rate, affiliate.CommissionPercentage)
	}
	return checkRateOf(field, pay.Rate, affiliate.CommissionFlat)
}

// asksNothing reports whether a rule has no condition.
func asksNothing(w *affiliate.RuleWhen) bool {
	longest := max(len(w.Products), len(w.Plans), len(w.Categories), len(w.NotProducts), len(w.NotPlans), len(w.NotCategories), len(w.Triggers), len(w.Conversions))
	return longest == 0 && w.PaymentFrom == 0 && w.PaymentTo == 0 && w.MonthFrom == 0 && w.MonthTo == 0 && w.Customer == ""
}

// checkRange checks the two bounds of a range; zero is no bound.
func checkRange(field string, from, to int64) *affiliate.Error {
	switch {
	case from < 0:
		return refusal.FieldNotAtLeastOne.Of(field + "From")
	case to < 0 || to > 0 && to < from:
		return refusal.FieldNotAfterFrom.Of(field + "To")
	}
	return nil
}

// neverHolds reports whether the conditions of a rule contradict each other.
func neverHolds(w *affiliate.RuleWhen) bool {
	from, to := paymentsOf(w)
	none := func(of, not []string) bool { return len(of) > 0 && contains(not, of) }
	return to > 0 && to < from || none(w.Products, w.NotProducts) || none(w.Plans, w.NotPlans) || none(w.Categories, w.NotCategories)
}

// covers reports whether a rule decides about every line for which another one holds, so
// that the other one never does. One that pays nothing comes first wherever it stands.
func covers(r, other *affiliate.Rule, earlier bool) bool {
	if r == other {
		return false
	}
	switch none := r.Pay.Type == affiliate.RuleNone; {
	case none && other.Pay.Type == affiliate.RuleNone && !earlier:
		return false
	case none:
	case other.Pay.Type == affiliate.RuleNone || !earlier || other.Firm && !r.Firm:
		return false
	}
	w, v := &r.When, &other.When
	if len(w.Conversions) > 0 || len(v.Conversions) > 0 {
		return len(v.Conversions) > 0 && contains(w.Conversions, v.Conversions)
	}
	from, to := paymentsOf(w)
	otherFrom, otherTo := paymentsOf(v)
	return oneOf(w.Products, w.NotProducts, v.Products, v.NotProducts) && oneOf(w.Plans, w.NotPlans, v.Plans, v.NotPlans) &&
		(len(w.Categories) == 0 || len(v.Categories) > 0 && contains(slices.Concat(w.Categories, v.NotCategories), v.Categories)) && contains(v.NotCategories, w.NotCategories) &&
		inside(otherFrom, otherTo, from, to) && inside(v.MonthFrom, v.MonthTo, w.MonthFrom, w.MonthTo) &&
		(len(w.Triggers) == 0 || contains(w.Triggers, triggersOf(v)))
}

// triggersOf returns the triggers for which a rule may hold.
func triggersOf(w *affiliate.RuleWhen) []affiliate.PaymentTrigger {
	if len(w.Triggers) == 0 {
		return paymentTriggers
	}
	return w.Triggers
}

// oneOf reports whether the lists of a rule let through every id that those of another
// one let through.
func oneOf(of, not, otherOf, otherNot []string) bool {
	through := func(id string) bool {
		return (len(of) == 0 || slices.Contains(of, id)) && !slices.Contains(not, id)
	}
	if len(otherOf) > 0 {
		return !slices.ContainsFunc(otherOf, func(id string) bool { return !slices.Contains(otherNot, id) && !through(id) })
	}
	return len(of) == 0 && contains(otherNot, not)
}

// contains reports whether a list has every entry of another one.
func contains[T comparable](list, other []T) bool {
	return !slices.ContainsFunc(other, func(v T) bool { return !slices.Contains(list, v) })
}

// inside reports whether a range lies in another one. Zero is no bound; two zeros are no
// condition, which also holds without a number.
func inside(from, to, otherFrom, otherTo int64) bool {
	if otherFrom == 0 && otherTo == 0 {
		return true
	}
	if from == 0 && to == 0 {
		return false
	}
	return max(from, 1) >= max(otherFrom, 1) && (otherTo == 0 || to > 0 && to <= otherTo)
}

// Which rule of the terms decides about a line, and what it pays. Source: docs/terms.md 2.

// A Stage says where a customer stands: the number of the payment and of the month, from
// 1. Zero: no customer, no payment, or the terms do not ask.
type Stage struct {
	Payment, Month int64
	referred       bool // the month is counted from the referral
}

// note stores the month of a stage.
func (s Stage) note(w *record.Why) { w.Month, w.Referred = int16(s.Month), s.referred }

// AsksPayment reports whether the terms need the number of a payment.
func AsksPayment(t *affiliate.Terms) bool {
	return t.MaxPayments != 0 || slices.ContainsFunc(t.Rules, func(r affiliate.Rule) bool {
		from, to := paymentsOf(&r.When)
		return from != 0 || to != 0
	})
}

// AsksMonth reports whether the terms need the month of a customer.
func AsksMonth(t *affiliate.Terms) bool {
	return t.MaxMonths > 0 || slices.ContainsFunc(t.Rules, func(r affiliate.Rule) bool { return r.When.MonthFrom > 0 || r.When.MonthTo > 0 })
}

// paymentsOf returns the payments of a rule, from and to, with those of its customers. Zero: no
// condition. When to is less than from it holds for none.
func paymentsOf(w *affiliate.RuleWhen) (from, to int64) {
	from, to = w.PaymentFrom, w.PaymentTo
	switch w.Customer {
	case affiliate.CustomerNew:
		from, to = max(from, 1), 1
	case affiliate.CustomerReturning:
		from = max(from, 2)
	}
	return from, to
}

// stage returns where a customer stands who pays at this time. The zero referral is that
// of a customer who is new.
func (o *Op) stage(t *affiliate.Terms, ref *record.Referral, at affiliate.Instant) (s Stage, err error) {
	if AsksPayment(t) {
		s.Payment = max(o.Nth, 1)
		if ref.ID != uuid.Nil {
			if s.Payment, err = o.payment(ref.ID); err != nil {
				return s, err
			}
		}
	}
	return s, o.month(&s, t, ref, at)
}

// month sets the month of a customer at a time, if the terms ask for it.
func (o *Op) month(s *Stage, t *affiliate.Terms, ref *record.Referral, at affiliate.Instant) error {
	if !AsksMonth(t) {
		return nil
	}
	from := at
	s.referred = t.MonthsFrom == affiliate.MonthsFromReferral
	switch {
	case ref.ID == uuid.Nil:
	case s.referred:
		from = ref.CreatedAt
	default:
		first, err := o.firstPayment(ref.ID)
		if err != nil {
			return err
		}
		if !first.IsZero() {
			from = first
		}
	}
	s.Month = monthNumber(from.Time(), at.Time(), o.Cfg.Location)
	return nil
}

// firstPayment returns when a customer first paid, in whatever order that was reported; zero:
// not yet. A sale that was refunded in full, or was free, is no payment. Any sale may be told
// late, so all of the customer are read.
func (o *Op) firstPayment(ref uuid.UUID) (first affiliate.Instant, err error) {
	_, err = o.firstSale(record.Key{Index: record.OfReferral, ID: ref}, func(r *record.Sale) bool {
		paid := PaidOf(r)
		if isOrder(r) && !r.Free && (first.IsZero() || paid.Before(first)) {
			first = paid
		}
		return false
	})
	return first, err
}

// firstSale returns the first sale with a key that is such; the zero record: there is none. It reads pieces, because the
// first sale is mostly the one, and each is four times as long, because many are read where it is not.
func (o *Op) firstSale(key record.Key, such func(*record.Sale) bool) (record.Sale, error) {
	const longest = 512
	after := uuid.Nil
	for piece := 8; ; piece = min(4*piece, longest) {
		recs, err := Gather(o.Tx.Sales, record.Query{Key: key, After: after, Limit: piece})
		if err != nil {
			return record.Sale{}, err
		}
		for i := range recs {
			if such(&recs[i]) {
				return recs[i], nil
			}
		}
		if len(recs) < piece {
			return record.Sale{}, nil
		}
		after = recs[len(recs)-1].ID
	}
}

// PaidOf returns when a sale was paid, as far as it is known.
func PaidOf(r *record.Sale) affiliate.Instant {
	if r.PaidAt.IsZero() {
		return r.CreatedAt
	}
	return r.PaidAt
}

// monthNumber returns in which month after a day another one is, from 1. A month is complete
// on the day with the number of the first, or on the last day of a shorter month.
func monthNumber(from, at time.Time, zone *time.Location) int64 {
	y, m, day := from.In(zone).Date()
	year, month, today := at.In(zone).Date()
	n := (year-y)*12 + int(month-m)
	if last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day(); today < min(day, last) {
		n--
	}
	return int64(min(max(n, 0)+1, math.MaxInt16))
}

// OverTerms returns the limit of the terms that a customer at this stage exceeds; empty:
// none.
func OverTerms(t *affiliate.Terms, s Stage) affiliate.OverLimit {
	switch {
	case t.MaxMonths > 0 && s.Month > t.MaxMonths:
		return affiliate.OverMonths
	case t.MaxPayments > 0 && s.Payment > t.MaxPayments:
		return affiliate.OverPayments
	}
	return ""
}

// DecideLines lets the rules of the terms decide about the lines of a sale whose rate comes from
// the given source. A sale without lines is one line with its product; it is kept when
// it matters.
func DecideLines(r *record.Sale, t *affiliate.Terms, from affiliate.RateSource, s Stage) {
	if len(t.Rules) == 0 && !slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool { return l.Rule != "" }) {
		return
	}
	if len(r.Lines) == 0 {
		line := affiliate.StoredLine{Whole: true, Quantity: one}
		if len(r.Products) > 0 {
			line.ProductID = r.Products[0]
		}
		r.Lines = []affiliate.StoredLine{line}
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Rule, l.Pay = "", affiliate.RulePay{}
		if rule := deciding(t.Rules, r, l, from, s); rule != nil {
			l.Rule, l.Pay = rule.Name, rule.Pay
		}
	}
	dropWhole(r)
}

// dropWhole removes the one line of a sale without lines, when it says nothing.
func dropWhole(r *record.Sale) {
	if len(r.Lines) > 0 && r.Lines[0].Whole && r.Lines[0].Rule == "" && r.Lines[0].ProductID == "" {
		r.Lines = nil
	}
}

// deciding returns the rule that decides about a line: one that pays nothing, before all rates;
// none beside the rate of a sale; only a firm one beside the rate of an affiliate or tier;
// else the first. Nil: the rate does. Of a conversion, those that name it.
func deciding(rules []affiliate.Rule, r *record.Sale, l *affiliate.StoredLine, from affiliate.RateSource, s Stage) *affiliate.Rule {
	own := from == affiliate.RateOfAffiliate || from == affiliate.RateOfTier
	var first *affiliate.Rule
	for i := range rules {
		rule := &rules[i]
		none := rule.Pay.Type == affiliate.RuleNone
		if !none && (first != nil || from == affiliate.RateOfSale || own && !rule.Firm) || !holds(&rule.When, r, l, s) {
			continue
		}
		if none {
			return rule
		}
		first = rule
	}
	return first
}

// holds reports whether a line meets all conditions.
func holds(w *affiliate.RuleWhen, r *record.Sale, l *affiliate.StoredLine, s Stage) bool {
	if r.Conversion != "" || len(w.Conversions) > 0 {
		return slices.Contains(w.Conversions, r.Conversion)
	}
	among := func(list []string, id string) bool { return len(list) == 0 || slices.Contains(list, id) }
	category := func(list []string) bool {
		return slices.ContainsFunc(l.Categories, func(c string) bool { return slices.Contains(list, c) })
	}
	from, to := paymentsOf(w)
	return among(w.Products, l.ProductID) && among(w.Plans, l.PlanID) && (len(w.Categories) == 0 || category(w.Categories)) &&
		!slices.Contains(w.NotProducts, l.ProductID) && !slices.Contains(w.NotPlans, l.PlanID) && !category(w.NotCategories) &&
		within(s.Payment, from, to) && within(s.Month, w.MonthFrom, w.MonthTo) &&
		(len(w.Triggers) == 0 || slices.Contains(w.Triggers, r.Trigger.Value()))
}

// within reports whether a number is in a range; zero is no bound. Without a number it is
// in none.
func within(n, from, to int64) bool {
	if from == 0 && to == 0 {
		return true
	}
	return n > 0 && n >= from && (to == 0 || n <= to)
}

// Ruled reports whether a rule decides about a line of the sale.
func Ruled(r *record.Sale) bool {
	return slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool { return l.Rule != "" })
}

// A LineShare is a line's part in what a sale earns, exactly.
type LineShare struct {
	Pay   affiliate.RulePay // of its rule, else of the sale
	Base  affiliate.Amount  // as it was charged
	Kept  *big.Rat          // likewise
	Earns *big.Rat          // in the program's currency
}

// LineShares returns what each line earns before rounding. A flat amount is for all lines
// of its rule, or of the rate, together: each has the part of it that its kept base is of
// their bases. When these are nothing, the first line has what is kept of the whole sale.
func (p *Program) LineShares(r *record.Sale) ([]LineShare, error) { return p.lineShares(AsCharged(r)) }

// lineShares is LineShares of a sale as it was charged.
func (p *Program) lineShares(r *record.Sale) ([]LineShare, error) {
	parts, err := p.lineParts(r)
	if err != nil {
		return nil, err
	}
	rate, _ := r.Rate.Get()
	ofSale := payOfRate(r, rate)
	bases := map[string]int64{} // of the lines of each rule; no name: of those that no rule decides
	for i := range parts {
		bases[r.Lines[i].Rule] += parts[i].base
	}
	counted := map[string]bool{}
	shares := make([]LineShare, len(parts))
	for i, part := range parts {
		l := &r.Lines[i]
		pay := l.Pay
		if l.Rule == "" {
			pay = ofSale
		}
		shares[i] = LineShare{Pay: pay, Base: affiliate.AmountFromScaled(part.base), Kept: part.kept, Earns: new(big.Rat)}
		earns := shares[i].Earns
		switch pay.Type {
		case affiliate.RulePercentage:
			worth(r, earns.Mul(part.kept, big.NewRat(pay.Rate.Scaled(), 100*decimal.Scale)))
		case affiliate.RuleFlat:
			switch all := bases[l.Rule]; {
			case all > 0:
				earns.Mul(part.kept, big.NewRat(pay.Rate.Scaled(), all)) // kept ÷ (all ÷ scale) × (rate ÷ scale)
			case !counted[l.Rule]:
				earns.Mul(p.keptPart(r), scaledRat(pay.Rate.Scaled()))
			}
			counted[l.Rule] = true
		case affiliate.RuleUnit:
			earns.Mul(scaledRat(pay.Rate.Scaled()), scaledRat(l.Quantity.Scaled()))
			if part.base > 0 {
				earns.Mul(earns, new(big.Rat).Quo(part.kept, scaledRat(part.base)))
			} else {
				earns.Mul(earns, p.keptPart(r))
			}
		}
	}
	return shares, nil
}

// keptPart returns which part of the total of a sale is kept.
func (p *Program) keptPart(r *record.Sale) *big.Rat {
	if r.Conversion != "" && len(r.Refunds) == 0 { // it is refunded as a whole
		return big.NewRat(1, 1)
	}
	if r.TotalEarned.Sign() <= 0 {
		return new(big.Rat)
	}
	return big.NewRat(max(r.TotalEarned.Scaled()-r.Refunded.Scaled(), 0), r.TotalEarned.Scaled())
}
