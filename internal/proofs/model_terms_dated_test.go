package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The terms of the model and their versions (docs/terms.md 7), and the rates of affiliates
// and tiers (docs/rules.md 5.3).

// termsOf are the terms of a plan, or, without an id, of the program: the versions, the
// oldest first. A version that was changed is another one.
type termsOf struct {
	plan     uuid.UUID
	versions []termsVersion
}

type termsVersion struct {
	from  time.Time // zero: since always
	terms *affiliate.Terms
}

type termsTier struct {
	id   uuid.UUID
	rate *big.Rat // nil: none
	typ  affiliate.CommissionType
}

// termsCustomer is a customer who is known.
type termsCustomer struct {
	since time.Time
	of    *termsPayee
	id    uuid.UUID
	plan  *termsOf // instead of that of their affiliate; nil: none
}

// inForce is the number of the version at a time.
func (of *termsOf) inForce(at time.Time) (i int) {
	for j, v := range of.versions {
		if !v.from.After(at) {
			i = j
		}
	}
	return i
}

func (of *termsOf) at(t time.Time) *affiliate.Terms { return of.versions[of.inForce(t)].terms }

// findsTerms finds the terms of a sale: the version when it was paid.
func (m *termsModel) findsTerms(s *termsSale) {
	if c := m.customers[s.customer]; c != nil && c.plan != nil && c.of == s.owner {
		s.of = c.plan
	} else {
		s.of = s.owner.terms
	}
	s.terms = s.of.at(s.at)
}

// takesTerms gives a sale the rate of its terms.
func (m *termsModel) takesTerms(s *termsSale) {
	m.findsTerms(s)
	s.typ, s.rate, s.source = s.terms.Type, scene.PercentRat(s.terms.Rate), affiliate.RateOfProgram
	if s.of.plan != uuid.Nil {
		s.source = affiliate.RateOfPlan
	}
	tier := s.owner.tier
	switch {
	case s.named != "":
		s.rate = new(big.Rat)
	case s.owner.own != nil && s.owner.ownType == s.typ:
		s.rate, s.source = s.owner.own, affiliate.RateOfAffiliate
	case tier != nil && tier.rate != nil && tier.typ == s.typ:
		s.rate, s.source = tier.rate, affiliate.RateOfTier
	}
}

// drawFrom draws when a version begins: an instant, or a day, now and then in the past.
func (m *termsModel) drawFrom(rt *rapid.T) (affiliate.Date, time.Time) {
	at := m.w.Now.Add(time.Duration(rapid.IntRange(-24, 10*24).Draw(rt, "hours from now")) * time.Hour).Truncate(time.Millisecond)
	if rapid.Bool().Draw(rt, "of a day") {
		year, month, day := at.In(m.zone).Date()
		return affiliate.Day(year, month, day), time.Date(year, month, day, 0, 0, 0, 0, m.zone)
	}
	return affiliate.At(at), at
}

// change changes the terms of a plan or of the program: now, from a moment on, or by taking
// a version back.
func (m *termsModel) change(rt *rapid.T) {
	of := choose(rt, "terms of", append(m.plans, m.program)...)
	next := slices.Clone(of.versions)
	var up affiliate.TermsUpdate
	var want affiliate.Reason
	if maybe(rt, "withdraw", 4) {
		v := choose(rt, "version", next...)
		up.Withdraw = affiliate.Set(affiliate.At(v.from))
		if next = slices.DeleteFunc(next, func(other termsVersion) bool { return other == v }); !v.from.After(m.w.Now) {
			want = affiliate.InvalidField
		}
	}
	if up.Withdraw.IsZero() || rapid.Bool().Draw(rt, "and change") {
		at := m.w.Now
		old := termsOf{versions: next}
		if len(old.versions) == 0 {
			rt.Skip("the first version")
		}
		if rapid.Bool().Draw(rt, "dated") {
			var date affiliate.Date
			if date, at = m.drawFrom(rt); maybe(rt, "again", 3) {
				at = choose(rt, "version", next...).from
				date = affiliate.At(at)
			}
			up.From = affiliate.Set(date)
			if !at.After(m.w.Now) {
				want = affiliate.InvalidField
			}
		}
		i := old.inForce(at)
		terms := m.drawUpdate(rt, &up, *next[i].terms, of.plan != uuid.Nil)
		switch {
		case up.From.IsZero() || next[i].from.Equal(at):
			next[i].terms = terms
		default:
			next = slices.Insert(next, i+1, termsVersion{at, terms})
		}
		if want == "" && m.takes(*terms) != nil {
			want = affiliate.InvalidField // a rule is covered under the other terms
		}
	}
	var err error
	if of.plan == uuid.Nil {
		_, err = m.w.SetTerms(rt.Context(), up)
	} else {
		_, err = m.w.UpdatePlan(rt.Context(), of.plan, affiliate.PlanUpdate{TermsUpdate: up})
	}
	scene.RefusedAs(rt, "change of terms", want, err)
	if err == nil {
		of.versions = next
	}
	m.checkVersions(rt, of)
}

// drawUpdate draws a change of terms, and returns them changed. A plan keeps its type.
func (m *termsModel) drawUpdate(rt *rapid.T, up *affiliate.TermsUpdate, t affiliate.Terms, planned bool) *affiliate.Terms {
	next := m.drawTerms(rt)
	if planned {
		next.Type = t.Type
	}
	if rapid.Bool().Draw(rt, "as a whole") {
		if m.takes(next) != nil {
			next.Rules = nil
		}
		from, withdraw := up.From, up.Withdraw
		*up = next.Update()
		up.From, up.Withdraw = from, withdraw
		return &next
	}
	switch choose(rt, "change", "rate", "limits", "rules", "caps", "days") {
	case "rate":
		t.Rate, up.Rate = next.Rate, affiliate.Set(next.Rate)
	case "limits":
		t.MaxPayments, up.MaxPayments = next.MaxPayments, affiliate.Set(next.MaxPayments)
		if t.MaxMonths, up.MaxMonths = next.MaxMonths, affiliate.Set(next.MaxMonths); next.MaxPayments == 0 {
			up.MaxPayments, up.MaxMonths = affiliate.Null[int64](), affiliate.Null[int64]()
			t.MaxMonths = 0
		} else if next.MaxMonths == 0 {
			up.MaxMonths = affiliate.Null[int64]()
		}
	case "rules":
		if t.Rules = m.drawRules(rt, t); t.Rules == nil {
			up.Rules = affiliate.Null[[]affiliate.Rule]()
		} else {
			up.Rules = affiliate.Set(t.Rules)
		}
	case "caps":
		t.MaxPerSale, up.MaxPerSale = next.MaxPerSale, affiliate.Set(next.MaxPerSale)
		if next.MaxPerSale.IsZero() {
			up.MaxPerSale = affiliate.Null[affiliate.Amount]()
		}
	case "days":
		t.HoldDays, up.HoldDays = next.HoldDays, affiliate.Set(next.HoldDays)
	}
	return &t
}

// checkVersions compares all versions of terms with those that are shown.
func (m *termsModel) checkVersions(rt *rapid.T, of *termsOf) {
	shown := scene.Must(m.w.Terms(rt.Context()))
	if of.plan != uuid.Nil {
		plan := scene.Must(m.w.Plan(rt.Context(), of.plan))
		if shown = plan.Versions; shown == nil {
			shown = []affiliate.DatedTerms{{InForce: true, ProgramTerms: affiliate.ProgramTerms{
				CommissionType: plan.CommissionType, CommissionRate: plan.CommissionRate, NumberOfPayments: plan.NumberOfPayments, NumberOfMonths: plan.NumberOfMonths,
				HoldDays: plan.HoldDays, Rules: plan.Rules, MaxPerSale: plan.MaxPerSale, MaxPerCustomer: plan.MaxPerCustomer,
			}}}
		} else if now := of.at(m.w.Now); plan.CommissionRate != now.Rate || plan.HoldDays != now.HoldDays {
			rt.Errorf("the plan shows %v, in force is %v", plan.CommissionRate, now.Rate)
		}
	}
	var want, have []string
	for i, v := range of.versions {
		want = append(want, fmt.Sprint(v.from.UTC(), i == of.inForce(m.w.Now), v.terms.Type, v.terms.Rate, v.terms.MaxPayments, v.terms.MaxMonths, v.terms.HoldDays, scene.JSON(v.terms.Rules), v.terms.MaxPerSale, v.terms.MaxPerCustomer))
	}
	for _, v := range shown {
		var from time.Time
		if at, ok := v.From.Get(); ok {
			from = at.Time()
		}
		have = append(have, fmt.Sprint(from.UTC(), v.InForce, v.CommissionType, v.CommissionRate, v.NumberOfPayments.Or(0), v.NumberOfMonths.Or(0), v.HoldDays, scene.JSON(v.Rules), v.MaxPerSale, v.MaxPerCustomer))
	}
	sameLines(rt, "versions", want, have)
}

// ownRate gives an affiliate a rate of their own, or takes it away.
func (m *termsModel) ownRate(rt *rapid.T) {
	p := choose(rt, "affiliate", m.people...)
	up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
	if p.own = nil; rapid.Bool().Draw(rt, "own") {
		rate := affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate"))
		up.CommissionRate, p.own, p.ownType = affiliate.Set(rate), scene.PercentRat(rate), p.terms.at(m.w.Now).Type
	}
	scene.Must(m.w.UpdateAffiliate(rt.Context(), affiliate.AffiliateRef{ID: p.ID}, up))
}

// plan puts an affiliate, or a customer, on a plan or on the program's terms.
func (m *termsModel) plan(rt *rapid.T) {
	of := choose(rt, "plan", append(m.plans, m.program)...)
	if rapid.Bool().Draw(rt, "of a customer") {
		c := m.customers[choose(rt, "customer", termsCustomers...)]
		if c == nil {
			rt.Skip("not known")
		}
		if c.plan = of; of == m.program {
			c.plan = nil
		}
		scene.Must(m.w.SetReferralPlan(rt.Context(), of.plan, c.id))
		return
	}
	p := choose(rt, "affiliate", m.people...)
	p.terms = of
	scene.Must(m.w.SetAffiliatePlan(rt.Context(), of.plan, p.ID))
}

// tier puts an affiliate into a tier or out of all, or changes the rate of one.
func (m *termsModel) tier(rt *rapid.T) {
	tier := choose(rt, "tier", append(m.tiers, nil)...)
	if tier != nil && maybe(rt, "change", 3) {
		m.rateTier(rt, tier)
		return
	}
	p := choose(rt, "affiliate", m.people...)
	id := uuid.Nil
	if p.tier = tier; tier != nil {
		id = tier.id
	}
	scene.Must(m.w.SetAffiliateTier(rt.Context(), id, p.ID))
}

// rateTier gives a tier a rate, of the type that the program has now, or takes it away.
func (m *termsModel) rateTier(rt *rapid.T, tier *termsTier) {
	up := affiliate.TierUpdate{Rate: affiliate.Null[affiliate.Percent]()}
	if tier.rate = nil; rapid.Bool().Draw(rt, "rated") {
		rate := affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate"))
		up.Rate, tier.rate, tier.typ = affiliate.Set(rate), scene.PercentRat(rate), m.program.at(m.w.Now).Type
	}
	scene.Must(m.w.UpdateTier(rt.Context(), tier.id, up))
}

// Whom an order of the model credits: docs/rules.md 5.8.

// A termsClick is a click of a visitor.
type termsClick struct {
	id      affiliate.ClickID
	of      *termsPayee
	at      time.Time
	earlier *termsClick
}

// A termsOrder says whom an order names.
type termsOrder struct {
	code  *termsCode
	click *termsClick
	slug  *termsPayee
}

// visit lets a visitor follow a link. Not every page knows the click before.
func (m *termsModel) visit(rt *rapid.T) {
	i := rapid.IntRange(0, len(m.visitors)-1).Draw(rt, "visitor")
	c := &termsClick{of: choose(rt, "affiliate", m.people...), at: m.w.Now}
	in := affiliate.ClickParams{Slug: c.of.slug}
	if n := len(m.visitors[i]); n > 0 && !maybe(rt, "as if new", 5) {
		c.earlier = m.visitors[i][n-1]
		in.Earlier = c.earlier.id
	}
	c.id = scene.Must(m.w.TrackClick(rt.Context(), in)).ID
	m.visitors[i] = append(m.visitors[i], c)
}

// fresh says whether a click may credit an order of this time.
func (m *termsModel) fresh(c *termsClick, at time.Time) bool { return !at.After(c.at.Add(m.window)) }

// credits says whom an order of a customer credits, and by what; nil: nobody.
func (m *termsModel) credits(o *termsOrder, customer string, at time.Time) (*termsPayee, affiliate.CreditedBy) {
	var named *termsPayee
	var by affiliate.CreditedBy
	switch {
	case o.click != nil && m.fresh(o.click, at):
		first := o.click
		for m.credit.Touch == affiliate.TouchFirst && first.earlier != nil && m.fresh(first.earlier, at) {
			first = first.earlier
		}
		if named, by = first.of, affiliate.CreditClick; first != o.click {
			by = affiliate.CreditFirstClick
		}
	case o.slug != nil:
		named, by = o.slug, affiliate.CreditLink
	}
	known := m.customers[customer]
	if known != nil && (named == nil || m.credit.Customer == affiliate.CreditKeptCustomer) {
		if by = affiliate.CreditEmail; named != nil || o.code != nil {
			by = affiliate.CreditCustomer
		}
		if named = known.of; o.code == nil || m.credit.Customer == affiliate.CreditKeptCustomer || m.credit.Code == affiliate.CodeUnbrought {
			return named, by
		}
	}
	switch {
	case o.code == nil:
		return named, by
	case named != nil && m.credit.Code == affiliate.CodeUnbrought:
		return named, affiliate.CreditBrought
	}
	return o.code.owner, affiliate.CreditCode
}

// drawOrder draws whom an order names, so that somebody is credited.
func (m *termsModel) drawOrder(rt *rapid.T, customer string, at time.Time) (o termsOrder, referral string) {
	if customer == "" || rapid.Bool().Draw(rt, "by code") {
		o.code = choose(rt, "code", m.codes...)
	}
	switch choose(rt, "names", "nobody", "a slug", "a click") {
	case "a slug":
		o.slug = choose(rt, "affiliate", m.people...)
	case "a click":
		if clicks := m.visitors[rapid.IntRange(0, len(m.visitors)-1).Draw(rt, "visitor")]; len(clicks) > 0 {
			o.click = choose(rt, "click", clicks...)
		}
	}
	if customer == "" {
		o.slug, o.click = nil, nil
	}
	if who, _ := m.credits(&o, customer, at); who == nil {
		o.click, o.slug = nil, m.people[0]
	}
	switch {
	case o.click != nil:
		return o, fmt.Sprint(o.click.id)
	case o.slug != nil:
		return o, o.slug.slug
	}
	return o, ""
}

// drawAttribution draws the choices of a program.
func drawAttribution(rt *rapid.T) affiliate.Attribution {
	return affiliate.Attribution{
		Touch: choose(rt, "touch", "", affiliate.TouchFirst), Customer: choose(rt, "customer", "", affiliate.CreditKeptCustomer),
		Code: choose(rt, "code", "", affiliate.CodeUnbrought),
	}
}

// TestRefundsInAnyOrder: the refunds of a sale in any order end at the same commission and at
// the same explanation (T4).
func TestRefundsInAnyOrder(t *testing.T) {
	scratch := scene.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := newTermsModel(rt, scratch, func(change func(*tributary.Config)) *scene.World {
			return scene.NewOn(t, memstore.New(), change)
		})
		m.sell(rt)
		if len(m.sales) == 0 || m.sales[0].free {
			rt.Skip("no payment")
		}
		s, in := m.sales[0], m.last
		var refunds []termsRefund
		for range rapid.IntRange(2, 6).Draw(rt, "refunds") {
			r := m.drawRefund(rt, s)
			r.Amount = affiliate.Set(amountOf(r.part)) // of all means another amount in another order
			if !s.refunded && !s.exceeds(&r) {
				refunds = append(refunds, r)
				s.takesBack(&r)
			}
		}
		other := m.open()
		other.Now = m.w.Now
		scene.Must(other.RecordSale(rt.Context(), in))
		var ends []string
		for _, end := range []struct {
			w     *scene.World
			order []termsRefund
		}{{m.w, refunds}, {other, rapid.Permutation(refunds).Draw(rt, "order")}} {
			for _, r := range end.order {
				scene.Must(end.w.RefundSale(rt.Context(), r.Refund))
			}
			if err := end.w.Verify(rt.Context()); err != nil {
				rt.Errorf("Verify: %v", err)
			}
			sale, e := scene.Must(end.w.Sale(rt.Context(), s.id)), scene.Must(end.w.ExplainSale(rt.Context(), s.id))
			if scene.RatOf(sale.CommissionEarned).Cmp(s.earned()) != 0 {
				rt.Errorf("it earns %v, want %s", sale.CommissionEarned, scene.Plain(s.earned()))
			}
			ends = append(ends, fmt.Sprint(sale.CommissionEarned, sale.RefundedAmount, sale.Status, scene.JSON(sale.Lines), scene.JSON(e.Arithmetic), scene.JSON(e.Base), scene.JSON(e.Lines)))
		}
		if diff := cmp.Diff(ends[0], ends[1]); diff != "" {
			rt.Errorf("%d refunds in another order (-one +other):\n%s", len(refunds), diff)
		}
	})
}

// TestCoveredRules: rules are refused when one of them can never decide, and only then (T12). That is
// tried with every line at every stage.
func TestCoveredRules(t *testing.T) {
	w := scene.New(t)
	var lines []*termsLine
	for _, product := range append(termsProducts, "other") {
		for _, plan := range append(termsPlans, "other") {
			for _, categories := range [][]string{nil, {"gift"}, {"office"}, {"gift", "office"}, {"other"}, {"gift", "other"}, {"office", "other"}, {"gift", "office", "other"}} {
				lines = append(lines, &termsLine{product: product, plan: plan, categories: categories})
			}
		}
	}
	var stages []termsSale
	for payment := range int64(6) {
		for month := range int64(6) {
			for _, trigger := range termsTriggers {
				for _, source := range []affiliate.RateSource{affiliate.RateOfProgram, affiliate.RateOfAffiliate, affiliate.RateOfSale} {
					stages = append(stages, termsSale{payment: payment, month: month, trigger: trigger, source: source})
				}
			}
		}
	}
	// decides says whether a rule ever decides, beside another one.
	decides := func(rules []affiliate.Rule, at int) bool {
		return slices.ContainsFunc(stages, func(s termsSale) bool {
			return slices.ContainsFunc(lines, func(l *termsLine) bool { return s.deciding(rules, l) == &rules[at] })
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		conditions := choose(rt, "about", append(ruleConditions, slices.Concat(ruleConditions...))...)
		rules := []affiliate.Rule{drawRule(rt, "a", 3, conditions), drawRule(rt, "b", 3, conditions)}
		want := ""
		switch {
		case !decides(rules[:1], 0), !decides(rules[1:], 0):
			want = "contradict each other"
		case !decides(rules, 0):
			want = "Rule a can never hold, because rule b decides before it"
		case !decides(rules, 1):
			want = "Rule b can never hold, because rule a decides before it"
		}
		_, err := w.CreatePlan(rt.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rules: rules}})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			rt.Errorf("%+v\nare refused with %v, want %q", rules, err, want)
		}
	})
}

// Conversions (docs/terms.md 6), and payments of a provider with their refunds and disputes
// (docs/payments.md).

// convert reports a conversion. It is counted once for each customer, also after a refund.
func (m *termsModel) convert(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	customer := choose(rt, "customer", termsCustomers...)
	d := termsDraft{sale: m.newTermsSale(customer), quantity: big.NewRat(1, 1)}
	s := d.sale
	s.trigger, s.named = affiliate.TriggerSignup, choose(rt, "conversion", termsConversions...)
	in := affiliate.ConversionParams{Conversion: s.named, Email: customer, Name: "N", ExternalID: fmt.Sprint("order ", m.n)}
	if d.order, in.ReferralID = m.drawOrder(rt, customer, s.at); d.order.code != nil {
		in.PromoCode = d.order.code.text
	}
	before := slices.ContainsFunc(m.byCustomer(customer), func(other *termsSale) bool { return other.named == s.named })
	got, err := m.w.RecordConversion(rt.Context(), in)
	scene.RefusedAs(rt, "RecordConversion", "", err)
	want := affiliate.SaleRecorded
	if before {
		want = affiliate.SaleDuplicate
	}
	if got.Outcome != want {
		rt.Fatalf("%s of %s is %s, want %s", s.named, customer, got.Outcome, want)
	}
	if !before {
		m.book(rt, &d, got)
	}
}

// A termsPayment is a payment of a provider: what of it was refunded, and is away by disputes.
type termsPayment struct {
	key      string
	refunds  []*big.Rat
	disputes []*termsDispute
	host     *big.Rat // what the host refunded besides
}

type termsDispute struct {
	amount *big.Rat
	state  affiliate.DisputeState
}

// report reports a payment of a provider, with what came off already in the discounts of its lines.
func (m *termsModel) report(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	customer := choose(rt, "customer", termsCustomers...)
	d := termsDraft{sale: m.newTermsSale(customer), quantity: big.NewRat(1, 1)}
	s := d.sale
	s.payer = &termsPayment{key: fmt.Sprint("pay_", m.n), host: new(big.Rat)}
	paid := affiliate.Paid{SaleParams: affiliate.SaleParams{ExternalID: fmt.Sprint("order ", m.n), Lines: m.drawLines(rt)}}
	if maybe(rt, "paid earlier", 3) {
		paid.PaidAt = m.paidAt(rt).Time()
		s.at = paid.PaidAt
	}
	paid.Renewal = maybe(rt, "renewal", 4)
	if began, early := m.early[customer]; early && !paid.Renewal && !s.at.After(began) {
		paid.PaidAt, s.at = time.Time{}, m.w.Now // a first payment decides anew about renewals: paytest.Payers has that
	}
	var named string
	d.order, named = m.drawOrder(rt, customer, s.at)
	d.order.code = nil
	if who, _ := m.credits(&d.order, customer, s.at); who == nil {
		d.order.click, d.order.slug, named = nil, m.people[1], m.people[1].slug
	}
	if named != "" {
		paid.Tries = []affiliate.Credit{{ReferralID: named}}
	}
	net := new(big.Rat)
	s.lines = termsLinesOf(paid.Lines)
	for _, l := range s.lines {
		net.Add(net, l.left)
		s.basket = scene.RatSum(l.amount, orZero(s.basket))
	}
	if s.basket != nil && s.basket.Sign() == 0 {
		s.basket = nil
	}
	if net.Sign() == 0 || s.lines == nil {
		net = scene.RatOf(drawCents(rt, "net", 1, 20_000))
		s.lines, s.basket, paid.Lines = nil, nil, nil
	}
	if maybe(rt, "taxed", 2) {
		paid.Tax = drawCents(rt, "tax", 0, 3_000)
	}
	s.tax = scene.RatOf(paid.Tax)
	s.total = scene.RatSum(net, s.tax)
	paid.TotalEarned, paid.Gross, s.kept = amountOf(s.total), amountOf(s.total), s.total
	if maybe(rt, "numbered", 6) {
		s.payment = rapid.Int64Range(1, 4).Draw(rt, "payment")
		paid.Payment = s.payment
	}
	got, err := m.w.Payments().ReportPayment(rt.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{s.payer.key}, Payer: affiliate.PayerFact{ID: "cus_" + customer, Email: customer, Name: "N"}, At: m.w.Now, Currency: "USD", Sale: affiliate.Set(paid),
	})
	scene.RefusedAs(rt, "ReportPayment", "", err)
	switch known := m.customers[customer]; {
	case paid.Renewal && known != nil:
		d.order = termsOrder{}
	case paid.Renewal:
		m.early[customer] = s.at
	}
	m.book(rt, &d, affiliate.SaleResult{Outcome: got.Outcome, Sale: got.Sale})
	s.by = ""
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// away is what a payment lost, rounded once: point 4 of docs/payments.md.
func (p *termsPayment) away(total *big.Rat) *big.Rat {
	lost := scene.RatSum(p.refunds...)
	for _, d := range p.disputes {
		if d.state == affiliate.DisputeWithdrawn || d.state == affiliate.DisputeLost {
			lost.Add(lost, d.amount)
		}
	}
	if lost.Cmp(total) >= 0 {
		return total
	}
	return scene.Cents(lost)
}

// dispute lets the provider report a refund, or the next state of a dispute.
func (m *termsModel) dispute(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return s.payer != nil })
	p := s.payer
	f := affiliate.PaymentFact{Provider: "stripe", Keys: []string{p.key}, At: m.w.Now, Currency: "USD"}
	amount := scene.RatOf(affiliate.AmountFromScaled(1 + drawUnits(rt, "amount", amountOf(s.total).Scaled()).Scaled()))
	if rapid.Bool().Draw(rt, "all") {
		amount = s.total
	}
	switch i := rapid.IntRange(0, 3).Draw(rt, "dispute"); {
	case i == 3:
		p.refunds = append(p.refunds, amount)
		f.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", len(p.refunds)), Amount: amountOf(amount), State: affiliate.RefundSucceeded}}
	default:
		if i >= len(p.disputes) {
			i = len(p.disputes)
			p.disputes = append(p.disputes, &termsDispute{amount: amount})
		}
		m.w.Pass(time.Millisecond) // the latest state counts
		f.At = m.w.Now
		p.disputes[i].state = choose(rt, "state", affiliate.DisputeInquiry, affiliate.DisputeWithdrawn, affiliate.DisputeLost, affiliate.DisputeWon)
		f.Disputes = []affiliate.DisputeFact{{ID: fmt.Sprint("dp_", i), Amount: amountOf(p.disputes[i].amount), State: p.disputes[i].state}}
	}
	_, err := m.w.Payments().ReportPayment(rt.Context(), f)
	scene.RefusedAs(rt, "ReportPayment", "", err)
	s.settle()
}

// settle takes off a sale what its payment lost, besides what the host refunded.
func (s *termsSale) settle() {
	if s.kept = scene.RatDiff(scene.RatDiff(s.total, s.payer.host), s.payer.away(s.total)); s.kept.Sign() < 0 {
		s.kept = new(big.Rat)
	}
	s.refunded = s.kept.Sign() == 0
}
