package engine_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

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

// A rate belongs to the commission type that it was set under. Under terms of
// the other type it is skipped, and the next rate in the order applies (rule
// 5.3).
func TestRateOfAnotherType(t *testing.T) {
	for _, tt := range []struct {
		name               string
		program            affiliate.Terms
		set                func(s rateShop)
		total, rate, earns string
	}{
		{"own amount, customer on a percentage plan", percentTerms("20"), func(s rateShop) {
			s.onPlan(flatTerms("5"))
			s.own("250")
			s.customers(percentTerms("10"))
		}, "100", "10", "10"},
		{"own amount that could be a percentage", percentTerms("20"), func(s rateShop) {
			s.onPlan(flatTerms("5"))
			s.own("50")
			s.customers(percentTerms("10"))
		}, "100", "10", "10"},
		{"tier's amount, affiliate on a percentage plan", flatTerms("5"), func(s rateShop) {
			s.tier("500")
			s.onPlan(percentTerms("10"))
		}, "100", "10", "10"},
		{"tier's percentage, affiliate on a flat plan", percentTerms("20"), func(s rateShop) {
			s.tier("25")
			s.onPlan(flatTerms("5"))
		}, "10", "5", "5"},
		{"own percentage, moved to a flat plan", percentTerms("20"), func(s rateShop) {
			s.own("25")
			s.onPlan(flatTerms("5"))
		}, "10", "5", "5"},
		{"own percentage, customer on a flat plan", percentTerms("20"), func(s rateShop) {
			s.own("25")
			s.customers(flatTerms("5"))
		}, "10", "5", "5"},
		{"own amount passed over for the tier's percentage", percentTerms("20"), func(s rateShop) {
			s.onPlan(flatTerms("5"))
			s.own("250")
			s.tier("12")
			s.customers(percentTerms("10"))
		}, "100", "12", "12"},
		{"own amount under another flat plan", percentTerms("20"), func(s rateShop) {
			s.onPlan(flatTerms("5"))
			s.own("250")
			s.onPlan(flatTerms("7"))
		}, "100", "250", "250"},
		{"own percentage, back from a flat plan", percentTerms("20"), func(s rateShop) {
			s.own("25")
			s.onPlan(flatTerms("5"))
			s.onPlan(percentTerms("7"))
		}, "100", "25", "25"},
		{"own rate set anew under the other type", percentTerms("20"), func(s rateShop) {
			s.own("25")
			s.onPlan(flatTerms("5"))
			s.own("25")
		}, "10", "25", "25"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newRateShop(t, tt.program)
			tt.set(s)
			got := s.ToTomas(tt.total)
			scene.Equal(t, scene.Percent(tt.rate), got.CommissionRate)
			scene.Equal(t, scene.Sum(tt.earns), got.CommissionEarned)
			scene.Equal(t, 0, scene.Must(s.Run(t.Context(), affiliate.RecalculateJob{})).Changed)
			back := scene.Must(s.UpdateSale(t.Context(), got.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
			scene.Equal(t, scene.Sum(tt.earns), back.CommissionEarned)
			s.Verifies()
		})
	}
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

// A tier's rate has the program's type at the time when it was set. Another
// change of the tier keeps the type; a new rate has the present type.
func TestTierRateKeepsItsType(t *testing.T) {
	s := newRateShop(t, flatTerms("5"))
	ctx := t.Context()
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", Rate: scene.Percent("500")}))
	scene.Must(s.SetAffiliateTier(ctx, tier.ID, s.Ada.Person.ID))
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := scene.Must(tributary.New(s.Store, cfg)) // the host has changed its program
	sell := func() affiliate.Sale {
		return scene.Must(later.RecordSale(ctx, affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
	}
	scene.Equal(t, scene.Sum("20"), sell().CommissionEarned)
	scene.Must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: scene.TextOf("u")}))
	scene.Equal(t, scene.Sum("20"), sell().CommissionEarned)
	s.Refused(scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"), func() error {
		return scene.ErrOf(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: scene.Percent("501")}))
	})
	scene.Must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: scene.Percent("30")}))
	scene.Equal(t, scene.Sum("30"), sell().CommissionEarned)
	scene.Must(0, later.Verify(ctx))
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
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Errorf("the same rate changed records:\n%s", diff)
	}
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
