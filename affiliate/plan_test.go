package affiliate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

func TestPlans(t *testing.T) {
	w := newAffWorld(t)
	var plan, flat affiliate.Plan
	events := w.fired(func() {
		plan = affMust[affiliate.Plan](t)(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "Standard"}))
		flat = affMust[affiliate.Plan](t)(w.CreatePlan(t.Context(), affiliate.NewPlan{
			Name:  "Flat",
			Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("250"), MaxPayments: 12, MaxMonths: 1200}, PaymentTrigger: affiliate.TriggerSignup, HoldRewards: true,
		}))
	})
	affEqual(t, 0, len(events))
	affEqual(t, affiliate.Plan{
		ID: plan.ID, Name: "Standard", CommissionType: affiliate.CommissionPercentage, NumberOfPayments: affiliate.Null[int64](),
		NumberOfMonths: affiliate.Null[int64](), PaymentTrigger: affiliate.TriggerPurchase, AutoApproveRewards: true, RewardType: affiliate.RewardCash,
	}, plan)
	affEqual(t, affiliate.Plan{
		ID: flat.ID, Name: "Flat", CommissionRate: affiliate.MustPercent("250"), CommissionType: affiliate.CommissionFlat,
		NumberOfPayments: affiliate.Set[int64](12), NumberOfMonths: affiliate.Set[int64](1200), PaymentTrigger: affiliate.TriggerSignup, RewardType: affiliate.RewardCash,
	}, flat)
	affEqual(t, []affiliate.Plan{flat, plan}, affMust[affiliate.List[affiliate.Plan]](t)(w.Plans(t.Context(), affiliate.Page{})).Items)
	w.refused(affInvalid(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), func() error {
		return affErr(w.Plans(t.Context(), affiliate.Page{Limit: -1}))
	})
}

func TestPlanRefusals(t *testing.T) {
	w := newAffWorld(t)
	plan := affMust[affiliate.Plan](t)(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	field := func(name, what string) affRefusal { return affInvalid(affiliate.InvalidField, name, name+" "+what) }
	terms := func(x affiliate.Terms) affiliate.NewPlan { return affiliate.NewPlan{Name: "p", Terms: x} }
	for _, tt := range []struct {
		name string
		in   affiliate.NewPlan
		want affRefusal
	}{
		{"ErrNameMissing", affiliate.NewPlan{Name: " "}, affInvalid(affiliate.MissingField, "name", "Name is required")},
		{"ErrNameLong", affiliate.NewPlan{Name: strings.Repeat("a", 256)}, field("name", "is too long")},
		{"ErrType", terms(affiliate.Terms{Type: "flat"}), field("commissionType", "must be one of PERCENTAGE, FLAT")},
		{"ErrRate", terms(affiliate.Terms{Rate: affiliate.MustPercent("100.0001")}), affInvalid(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
		{"ErrRateFlat", terms(affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("-1")}), affInvalid(affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")},
		{"ErrPayments", terms(affiliate.Terms{MaxPayments: -1}), field("numberOfPayments", "must be at least 0")},
		{"ErrMonths", terms(affiliate.Terms{MaxMonths: -1}), field("numberOfMonths", "must be at least 0")},
		{"ErrMonthsLarge", terms(affiliate.Terms{MaxMonths: 1201}), field("numberOfMonths", "is too large")},
		{"ErrTrigger", affiliate.NewPlan{Name: "p", PaymentTrigger: "x"}, field("paymentTrigger", "must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			w.refused(tt.want, func() error { return affErr(w.CreatePlan(t.Context(), tt.in)) })
			if tt.in.Name != "p" {
				return
			}
			up := affiliate.PlanUpdate{Terms: affiliate.Set(tt.in.Terms), PaymentTrigger: affiliate.Set(tt.in.PaymentTrigger)}
			w.refused(tt.want, func() error { return affErr(w.UpdatePlan(t.Context(), plan.ID, up)) })
		})
	}
	w.t = t
	w.refused(field("name", "must not be empty"), func() error {
		return affErr(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("")}))
	})
	for name, up := range map[string]affiliate.PlanUpdate{
		"name": {Name: affiliate.Null[string]()}, "terms": {Terms: affiliate.Null[affiliate.Terms]()},
		"paymentTrigger": {PaymentTrigger: affiliate.Null[affiliate.PaymentTrigger]()}, "holdRewards": {HoldRewards: affiliate.Null[bool]()},
	} {
		w.refused(field(name, "must not be null"), func() error { return affErr(w.UpdatePlan(t.Context(), plan.ID, up)) })
	}
	missing := affRefusal{affiliate.KindNotFound, affiliate.PlanNotFound, "", "Commission plan not found"}
	w.refused(missing, func() error { return affErr(w.UpdatePlan(t.Context(), uuid.New(), affiliate.PlanUpdate{})) })
	w.refused(missing, func() error { return w.DeletePlan(t.Context(), uuid.New()) })
}

func TestUpdatePlan(t *testing.T) {
	w := newAffWorld(t)
	plan := affMust[affiliate.Plan](t)(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	before := w.dump()
	w.now = w.now.Add(time.Hour)
	same := affiliate.PlanUpdate{Name: affiliate.Set("p"), Terms: affiliate.Set(affiliate.Terms{}), HoldRewards: affiliate.Set(false)}
	affEqual(t, plan, affMust[affiliate.Plan](t)(w.UpdatePlan(t.Context(), plan.ID, same)))
	affEqual(t, before, w.dump())
	events := w.fired(func() {
		plan.Name, plan.CommissionRate, plan.AutoApproveRewards, plan.PaymentTrigger = "q", affiliate.MustPercent("5"), false, affiliate.TriggerBonus
		affEqual(t, plan, affMust[affiliate.Plan](t)(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{
			Name: affiliate.Set("q"), Terms: affiliate.Set(affiliate.Terms{Rate: affiliate.MustPercent("5")}),
			PaymentTrigger: affiliate.Set(affiliate.TriggerBonus), HoldRewards: affiliate.Set(true),
		})))
	})
	affEqual(t, 0, len(events))
	affEqual(t, []affiliate.Plan{plan}, affMust[affiliate.List[affiliate.Plan]](t)(w.Plans(t.Context(), affiliate.Page{})).Items)
}

func TestDeletePlan(t *testing.T) {
	w := newAffWorld(t)
	plan := affMust[affiliate.Plan](t)(w.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p"}))
	a := w.affiliate("a", func(in *affiliate.NewAffiliate) { in.CommissionPlanID = plan.ID })
	inUse := affConflict(affiliate.PlanInUse, "", "Commission plan is in use")
	w.refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	affMust[[]affiliate.Affiliate](t)(w.SetAffiliatePlan(t.Context(), uuid.Nil, a.ID))
	r := w.referral("a", "kim@b.co")
	affMust[[]affiliate.Referral](t)(w.SetReferralPlan(t.Context(), plan.ID, r.ID))
	w.refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	affMust[[]affiliate.Referral](t)(w.SetReferralPlan(t.Context(), uuid.Nil, r.ID))
	if err := w.DeletePlan(t.Context(), plan.ID); err != nil {
		t.Fatal(err)
	}
	affEqual(t, 0, len(affMust[affiliate.List[affiliate.Plan]](t)(w.Plans(t.Context(), affiliate.Page{})).Items))
}
