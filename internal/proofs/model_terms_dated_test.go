package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
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
