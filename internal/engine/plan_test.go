package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestPlans(t *testing.T) {
	w := scene.New(t)
	var plan, flat affiliate.Plan
	events := w.Fired(func() {
		plan = scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Standard"}))
		flat = scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{
			Name:  "Flat",
			Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("250"), MaxPayments: 12, MaxMonths: 1200, HoldDays: 3650}, PaymentTrigger: affiliate.TriggerSignup, AutoApproveRewards: affiliate.Set(false),
		}))
	})
	scene.Equal(t, 0, len(events))
	scene.Equal(t, affiliate.Plan{
		ID: plan.ID, Name: "Standard", CommissionType: affiliate.CommissionPercentage, NumberOfPayments: affiliate.Null[int64](),
		NumberOfMonths: affiliate.Null[int64](), PaymentTrigger: affiliate.TriggerPurchase, AutoApproveRewards: true, RewardType: affiliate.RewardCash,
		CreatedAt: affiliate.TimeOf(w.Now), UpdatedAt: affiliate.TimeOf(w.Now),
	}, plan)
	scene.Equal(t, affiliate.Plan{
		ID: flat.ID, Name: "Flat", CommissionRate: affiliate.MustPercent("250"), CommissionType: affiliate.CommissionFlat,
		NumberOfPayments: affiliate.Set[int64](12), NumberOfMonths: affiliate.Set[int64](1200), PaymentTrigger: affiliate.TriggerSignup, RewardType: affiliate.RewardCash,
		HoldDays: 3650, CreatedAt: affiliate.TimeOf(w.Now), UpdatedAt: affiliate.TimeOf(w.Now),
	}, flat)
	scene.Equal(t, flat, scene.Must(w.Plan(t.Context(), flat.ID)))
	if _, err := w.Plan(t.Context(), uuid.New()); err != affiliate.ErrNotFound {
		t.Errorf("an unknown plan: %v", err)
	}
	scene.Equal(t, []affiliate.Plan{flat, plan}, scene.Must(w.Plans(t.Context(), affiliate.Page{})).Items)
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), func() error {
		return scene.ErrOf(w.Plans(t.Context(), affiliate.Page{Limit: -1}))
	})
}

// TestZeroTerms: a program without terms records sales and pays 0, as the
// comments of Terms and Config and the README say.
func TestZeroTerms(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{} })
	w.Ada()
	res := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("100")}))
	sale, _ := res.Sale.Get()
	want := []string{"recorded", "0", "0"}
	scene.Equal(t, want, []string{string(res.Outcome), sale.CommissionRate.String(), sale.CommissionEarned.String()})
}

// A plan keeps its name without the blanks around it.
func TestPlanNameTrimmed(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: " Gold plan\t"}))
	scene.Equal(t, "Gold plan", plan.Name)
	scene.Equal(t, "Silver", scene.Must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("\u00a0Silver ")})).Name)
}

func TestTierRefusals(t *testing.T) {
	w := scene.New(t)
	tier := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t"}))
	field := func(name, what string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, name, name+" "+what)
	}
	rate := affiliate.Set(affiliate.MustPercent("101"))
	for _, tt := range []struct {
		name string
		in   affiliate.TierParams
		want affiliate.Error
	}{
		{"ErrTier", affiliate.TierParams{}, field("tier", "must be at least 1")},
		{"ErrName", affiliate.TierParams{Tier: 1}, scene.FieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrEmoji", affiliate.TierParams{Tier: 1, Name: "t", Emoji: strings.Repeat("☕", 256)}, field("emoji", "is too long")},
		{"ErrReferrals", affiliate.TierParams{Tier: 1, Name: "t", MinReferrals: -1}, field("minReferrals", "must be at least 0")},
		{"ErrRevenue", affiliate.TierParams{Tier: 1, Name: "t", MinRevenue: affiliate.MustAmount("-0.01")}, field("minRevenue", "must be at least 0")},
		{"ErrCondition", affiliate.TierParams{Tier: 1, Name: "t", ConditionType: "all"}, field("conditionType", "must be one of ALL, SOME")},
		{"ErrRate", affiliate.TierParams{Tier: 1, Name: "t", Rate: rate}, scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.CreateTier(t.Context(), tt.in)) })
		})
	}
	w.T = t
	for name, up := range map[string]affiliate.TierUpdate{
		"tier": {Tier: affiliate.Null[int64]()}, "name": {Name: affiliate.Null[string]()},
		"minReferrals": {MinReferrals: affiliate.Null[int64]()}, "minRevenue": {MinRevenue: affiliate.Null[affiliate.Amount]()},
		"conditionType": {ConditionType: affiliate.Null[affiliate.ConditionType]()},
	} {
		w.Refused(field(name, "must not be null"), func() error { return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, up)) })
	}
	w.Refused(field("emoji", "must not be empty"), func() error {
		return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Emoji: affiliate.Set("")}))
	})
	w.Refused(field("tier", "must be at least 1"), func() error {
		return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Tier: affiliate.Set[int64](0)}))
	})
	missing := scene.MissingError(affiliate.TierNotFound, "Tier not found")
	w.Refused(missing, func() error { return scene.ErrOf(w.UpdateTier(t.Context(), uuid.New(), affiliate.TierUpdate{})) })
	w.Refused(missing, func() error { return w.DeleteTier(t.Context(), uuid.New()) })
}

func TestTierRateOfFlatProgram(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat} })
	scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("101"))}))
}

// A rate of null is no rate: on a tier that has one it is taken away, and on a new one it is
// stored as a rate that was not given.
func TestTierWithoutRate(t *testing.T) {
	w := scene.New(t)
	in := affiliate.TierParams{Tier: 1, Name: "t", Rate: scene.Percent("9")}
	rated := scene.Must(w.CreateTier(t.Context(), in))
	in.Rate = affiliate.Null[affiliate.Percent]()
	null := scene.Must(w.CreateTier(t.Context(), in))
	in.Rate = affiliate.Opt[affiliate.Percent]{}
	plain := scene.Must(w.CreateTier(t.Context(), in))
	scene.Must(w.UpdateTier(t.Context(), rated.ID, affiliate.TierUpdate{Rate: affiliate.Null[affiliate.Percent]()}))
	w.Raw(func(tx *record.Tx) error {
		want := scene.Must(tx.Tiers.Get(plain.ID))
		for _, id := range []uuid.UUID{rated.ID, null.ID} {
			got := scene.Must(tx.Tiers.Get(id))
			got.ID = want.ID
			scene.Equal(t, want, got)
		}
		return nil
	})
}

func TestAssignTiers(t *testing.T) {
	w := scene.New(t)
	assign := func(want int) []string {
		return w.FiredTypes(func() {
			scene.Equal(t, int64(want), scene.Must(w.Run(t.Context(), affiliate.AssignTiersJob{})).Changed)
		})
	}
	tierOf := func(slug string) affiliate.Opt[uuid.UUID] {
		return scene.Must(w.Affiliate(t.Context(), slug)).CommissionTierID
	}
	create := func(in affiliate.TierParams) affiliate.Opt[uuid.UUID] {
		in.Name = "t"
		return affiliate.Set(scene.Must(w.CreateTier(t.Context(), in)).ID)
	}
	gold := create(affiliate.TierParams{Tier: 3, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionAll})
	silver := create(affiliate.TierParams{Tier: 2, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionSome})
	a, b, c, d := w.Join("a"), w.Join("b"), w.Join("c"), w.Join("d")
	scene.Must(w.SetTierExempt(t.Context(), true, d.ID))
	for _, x := range []struct{ slug, customer, total string }{
		{"a", "a1@b.co", "100"}, {"a", "a2@b.co", "0.01"}, // reaches both minimums
		{"b", "b1@b.co", "100"}, // reaches only the revenue
		{"c", "c1@b.co", "99.99"},
		{"d", "d1@b.co", "100"}, {"d", "d2@b.co", "1"}, // exempt
	} {
		w.Refer(x.slug, x.customer)
		w.SellTo(x.customer, x.total)
	}
	updated := func(all ...affiliate.Affiliate) []string {
		out := []string{}
		for _, x := range all {
			out = append(out, "affiliate.updated "+x.ID.String())
		}
		return out
	}
	none := affiliate.Null[uuid.UUID]()
	scene.Equal(t, updated(a, b), assign(2))
	scene.Equal(t, []affiliate.Opt[uuid.UUID]{gold, silver, none, none}, []affiliate.Opt[uuid.UUID]{tierOf("a"), tierOf("b"), tierOf("c"), tierOf("d")})
	scene.Equal(t, updated(), assign(0))

	bronze := create(affiliate.TierParams{Tier: 1})
	scene.Equal(t, updated(c), assign(1))
	scene.Equal(t, bronze, tierOf("c"))

	sales := scene.Must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	for _, s := range sales { // a loses the sales that lifted it
		if s.Affiliate.ID == a.ID && s.TotalEarned == affiliate.MustAmount("100") {
			scene.Must(0, w.DeleteSale(t.Context(), s.ID))
		}
	}
	scene.Equal(t, updated(a), assign(1))
	scene.Equal(t, silver, tierOf("a"))

	newer := create(affiliate.TierParams{Tier: 1}) // of tiers with one rank, the newest applies
	scene.Equal(t, updated(c), assign(1))
	scene.Equal(t, newer, tierOf("c"))
}

// A rateShop is Ada's shop with short functions to set terms.
type rateShop struct{ scene.Shop }

func newRateShop(t *testing.T, program affiliate.Terms) rateShop {
	return rateShop{scene.NewShop(t, func(c *tributary.Config) { c.Terms = program })}
}

func percentTerms(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent(rate)}
}

func flatTerms(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent(rate)}
}

// plan creates a plan.
func (s rateShop) plan(terms affiliate.Terms) uuid.UUID {
	s.T.Helper()
	return scene.Must(s.CreatePlan(s.T.Context(), affiliate.PlanParams{Name: "p", Terms: terms})).ID
}

// onPlan gives Ada a plan.
func (s rateShop) onPlan(terms affiliate.Terms) {
	s.T.Helper()
	scene.Must(s.SetAffiliatePlan(s.T.Context(), s.plan(terms), s.Ada.Person.ID))
}

// own gives Ada her own rate.
func (s rateShop) own(rate string) {
	s.T.Helper()
	up := affiliate.AffiliateUpdate{CommissionRate: scene.Percent(rate)}
	scene.Must(s.UpdateAffiliate(s.T.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, up))
}

// tier puts Ada into a tier with a rate.
func (s rateShop) tier(rate string) {
	s.T.Helper()
	tier := scene.Must(s.CreateTier(s.T.Context(), affiliate.TierParams{Tier: 1, Name: "t", Rate: scene.Percent(rate)}))
	scene.Must(s.SetAffiliateTier(s.T.Context(), tier.ID, s.Ada.Person.ID))
}

// customers gives Ada's customer a plan.
func (s rateShop) customers(terms affiliate.Terms) {
	s.T.Helper()
	scene.Must(s.SetReferralPlan(s.T.Context(), s.plan(terms), s.Tomas.ID))
}

// An affiliate shows the rate that applies to its sales: an own rate that is
// skipped is not shown.
func TestShownRate(t *testing.T) {
	s := newRateShop(t, percentTerms("20"))
	type shown struct {
		Rate string
		Own  bool
	}
	now := func() shown {
		a := scene.Must(s.Affiliate(t.Context(), "ada"))
		return shown{a.CommissionRate.String(), !a.UseCommissionPlanCommissionRate}
	}
	s.own("25")
	scene.Equal(t, shown{"25", true}, now())
	s.onPlan(flatTerms("5"))
	scene.Equal(t, shown{"5", false}, now())
	s.own("25") // the same number, but now an amount, so this is a change
	scene.Equal(t, shown{"25", true}, now())
	s.onPlan(percentTerms("7"))
	scene.Equal(t, shown{"7", false}, now())
	events := s.Fired(func() {
		up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
		scene.Must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, up))
	})
	scene.Equal(t, 1, len(events))
	s.onPlan(flatTerms("6"))
	scene.Equal(t, shown{"6", false}, now())
	s.Verifies()
}

// untype removes the commission types from the stored rates, as an earlier
// version wrote them.
func untype(w *scene.World) {
	w.T.Helper()
	w.Raw(func(tx *record.Tx) error {
		for rec := range scene.OnlyValues(tx.Affiliates.List(record.Query{})) {
			rec.RateType = ""
			scene.Must(0, tx.Affiliates.Replace(rec))
		}
		for rec := range scene.OnlyValues(tx.Tiers.List(record.Query{})) {
			rec.RateType = ""
			scene.Must(0, tx.Tiers.Replace(rec))
		}
		return nil
	})
}

// A rate that was stored without a type has the type that it was checked
// against: an affiliate's rate that of its own terms, a tier's rate that of the
// program. A rate above 100 was always an amount.
func TestRateWithoutType(t *testing.T) {
	for _, tt := range []struct {
		name         string
		program      affiliate.Terms
		set          func(s rateShop)
		total, earns string
	}{
		{"own percentage", percentTerms("20"), func(s rateShop) { s.own("25") }, "100", "25"},
		{"own percentage of a plan", flatTerms("3"), func(s rateShop) { s.onPlan(percentTerms("7")); s.own("25") }, "100", "25"},
		{"own amount of a plan", percentTerms("20"), func(s rateShop) { s.onPlan(flatTerms("5")); s.own("250") }, "100", "250"},
		{"own amount, customer on a percentage plan", percentTerms("20"), func(s rateShop) {
			s.onPlan(flatTerms("5"))
			s.own("250")
			s.customers(percentTerms("10"))
		}, "100", "10"},
		{"tier's percentage", percentTerms("20"), func(s rateShop) { s.tier("25") }, "100", "25"},
		{"tier's amount, affiliate on a percentage plan", flatTerms("5"), func(s rateShop) { s.tier("500"); s.onPlan(percentTerms("10")) }, "100", "10"},
		{"tier's percentage, affiliate on a flat plan", percentTerms("20"), func(s rateShop) { s.tier("25"); s.onPlan(flatTerms("5")) }, "10", "5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newRateShop(t, tt.program)
			tt.set(s)
			untype(s.Shop.World)
			scene.Equal(t, scene.Sum(tt.earns), s.ToTomas(tt.total).CommissionEarned)
			s.Verifies()
		})
	}
}

// A record without a type: an update that gives the present value changes
// nothing, and an update of another field keeps the type that the rate had.
func TestRateWithoutTypeIsKept(t *testing.T) {
	s := newRateShop(t, percentTerms("20"))
	ctx := t.Context()
	s.own("25")
	s.tier("30")
	untype(s.Shop.World)
	before := s.Dump()
	s.own("25")
	tier := scene.Must(s.Tiers(ctx, affiliate.Page{})).Items[0]
	scene.Must(s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: scene.Percent("30")}))
	scene.Equal(t, before, s.Dump())
	s.onPlan(flatTerms("5")) // the rate does not become an amount by it
	scene.Equal(t, scene.Sum("5"), s.ToTomas("100").CommissionEarned)
	s.onPlan(percentTerms("7"))
	scene.Equal(t, scene.Sum("25"), s.ToTomas("100").CommissionEarned)
	untype(s.Shop.World)
	s.own("25")
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("Augusta")}))
	scene.Must(s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: scene.TextOf("gold")}))
	types := map[affiliate.CommissionType]int{}
	err := s.Store.View(context.Background(), s.Config().ID, func(tx *record.Tx) error {
		for rec := range scene.OnlyValues(tx.Affiliates.List(record.Query{})) {
			types[rec.RateType]++
		}
		for rec := range scene.OnlyValues(tx.Tiers.List(record.Query{})) {
			types[rec.RateType]++
		}
		return nil
	})
	scene.Equal(t, map[affiliate.CommissionType]int{affiliate.CommissionPercentage: 2, "": 1}, types) // Bob has no rate
	scene.Must(0, err)
	s.Verifies()
}

// A rate above 100 in the terms of a program, stored by a version that read an
// amount as a percentage, is an amount.
func TestAmountIsNoPercentage(t *testing.T) {
	s := newRateShop(t, flatTerms("5"))
	s.own("250")
	untype(s.Shop.World)
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := scene.Must(tributary.New(s.Store, cfg))
	sale := scene.Must(later.RecordSale(t.Context(), affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
	scene.Equal(t, scene.Sum("20"), sale.CommissionEarned)
	scene.Must(0, later.Verify(t.Context()))
}

// When a host changes its program's commission type, agreed rates stay, and
// other fields can still be changed.
func TestRatesOutliveTheProgramsType(t *testing.T) {
	ctx := t.Context()
	s := newRateShop(t, flatTerms("5"))
	s.own("250")
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", Rate: scene.Percent("25")})) // of 100, so that it is valid as a percentage too
	scene.Must(s.SetAffiliateTier(ctx, tier.ID, s.Ada.Person.ID, s.Bob.ID))
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := scene.Must(tributary.New(s.Store, cfg))
	earns := func(p *tributary.Program, customer affiliate.Referral) affiliate.Amount {
		return scene.Must(p.RecordSale(ctx, affiliate.SaleParams{Email: customer.Email, TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{}).CommissionEarned
	}
	scene.Must(later.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{LastName: scene.TextOf("L")}))
	scene.Must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: scene.TextOf("u")}))
	scene.Equal(t, []affiliate.Amount{scene.Sum("20"), scene.Sum("20")}, []affiliate.Amount{earns(later, s.Tomas), earns(later, s.Bea)})
	scene.Equal(t, []affiliate.Amount{scene.Sum("250"), scene.Sum("25")}, []affiliate.Amount{earns(s.Program, s.Tomas), earns(s.Program, s.Bea)})
	scene.Must(0, later.Verify(ctx))
}
