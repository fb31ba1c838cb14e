package affiliate_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A rateShop is Ada's shop with short functions to set terms.
type rateShop struct{ saleShop }

func newRateShop(t *testing.T, program affiliate.Terms) rateShop {
	return rateShop{newSaleShop(t, func(c *tributary.Config) { c.Terms = program })}
}

func percentTerms(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent(rate)}
}

func flatTerms(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent(rate)}
}

// plan creates a plan.
func (s rateShop) plan(terms affiliate.Terms) uuid.UUID {
	s.t.Helper()
	return must(s.CreatePlan(s.t.Context(), affiliate.NewPlan{Name: "p", Terms: terms})).ID
}

// onPlan gives Ada a plan.
func (s rateShop) onPlan(terms affiliate.Terms) {
	s.t.Helper()
	must(s.SetAffiliatePlan(s.t.Context(), s.plan(terms), s.ada.affiliate.ID))
}

// own gives Ada her own rate.
func (s rateShop) own(rate string) {
	s.t.Helper()
	up := affiliate.AffiliateUpdate{CommissionRate: percent(rate)}
	must(s.UpdateAffiliate(s.t.Context(), affiliate.AffiliateRef{ID: s.ada.affiliate.ID}, up))
}

// tier puts Ada into a tier with a rate.
func (s rateShop) tier(rate string) {
	s.t.Helper()
	tier := must(s.CreateTier(s.t.Context(), affiliate.NewTier{Tier: 1, Name: "t", Rate: percent(rate)}))
	must(s.SetAffiliateTier(s.t.Context(), tier.ID, s.ada.affiliate.ID))
}

// customers gives Ada's customer a plan.
func (s rateShop) customers(terms affiliate.Terms) {
	s.t.Helper()
	must(s.SetReferralPlan(s.t.Context(), s.plan(terms), s.tomas.ID))
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
			got := s.toTomas(tt.total)
			equal(t, percent(tt.rate), got.CommissionRate)
			equal(t, sum(tt.earns), got.CommissionEarned)
			equal(t, 0, must(s.RecalculateSales(t.Context(), affiliate.SaleFilter{})))
			back := must(s.UpdateSale(t.Context(), got.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
			equal(t, sum(tt.earns), back.CommissionEarned)
			s.verify()
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
		a := must(s.Affiliate(t.Context(), "ada"))
		return shown{a.CommissionRate.String(), !a.UseCommissionPlanCommissionRate}
	}
	s.own("25")
	equal(t, shown{"25", true}, now())
	s.onPlan(flatTerms("5"))
	equal(t, shown{"5", false}, now())
	s.own("25") // the same number, but now an amount, so this is a change
	equal(t, shown{"25", true}, now())
	s.onPlan(percentTerms("7"))
	equal(t, shown{"7", false}, now())
	events := s.fired(func() {
		up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
		must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, up))
	})
	equal(t, 1, len(events))
	s.onPlan(flatTerms("6"))
	equal(t, shown{"6", false}, now())
	s.verify()
}

// A tier's rate has the program's type at the time when it was set. Another
// change of the tier keeps the type; a new rate has the present type.
func TestTierRateKeepsItsType(t *testing.T) {
	s := newRateShop(t, flatTerms("5"))
	ctx := t.Context()
	tier := must(s.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "t", Rate: percent("500")}))
	must(s.SetAffiliateTier(ctx, tier.ID, s.ada.affiliate.ID))
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := must(tributary.New(s.store, cfg)) // the host has changed its program
	sell := func() affiliate.Sale {
		return must(later.RecordSale(ctx, affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("100")})).Sale.Or(affiliate.Sale{})
	}
	equal(t, sum("20"), sell().CommissionEarned)
	must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: textOf("u")}))
	equal(t, sum("20"), sell().CommissionEarned)
	s.refused(fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"), func() error {
		return errOf(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: percent("501")}))
	})
	must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: percent("30")}))
	equal(t, sum("30"), sell().CommissionEarned)
	must(0, later.Verify(ctx))
}

// untype removes the commission types from the stored rates, as an earlier
// version wrote them.
func (w *world) untype() {
	w.t.Helper()
	w.insert(func(tx *record.Tx) error {
		for rec := range onlyValues(tx.Affiliates.List(record.Query{})) {
			rec.RateType = ""
			must(0, tx.Affiliates.Replace(rec))
		}
		for rec := range onlyValues(tx.Tiers.List(record.Query{})) {
			rec.RateType = ""
			must(0, tx.Tiers.Replace(rec))
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
			s.untype()
			equal(t, sum(tt.earns), s.toTomas(tt.total).CommissionEarned)
			s.verify()
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
	s.untype()
	before := s.dump()
	s.own("25")
	tier := must(s.Tiers(ctx, affiliate.Page{})).Items[0]
	must(s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Rate: percent("30")}))
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Errorf("the same rate changed records:\n%s", diff)
	}
	s.onPlan(flatTerms("5")) // the rate does not become an amount by it
	equal(t, sum("5"), s.toTomas("100").CommissionEarned)
	s.onPlan(percentTerms("7"))
	equal(t, sum("25"), s.toTomas("100").CommissionEarned)
	s.untype()
	s.own("25")
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{FirstName: textOf("Augusta")}))
	must(s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: textOf("gold")}))
	types := map[affiliate.CommissionType]int{}
	err := s.store.View(context.Background(), s.Config().ID, func(tx *record.Tx) error {
		for rec := range onlyValues(tx.Affiliates.List(record.Query{})) {
			types[rec.RateType]++
		}
		for rec := range onlyValues(tx.Tiers.List(record.Query{})) {
			types[rec.RateType]++
		}
		return nil
	})
	equal(t, map[affiliate.CommissionType]int{affiliate.CommissionPercentage: 2, "": 1}, types) // Bob has no rate
	must(0, err)
	s.verify()
}

// A rate above 100 in the terms of a program, stored by a version that read an
// amount as a percentage, is an amount.
func TestAmountIsNoPercentage(t *testing.T) {
	s := newRateShop(t, flatTerms("5"))
	s.own("250")
	s.untype()
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := must(tributary.New(s.store, cfg))
	sale := must(later.RecordSale(t.Context(), affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("100")})).Sale.Or(affiliate.Sale{})
	equal(t, sum("20"), sale.CommissionEarned)
	must(0, later.Verify(t.Context()))
}

// When a host changes its program's commission type, agreed rates stay, and
// other fields can still be changed.
func TestRatesOutliveTheProgramsType(t *testing.T) {
	ctx := t.Context()
	s := newRateShop(t, flatTerms("5"))
	s.own("250")
	tier := must(s.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "t", Rate: percent("25")})) // of 100, so that it is valid as a percentage too
	must(s.SetAffiliateTier(ctx, tier.ID, s.ada.affiliate.ID, s.bob.ID))
	cfg := s.Config()
	cfg.Terms = percentTerms("20")
	later := must(tributary.New(s.store, cfg))
	earns := func(p *tributary.Program, customer affiliate.Referral) affiliate.Amount {
		return must(p.RecordSale(ctx, affiliate.NewSale{Email: customer.Email, TotalEarned: sum("100")})).Sale.Or(affiliate.Sale{}).CommissionEarned
	}
	must(later.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{LastName: textOf("L")}))
	must(later.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: textOf("u")}))
	equal(t, []affiliate.Amount{sum("20"), sum("20")}, []affiliate.Amount{earns(later, s.tomas), earns(later, s.bea)})
	equal(t, []affiliate.Amount{sum("250"), sum("25")}, []affiliate.Amount{earns(s.Program, s.tomas), earns(s.Program, s.bea)})
	must(0, later.Verify(ctx))
}
