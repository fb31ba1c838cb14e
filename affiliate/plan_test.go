package affiliate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

func TestPlans(t *testing.T) {
	w := newWorld(t)
	var plan, flat affiliate.Plan
	events := w.fired(func() {
		plan = must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "Standard"}))
		flat = must(w.CreatePlan(t.Context(), affiliate.NewPlan{
			Name:  "Flat",
			Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("250"), MaxPayments: 12, MaxMonths: 1200, HoldDays: 3650}, PaymentTrigger: affiliate.TriggerSignup, HoldRewards: true,
		}))
	})
	equal(t, 0, len(events))
	equal(t, affiliate.Plan{
		ID: plan.ID, Name: "Standard", CommissionType: affiliate.CommissionPercentage, NumberOfPayments: affiliate.Null[int64](),
		NumberOfMonths: affiliate.Null[int64](), PaymentTrigger: affiliate.TriggerPurchase, AutoApproveRewards: true, RewardType: affiliate.RewardCash,
		CreatedAt: affiliate.TimeOf(w.now), UpdatedAt: affiliate.TimeOf(w.now),
	}, plan)
	equal(t, affiliate.Plan{
		ID: flat.ID, Name: "Flat", CommissionRate: affiliate.MustPercent("250"), CommissionType: affiliate.CommissionFlat,
		NumberOfPayments: affiliate.Set[int64](12), NumberOfMonths: affiliate.Set[int64](1200), PaymentTrigger: affiliate.TriggerSignup, RewardType: affiliate.RewardCash,
		HoldDays: 3650, CreatedAt: affiliate.TimeOf(w.now), UpdatedAt: affiliate.TimeOf(w.now),
	}, flat)
	equal(t, flat, must(w.Plan(t.Context(), flat.ID)))
	if _, err := w.Plan(t.Context(), uuid.New()); err != affiliate.ErrNotFound {
		t.Errorf("an unknown plan: %v", err)
	}
	equal(t, []affiliate.Plan{flat, plan}, must(w.Plans(t.Context(), affiliate.Page{})).Items)
	w.refused(fieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), func() error {
		return errOf(w.Plans(t.Context(), affiliate.Page{Limit: -1}))
	})
}

func TestPlanRefusals(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	field := func(name, what string) affiliate.Error {
		return fieldError(affiliate.InvalidField, name, name+" "+what)
	}
	terms := func(x affiliate.Terms) affiliate.NewPlan { return affiliate.NewPlan{Name: "p", Terms: x} }
	for _, tt := range []struct {
		name string
		in   affiliate.NewPlan
		want affiliate.Error
	}{
		{"ErrNameMissing", affiliate.NewPlan{Name: " "}, fieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrNameLong", affiliate.NewPlan{Name: strings.Repeat("a", 256)}, field("name", "is too long")},
		{"ErrType", terms(affiliate.Terms{Type: "flat"}), field("commissionType", "must be one of PERCENTAGE, FLAT")},
		{"ErrRate", terms(affiliate.Terms{Rate: affiliate.MustPercent("100.0001")}), fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
		{"ErrRateFlat", terms(affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("-1")}), fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")},
		{"ErrPayments", terms(affiliate.Terms{MaxPayments: -1}), field("numberOfPayments", "must be at least 1")},
		{"ErrMonths", terms(affiliate.Terms{MaxMonths: -1}), field("numberOfMonths", "must be at least 1")},
		{"ErrMonthsLarge", terms(affiliate.Terms{MaxMonths: 1201}), field("numberOfMonths", "is too large")},
		{"ErrHoldDays", terms(affiliate.Terms{HoldDays: -1}), field("holdDays", "must be an integer from 0 to 3650")},
		{"ErrHoldDaysLarge", terms(affiliate.Terms{HoldDays: 3651}), field("holdDays", "must be an integer from 0 to 3650")},
		{"ErrTrigger", affiliate.NewPlan{Name: "p", PaymentTrigger: "x"}, field("paymentTrigger", "must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			w.refused(tt.want, func() error { return errOf(w.CreatePlan(t.Context(), tt.in)) })
			if tt.in.Name != "p" {
				return
			}
			up := affiliate.PlanUpdate{Terms: affiliate.Set(tt.in.Terms), PaymentTrigger: affiliate.Set(tt.in.PaymentTrigger)}
			w.refused(tt.want, func() error { return errOf(w.UpdatePlan(t.Context(), plan.ID, up)) })
		})
	}
	w.t = t
	w.refused(field("name", "must not be empty"), func() error {
		return errOf(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("")}))
	})
	for name, up := range map[string]affiliate.PlanUpdate{
		"name": {Name: affiliate.Null[string]()}, "terms": {Terms: affiliate.Null[affiliate.Terms]()},
		"paymentTrigger": {PaymentTrigger: affiliate.Null[affiliate.PaymentTrigger]()}, "holdRewards": {HoldRewards: affiliate.Null[bool]()},
	} {
		w.refused(field(name, "must not be null"), func() error { return errOf(w.UpdatePlan(t.Context(), plan.ID, up)) })
	}
	missing := missingError(affiliate.PlanNotFound, "Commission plan not found")
	w.refused(missing, func() error { return errOf(w.UpdatePlan(t.Context(), uuid.New(), affiliate.PlanUpdate{})) })
	w.refused(missing, func() error { return w.DeletePlan(t.Context(), uuid.New()) })
}

func TestUpdatePlan(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	before := w.dump()
	w.now = w.now.Add(time.Hour)
	same := affiliate.PlanUpdate{Name: affiliate.Set("p"), Terms: affiliate.Set(affiliate.Terms{}), HoldRewards: affiliate.Set(false)}
	equal(t, plan, must(w.UpdatePlan(t.Context(), plan.ID, same)))
	equal(t, before, w.dump())
	events := w.fired(func() {
		plan.Name, plan.CommissionRate, plan.AutoApproveRewards, plan.PaymentTrigger = "q", affiliate.MustPercent("5"), false, affiliate.TriggerBonus
		plan.UpdatedAt = affiliate.TimeOf(w.now)
		equal(t, plan, must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{
			Name: affiliate.Set("q"), Terms: affiliate.Set(affiliate.Terms{Rate: affiliate.MustPercent("5")}),
			PaymentTrigger: affiliate.Set(affiliate.TriggerBonus), HoldRewards: affiliate.Set(true),
		})))
	})
	equal(t, 0, len(events))
	equal(t, []affiliate.Plan{plan}, must(w.Plans(t.Context(), affiliate.Page{})).Items)
}

func TestDeletePlan(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	a := w.join("a", func(in *affiliate.NewAffiliate) { in.CommissionPlanID = plan.ID })
	inUse := stateError(affiliate.PlanInUse, "", "Commission plan is in use")
	w.refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	must(w.SetAffiliatePlan(t.Context(), uuid.Nil, a.ID))
	r := w.refer("a", "kim@b.co")
	must(w.SetReferralPlan(t.Context(), plan.ID, r.ID))
	w.refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	must(w.SetReferralPlan(t.Context(), uuid.Nil, r.ID))
	if err := w.DeletePlan(t.Context(), plan.ID); err != nil {
		t.Fatal(err)
	}
	equal(t, 0, len(must(w.Plans(t.Context(), affiliate.Page{})).Items))
}

// TestZeroTerms: a program without terms records sales and pays 0, as the
// comments of Terms and Config and the README say.
func TestZeroTerms(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{} })
	w.ada()
	res := must(w.RecordSale(t.Context(), affiliate.NewSale{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("100")}))
	sale, _ := res.Sale.Get()
	want := []string{"recorded", "0", "0"}
	if diff := cmp.Diff(want, []string{string(res.Outcome), sale.CommissionRate.String(), sale.CommissionEarned.String()}); diff != "" {
		t.Error(diff)
	}
}

// A change of terms applies to future sales and fires no sale.updated.
// RecalculateSales changes past sales, and fires it.
func TestPlansHoldForFutureSales(t *testing.T) {
	for name, change := range map[string]func(w *world, plan uuid.UUID, a affiliate.Affiliate, r affiliate.Referral){
		"SetAffiliatePlan": func(w *world, plan uuid.UUID, a affiliate.Affiliate, _ affiliate.Referral) {
			must(w.SetAffiliatePlan(w.t.Context(), plan, a.ID))
		},
		"SetReferralPlan": func(w *world, plan uuid.UUID, _ affiliate.Affiliate, r affiliate.Referral) {
			must(w.SetReferralPlan(w.t.Context(), plan, r.ID))
		},
		"UpdatePlan": func(w *world, plan uuid.UUID, a affiliate.Affiliate, r affiliate.Referral) {
			of := must(w.Plans(w.t.Context(), affiliate.Page{})).Items[1] // the plan of a
			must(w.UpdatePlan(w.t.Context(), of.ID, affiliate.PlanUpdate{Terms: affiliate.Set(affiliate.Terms{Rate: affiliate.MustPercent("50")})}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "first", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}))
			second := must(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "second", Terms: affiliate.Terms{Rate: affiliate.MustPercent("50")}}))
			a := w.join("a", func(in *affiliate.NewAffiliate) { in.CommissionPlanID = first.ID })
			r := w.refer("a", "kim@b.co")
			past := w.sale(r.Email, "100")
			for _, e := range w.fired(func() { change(w, second.ID, a, r) }) {
				if e.Type.Family() == "sale" {
					t.Errorf("%s fired for %s", e.Type, e.ObjectID)
				}
			}
			kept := must(w.Sale(t.Context(), past.ID))
			equal(t, past.Commissions, kept.Commissions)
			equal(t, past.CommissionRate, kept.CommissionRate)
			equal(t, sum("50"), w.sale(r.Email, "100").CommissionEarned)
			fired := w.firedTypes(func() { equal(t, 1, must(w.RecalculateSales(t.Context(), affiliate.SaleFilter{}))) })
			equal(t, 1, len(fired))
			equal(t, true, strings.HasPrefix(fired[0], "sale.updated "))
			equal(t, sum("50"), must(w.Sale(t.Context(), past.ID)).CommissionEarned)
			equal(t, percent("50"), must(w.Sale(t.Context(), past.ID)).CommissionRate)
			w.verify()
		})
	}
}
