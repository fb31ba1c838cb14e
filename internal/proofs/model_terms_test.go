package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The model of docs/terms.md: two affiliates on terms with rules, limits, caps and versions, the
// sales, payments and conversions of three customers with and without lines, and everything that
// changes what these earn later. Rules decide, and amounts are computed, by the definitions, in
// big.Rat.

// A termsPayee is an affiliate of the model, with one code for all products and one for two
// of them.
type termsPayee struct {
	affiliate.Affiliate
	slug    string
	terms   *termsOf
	own     *big.Rat // the rate of their own; nil: none
	ownType affiliate.CommissionType
	tier    *termsTier
}

type termsCode struct {
	coupon   affiliate.CouponParams
	text     string
	owner    *termsPayee
	percent  *big.Rat // nil: off
	off      *big.Rat
	products []string // nil: all
}

type termsSale struct {
	id       affiliate.SaleID
	owner    *termsPayee
	by       affiliate.CreditedBy // empty: not compared
	customer string               // empty: none
	at       time.Time            // when it was paid
	recorded time.Time
	free     bool
	named    string // the conversion that it is; empty: a sale
	payer    *termsPayment
	trigger  affiliate.PaymentTrigger
	product  string // of a sale without lines
	lines    []*termsLine
	whole    bool     // the one line is the sale itself
	basket   *big.Rat // nil: not said

	currency             affiliate.Currency // that was charged, of all amounts below; empty: the program's
	worth                *big.Rat           // of one of it
	total, tax, shipping *big.Rat
	told, taxBack, back  *big.Rat // by refunds that say what is in them: all, and what of it was tax, and shipping
	kept                 *big.Rat

	payment, month int64
	terms          *affiliate.Terms // the version that decided last
	of             *termsOf         // whose it is
	hold           int64            // days
	source         affiliate.RateSource
	rate           *big.Rat
	typ            affiliate.CommissionType
	stopped        affiliate.OverLimit
	referred       bool     // the month is counted from the referral
	stale          bool     // the terms that decided last count another month, which is not stored
	nothing        bool     // it is free or stopped, and has no commission
	earlier        *big.Rat // what the other sales of its customer earned; nil: not read yet
	limit          *big.Rat // its cap; nil: none

	refunded, declined, held bool
	refunds                  []string
}

type termsLine struct {
	id, product, plan               string
	categories                      []string
	amount, left, quantity, codeOff *big.Rat // left: by all discounts
	refunded                        *big.Rat
	rule                            *affiliate.Rule
}

type termsModel struct {
	open      func() *scene.World // one more of the same program
	w         *scene.World
	last      affiliate.SaleParams
	zone      *time.Location
	credit    affiliate.Attribution
	window    time.Duration // of clicks
	takes     func(affiliate.Terms) error
	perPerson bool // the terms cap what a customer earns
	program   *termsOf
	plans     []*termsOf
	tiers     []*termsTier
	people    []*termsPayee
	codes     []*termsCode
	visitors  [2][]*termsClick
	customers map[string]*termsCustomer
	early     map[string]time.Time // when a renewal was paid that made a customer
	sales     []*termsSale         // that are there
	n         int
}

var (
	termsProducts    = []string{"", "SEAT", "MILL", "LAMP"}
	termsPlans       = []string{"", "monthly", "yearly"}
	termsCategories  = []string{"gift", "office"}
	termsConversions = []string{"signup", "lead"}
	termsTriggers    = []affiliate.PaymentTrigger{affiliate.TriggerPurchase, affiliate.TriggerBonus, affiliate.TriggerSignup, affiliate.TriggerContentReward}
)

// some draws a part of a list, in its order.
func some[T any](rt *rapid.T, label string, from []T) (part []T) {
	bits := rapid.IntRange(0, 1<<len(from)-1).Draw(rt, label)
	for i, v := range from {
		if bits>>i&1 == 1 {
			part = append(part, v)
		}
	}
	return part
}

// ruleConditions are what a rule may ask for; those of a group are about the same.
var ruleConditions = [][]string{{"products", "not products"}, {"plans", "not plans"}, {"categories", "not categories"}, {"payments", "customer"}, {"months"}, {"triggers"}}

// drawRule draws a rule with at most so many of these conditions.
func drawRule(rt *rapid.T, name string, most int, conditions []string) affiliate.Rule {
	r := affiliate.Rule{Name: name, Firm: maybe(rt, "firm", 4)}
	for range rapid.IntRange(0, most).Draw(rt, "conditions") {
		from := rapid.Int64Range(0, 3).Draw(rt, "from")
		to := choose(rt, "to", 0, from, from+1)
		switch choose(rt, "condition", conditions...) {
		case "products":
			r.When.Products = some(rt, "products", termsProducts[1:])
		case "plans":
			r.When.Plans = some(rt, "plans", termsPlans[1:])
		case "categories":
			r.When.Categories = some(rt, "categories", termsCategories)
		case "not products":
			r.When.NotProducts = some(rt, "not products", termsProducts[1:])
		case "not plans":
			r.When.NotPlans = some(rt, "not plans", termsPlans[1:])
		case "not categories":
			r.When.NotCategories = some(rt, "not categories", termsCategories)
		case "payments":
			r.When.PaymentFrom, r.When.PaymentTo = from, to
		case "months":
			r.When.MonthFrom, r.When.MonthTo = from, to
		case "customer":
			r.When.Customer = choose(rt, "customer", affiliate.CustomerNew, affiliate.CustomerReturning)
		case "triggers":
			r.When.Triggers = some(rt, "triggers", termsTriggers)
		}
	}
	switch r.Pay.Type = choose(rt, "pays", affiliate.RulePercentage, affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone); r.Pay.Type {
	case affiliate.RulePercentage:
		r.Pay.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 100_0000).Draw(rt, "percent"))
	case affiliate.RuleFlat, affiliate.RuleUnit:
		r.Pay.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 20_0000).Draw(rt, "amount"))
	}
	return r
}

// drawTerms draws terms that a program takes. Rules that can never hold are left out:
// TestCoveredRules is about them.
func (m *termsModel) drawTerms(rt *rapid.T) affiliate.Terms {
	t := affiliate.Terms{HoldDays: rapid.Int64Range(0, 2).Draw(rt, "days"), MonthsFrom: choose(rt, "months from", "", affiliate.MonthsFromReferral)}
	t.Type = choose(rt, "type", affiliate.CommissionPercentage, affiliate.CommissionPercentage, affiliate.CommissionFlat)
	t.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate"))
	if maybe(rt, "limited", 3) {
		t.MaxPayments, t.MaxMonths = rapid.Int64Range(0, 3).Draw(rt, "max payments"), rapid.Int64Range(0, 3).Draw(rt, "max months")
	}
	if maybe(rt, "cap of a sale", 3) {
		t.MaxPerSale = drawCents(rt, "max per sale", 1, 3_000)
	}
	if m.perPerson {
		t.MaxPerCustomer = drawCents(rt, "max per customer", 1, 6_000)
	}
	t.Rules = m.drawRules(rt, t)
	return t
}

// drawRules draws rules for terms. Some are for conversions.
func (m *termsModel) drawRules(rt *rapid.T, t affiliate.Terms) []affiliate.Rule {
	t.Rules = nil
	for i := range rapid.IntRange(0, 5).Draw(rt, "rules") {
		more, name := t, fmt.Sprint("rule ", i)
		rule := drawRule(rt, name, 2, slices.Concat(ruleConditions...))
		if maybe(rt, "of conversions", 5) {
			rule = affiliate.Rule{Name: name, When: affiliate.RuleWhen{Conversions: some(rt, "conversions", termsConversions)}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}
			if amount := rapid.Int64Range(0, 20_0000).Draw(rt, "amount"); amount > 0 {
				rule.Pay = affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.PercentFromScaled(amount)}
			}
		}
		if more.Rules = append(slices.Clone(t.Rules), rule); m.takes(more) == nil {
			t = more
		}
	}
	return t.Rules
}

// holds says whether a line meets every condition: T10.
func (s *termsSale) holds(w *affiliate.RuleWhen, l *termsLine) bool {
	oneOf := func(list []string, ids ...string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(list, id) })
	}
	for _, met := range []bool{
		s.named == "" && w.Conversions == nil || s.named != "" && slices.Contains(w.Conversions, s.named),
		w.Products == nil || oneOf(w.Products, l.product),
		w.Plans == nil || oneOf(w.Plans, l.plan),
		w.Categories == nil || oneOf(w.Categories, l.categories...),
		!oneOf(w.NotProducts, l.product), !oneOf(w.NotPlans, l.plan), !oneOf(w.NotCategories, l.categories...),
		w.PaymentFrom == 0 && w.PaymentTo == 0 || s.payment > 0,
		s.payment >= w.PaymentFrom, w.PaymentTo == 0 || s.payment <= w.PaymentTo,
		w.MonthFrom == 0 && w.MonthTo == 0 || s.month > 0,
		s.month >= w.MonthFrom, w.MonthTo == 0 || s.month <= w.MonthTo,
		w.Customer != affiliate.CustomerNew || s.payment == 1,
		w.Customer != affiliate.CustomerReturning || s.payment > 1,
		w.Triggers == nil || slices.Contains(w.Triggers, s.trigger),
	} {
		if !met {
			return false
		}
	}
	return true
}

// deciding is T11; nil: the rate decides.
func (s *termsSale) deciding(rules []affiliate.Rule, l *termsLine) *affiliate.Rule {
	first := func(fits func(r *affiliate.Rule) bool) *affiliate.Rule {
		for i := range rules {
			if fits(&rules[i]) && s.holds(&rules[i].When, l) {
				return &rules[i]
			}
		}
		return nil
	}
	if none := first(func(r *affiliate.Rule) bool { return r.Pay.Type == affiliate.RuleNone }); none != nil {
		return none
	}
	switch s.source {
	case affiliate.RateOfSale:
		return nil
	case affiliate.RateOfAffiliate, affiliate.RateOfTier:
		return first(func(r *affiliate.Rule) bool { return r.Firm })
	}
	return first(func(*affiliate.Rule) bool { return true })
}

// decides lets the rules decide about the lines. A sale without lines is one line with its
// product, if its terms have rules.
func (s *termsSale) decides(quantity *big.Rat) {
	rules := s.terms.Rules
	if s.lines == nil && rules != nil {
		s.whole, s.lines = true, []*termsLine{{product: s.product, amount: new(big.Rat), left: new(big.Rat), quantity: quantity, codeOff: new(big.Rat), refunded: new(big.Rat)}}
	}
	for _, l := range s.lines {
		l.rule = s.deciding(rules, l)
	}
	s.forget()
}

// forget drops the line of a sale without lines that says nothing.
func (s *termsSale) forget() {
	if s.whole && s.lines != nil && s.lines[0].product == "" && s.lines[0].rule == nil {
		s.lines, s.whole = nil, false
	}
}

// stops says whether a limit stops a sale, or it is free; then no rule decides about it.
func (s *termsSale) stops() bool {
	s.stopped, s.limit = s.over(), nil
	if !s.free && s.stopped == "" {
		return false
	}
	for _, l := range s.lines {
		l.rule = nil
	}
	if s.forget(); !s.nothing {
		s.limit = new(big.Rat) // what it has of a commission earns nothing
	}
	return true
}

// caps is T15. What the other sales of the customer earned is read once; of is the sale whose
// next state s is.
func (m *termsModel) caps(s, of *termsSale) {
	if s.earlier == nil {
		s.earlier = m.others(of)
	}
	s.limit, s.nothing = nil, false
	if s.source == affiliate.RateOfSale {
		return
	}
	if s.terms.MaxPerSale.Sign() > 0 {
		s.limit = scene.RatOf(s.terms.MaxPerSale)
	}
	if s.terms.MaxPerCustomer.Sign() > 0 && s.customer != "" {
		room := scene.RatDiff(scene.RatOf(s.terms.MaxPerCustomer), s.earlier)
		if room.Sign() < 0 {
			room = new(big.Rat)
		}
		if s.limit == nil || room.Cmp(s.limit) < 0 {
			s.limit = room
		}
	}
}

// over says whether the limits of the terms stop the sale: T14.
func (s *termsSale) over() affiliate.OverLimit {
	switch {
	case s.source == affiliate.RateOfSale || s.named != "":
	case s.terms.MaxMonths > 0 && s.month > s.terms.MaxMonths:
		return affiliate.OverMonths
	case s.terms.MaxPayments > 0 && s.payment > s.terms.MaxPayments:
		return affiliate.OverPayments
	}
	return ""
}

func (s *termsSale) base() *big.Rat { return scene.RatDiff(scene.RatDiff(s.total, s.tax), s.shipping) }

// spreadRat shares out a sum by weights in whole units, by largest remainder: T2.
func spreadRat(sum *big.Rat, weights []*big.Rat, unit *big.Rat) []*big.Rat {
	all, rest := scene.RatSum(weights...), new(big.Rat).Set(sum)
	shares, cut := make([]*big.Rat, len(weights)), make([]*big.Rat, len(weights))
	for i, w := range weights {
		exact := new(big.Rat).Mul(sum, w)
		exact.Quo(exact, new(big.Rat).Mul(all, unit))
		whole := new(big.Rat).SetInt(new(big.Int).Quo(exact.Num(), exact.Denom()))
		shares[i], cut[i] = new(big.Rat).Mul(whole, unit), exact.Sub(exact, whole)
		rest.Sub(rest, shares[i])
	}
	for ; rest.Sign() > 0; rest.Sub(rest, unit) {
		most := 0
		for i := range cut {
			if cut[i].Cmp(cut[most]) > 0 {
				most = i
			}
		}
		shares[most].Add(shares[most], unit)
		cut[most] = new(big.Rat)
	}
	return shares
}

var tenThousandth = big.NewRat(1, 10_000)

// bases is T3.
func (s *termsSale) bases() []*big.Rat {
	var lefts, amounts []*big.Rat
	for _, l := range s.lines {
		lefts, amounts = append(lefts, l.left), append(amounts, l.amount)
	}
	for _, weights := range [][]*big.Rat{lefts, amounts} {
		if scene.RatSum(weights...).Sign() > 0 {
			return spreadRat(s.base(), weights, tenThousandth)
		}
	}
	shares := make([]*big.Rat, len(s.lines))
	for i := range shares {
		shares[i] = new(big.Rat)
	}
	shares[0] = s.base()
	return shares
}

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }

// keptBase is M9a of docs/money.md.
func (s *termsSale) keptBase() *big.Rat {
	left := scene.RatSum(scene.RatDiff(s.base(), s.told), s.taxBack, s.back)
	if s.kept.Sign() <= 0 || left.Sign() <= 0 {
		return new(big.Rat)
	}
	return times(left, over(s.kept, scene.RatDiff(s.total, s.told)))
}

// keptOf is what is kept of each line: T4.
func (s *termsSale) keptOf(bases []*big.Rat) []*big.Rat {
	kept, open := make([]*big.Rat, len(bases)), new(big.Rat)
	for i, b := range bases {
		kept[i] = scene.RatDiff(b, s.lines[i].refunded)
		open.Add(open, kept[i])
	}
	for i := range kept {
		if open.Sign() > 0 {
			kept[i] = times(kept[i], over(s.keptBase(), open))
		}
	}
	return kept
}

// A termsShare is what a line of a sale earns.
type termsShare struct{ base, kept, exact *big.Rat }

// shares is T10 and T16: what each line earns, exactly.
func (s *termsSale) shares() (all []termsShare) {
	bases := s.bases()
	kept, left := s.keptOf(bases), new(big.Rat)
	if s.total.Sign() > 0 {
		left = over(s.kept, s.total)
	}
	paid := map[string]bool{}
	for i, l := range s.lines {
		name, typ, rate := "", affiliate.RuleType(s.typ), s.rate
		if l.rule != nil {
			name, typ, rate = l.rule.Name, l.rule.Pay.Type, scene.PercentRat(l.rule.Pay.Rate)
		}
		exact := new(big.Rat)
		switch typ {
		case affiliate.RulePercentage:
			exact = times(s.worth, scene.Share(rate, kept[i]))
		case affiliate.RuleUnit:
			exact = times(rate, l.quantity)
			if part := left; bases[i].Sign() > 0 {
				part = over(kept[i], bases[i])
				exact.Mul(exact, part)
			} else {
				exact.Mul(exact, part)
			}
		case affiliate.RuleFlat:
			together := new(big.Rat)
			for j, other := range s.lines {
				if other.rule == l.rule {
					together.Add(together, bases[j])
				}
			}
			if together.Sign() > 0 {
				exact = times(rate, over(kept[i], together))
			} else if !paid[name] {
				exact = times(rate, left)
			}
			paid[name] = true
		}
		all = append(all, termsShare{bases[i], kept[i], exact})
	}
	return all
}

// exact is what a sale earns before rounding and caps.
func (s *termsSale) exact() *big.Rat {
	sum := new(big.Rat)
	switch {
	case s.named != "" && !s.refunded:
		for _, l := range s.lines {
			sum = scene.PercentRat(l.rule.Pay.Rate)
		}
	case s.nothing || s.free || s.kept.Sign() <= 0:
	case s.lines != nil:
		for _, share := range s.shares() {
			sum.Add(sum, share.exact)
		}
	case s.typ == affiliate.CommissionPercentage:
		sum = times(s.worth, scene.Share(s.rate, s.keptBase()))
	case s.base().Sign() > 0:
		sum = times(s.rate, over(s.keptBase(), s.base()))
	default:
		sum = times(s.rate, over(s.kept, s.total))
	}
	return sum
}

func (s *termsSale) earned() *big.Rat {
	earned := scene.Cents(s.exact())
	if s.limit != nil && earned.Cmp(s.limit) > 0 {
		return s.limit
	}
	return earned
}

// byCustomer are the sales of a customer.
func (m *termsModel) byCustomer(name string) (list []*termsSale) {
	for _, s := range m.sales {
		if s.customer == name && name != "" {
			list = append(list, s)
		}
	}
	return list
}

// others is what the other sales of its customer earn: T15.
func (m *termsModel) others(s *termsSale) *big.Rat {
	sum := new(big.Rat)
	for _, other := range m.byCustomer(s.customer) {
		if other != s && !other.declined {
			sum.Add(sum, other.earned())
		}
	}
	return sum
}

// numbers is T13: the number of the payment, and that of the month if the terms ask for it.
func (m *termsModel) numbers(s *termsSale) {
	if s.payment == 0 && s.customer != "" && s.pays() {
		s.payment = 1
		for _, other := range m.byCustomer(s.customer) {
			if other.pays() && !other.refunded {
				s.payment++
			}
		}
	}
	m.monthOf(s)
}

// pays says whether a sale is a payment.
func (s *termsSale) pays() bool { return !s.free && s.named == "" }

// monthOf counts the months of the customer that have begun, by date, if the terms ask for
// them and the sale does not have it.
func (m *termsModel) monthOf(s *termsSale) {
	asked := s.terms.MaxMonths > 0 || slices.ContainsFunc(s.terms.Rules, func(r affiliate.Rule) bool { return r.When.MonthFrom+r.When.MonthTo > 0 })
	referred := s.terms.MonthsFrom == affiliate.MonthsFromReferral
	if s.customer == "" || !asked || s.named != "" || s.month > 0 && s.referred == referred {
		return
	}
	var payments []time.Time
	for _, other := range m.byCustomer(s.customer) {
		if other.pays() && !other.refunded {
			payments = append(payments, other.at)
		}
	}
	first := s.at
	if s.referred = referred; referred {
		first = m.customers[s.customer].since
	} else if payments != nil {
		first = slices.MinFunc(payments, time.Time.Compare)
	}
	year, month, day := first.In(m.zone).Date()
	today := s.at.In(m.zone).Format(time.DateOnly)
	for s.month = 1; ; s.month++ {
		next := time.Date(year, month+time.Month(s.month), day, 0, 0, 0, 0, time.UTC)
		if next.Day() != day { // a shorter month
			next = next.AddDate(0, 0, -next.Day())
		}
		if next.Format(time.DateOnly) > today {
			return
		}
	}
}

func TestModelTerms(t *testing.T) {
	for name, wrap := range map[string]func(record.Store) record.Store{
		"memstore":        func(s record.Store) record.Store { return s },
		"Rerun(memstore)": conformance.Rerun,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "memstore" {
				atlength.Only(t, "plays on a second store")
			}
			scratch := scene.New(t)
			rapid.Check(t, func(rt *rapid.T) {
				m := newTermsModel(rt, scratch, func(change func(*tributary.Config)) *scene.World {
					return scene.NewOn(t, wrap(memstore.New()), change)
				})
				rt.Repeat(map[string]func(*rapid.T){
					"sell": m.sell, "sell more": m.sell, "sell once more": m.sell, "refund": m.refund, "refund more": m.refund, "refund once more": m.refund,
					"own rate": m.ownRate, "plan": m.plan, "tier": m.tier, "rate": m.rateOf, "total": m.totalOf, "give": m.give, "decline": m.decline, "remove": m.remove,
					"recalculate": m.recalculate, "pay": m.pay, "terms": m.change, "terms again": m.change, "convert": m.convert, "visit": m.visit, "rush": m.rush,
					"report": m.report, "report more": m.report, "dispute": m.dispute, "dispute more": m.dispute,
					"pass": m.pass, "pass more": m.pass,
					"": m.check,
				})
			})
		})
	}
}
