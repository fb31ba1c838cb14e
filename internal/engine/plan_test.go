package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
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

func TestPlanRefusals(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p"}))
	field := func(name, what string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, name, name+" "+what)
	}
	terms := func(x affiliate.Terms) affiliate.PlanParams { return affiliate.PlanParams{Name: "p", Terms: x} }
	for _, tt := range []struct {
		name string
		in   affiliate.PlanParams
		want affiliate.Error
	}{
		{"ErrNameMissing", affiliate.PlanParams{Name: " "}, scene.FieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrNameLong", affiliate.PlanParams{Name: strings.Repeat("a", 256)}, field("name", "is too long")},
		{"ErrType", terms(affiliate.Terms{Type: "flat"}), field("commissionType", "must be one of PERCENTAGE, FLAT")},
		{"ErrRate", terms(affiliate.Terms{Rate: affiliate.MustPercent("100.0001")}), scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
		{"ErrRateFlat", terms(affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("-1")}), scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")},
		{"ErrPayments", terms(affiliate.Terms{MaxPayments: -1}), field("numberOfPayments", "must be at least 1")},
		{"ErrMonths", terms(affiliate.Terms{MaxMonths: -1}), field("numberOfMonths", "must be at least 1")},
		{"ErrMonthsLarge", terms(affiliate.Terms{MaxMonths: 1201}), field("numberOfMonths", "is too large")},
		{"ErrHoldDays", terms(affiliate.Terms{HoldDays: -1}), field("holdDays", "must be an integer from 0 to 3650")},
		{"ErrHoldDaysLarge", terms(affiliate.Terms{HoldDays: 3651}), field("holdDays", "must be an integer from 0 to 3650")},
		{"ErrTrigger", affiliate.PlanParams{Name: "p", PaymentTrigger: "x"}, field("paymentTrigger", "must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.CreatePlan(t.Context(), tt.in)) })
			if tt.in.Name != "p" {
				return
			}
			up := affiliate.PlanUpdate{TermsUpdate: tt.in.Terms.Update(), PaymentTrigger: affiliate.Set(tt.in.PaymentTrigger)}
			w.Refused(tt.want, func() error { return scene.ErrOf(w.UpdatePlan(t.Context(), plan.ID, up)) })
		})
	}
	w.T = t
	w.Refused(field("name", "must not be empty"), func() error {
		return scene.ErrOf(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("")}))
	})
	for name, up := range map[string]affiliate.PlanUpdate{
		"name":           {Name: affiliate.Null[string]()},
		"paymentTrigger": {PaymentTrigger: affiliate.Null[affiliate.PaymentTrigger]()}, "autoApproveRewards": {AutoApproveRewards: affiliate.Null[bool]()},
	} {
		w.Refused(field(name, "must not be null"), func() error { return scene.ErrOf(w.UpdatePlan(t.Context(), plan.ID, up)) })
	}
	none := affiliate.Set[int64](0)
	for name, up := range map[string]affiliate.TermsUpdate{"numberOfPayments": {MaxPayments: none}, "numberOfMonths": {MaxMonths: none}} {
		w.Refused(field(name, "must be at least 1"), func() error {
			return scene.ErrOf(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{TermsUpdate: up}))
		})
	}
	missing := scene.MissingError(affiliate.PlanNotFound, "Commission plan not found")
	w.Refused(missing, func() error { return scene.ErrOf(w.UpdatePlan(t.Context(), uuid.New(), affiliate.PlanUpdate{})) })
	w.Refused(missing, func() error { return w.DeletePlan(t.Context(), uuid.New()) })
}

func TestUpdatePlan(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p"}))
	before := w.Dump()
	w.Now = w.Now.Add(time.Hour)
	same := affiliate.PlanUpdate{Name: affiliate.Set("p"), TermsUpdate: affiliate.Terms{}.Update(), AutoApproveRewards: affiliate.Set(true)}
	scene.Equal(t, plan, scene.Must(w.UpdatePlan(t.Context(), plan.ID, same)))
	scene.Equal(t, before, w.Dump())
	events := w.Fired(func() {
		plan.Name, plan.CommissionRate, plan.AutoApproveRewards, plan.PaymentTrigger = "q", affiliate.MustPercent("5"), false, affiliate.TriggerBonus
		plan.UpdatedAt = affiliate.TimeOf(w.Now)
		scene.Equal(t, plan, scene.Must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("q"), TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("5")}.Update(), PaymentTrigger: affiliate.Set(affiliate.TriggerBonus), AutoApproveRewards: affiliate.Set(false)})))
	})
	scene.Equal(t, 0, len(events))
	scene.Equal(t, []affiliate.Plan{plan}, scene.Must(w.Plans(t.Context(), affiliate.Page{})).Items)
}

func TestDeletePlan(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p"}))
	a := w.Join("a", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = plan.ID })
	inUse := scene.StateError(affiliate.PlanInUse, "", "Commission plan is in use")
	w.Refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	scene.Must(w.SetAffiliatePlan(t.Context(), uuid.Nil, a.ID))
	r := w.Refer("a", "kim@b.co")
	scene.Must(w.SetReferralPlan(t.Context(), plan.ID, r.ID))
	w.Refused(inUse, func() error { return w.DeletePlan(t.Context(), plan.ID) })
	scene.Must(w.SetReferralPlan(t.Context(), uuid.Nil, r.ID))
	scene.Must(0, w.DeletePlan(t.Context(), plan.ID))
	scene.Equal(t, 0, len(scene.Must(w.Plans(t.Context(), affiliate.Page{})).Items))
}

// TestZeroTerms: a program without terms records sales and pays 0, as the
// comments of Terms and Config and the README say.
func TestZeroTerms(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{} })
	w.Ada()
	res := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("100")}))
	sale, _ := res.Sale.Get()
	want := []string{"recorded", "0", "0"}
	if diff := cmp.Diff(want, []string{string(res.Outcome), sale.CommissionRate.String(), sale.CommissionEarned.String()}); diff != "" {
		t.Error(diff)
	}
}

// A change of terms applies to future sales and fires no sale.updated.
// RecalculateSales changes past sales, and fires it.
func TestPlansHoldForFutureSales(t *testing.T) {
	for name, change := range map[string]func(w *scene.World, plan uuid.UUID, a affiliate.Affiliate, r affiliate.Referral){
		"SetAffiliatePlan": func(w *scene.World, plan uuid.UUID, a affiliate.Affiliate, _ affiliate.Referral) {
			scene.Must(w.SetAffiliatePlan(w.T.Context(), plan, a.ID))
		},
		"SetReferralPlan": func(w *scene.World, plan uuid.UUID, _ affiliate.Affiliate, r affiliate.Referral) {
			scene.Must(w.SetReferralPlan(w.T.Context(), plan, r.ID))
		},
		"UpdatePlan": func(w *scene.World, plan uuid.UUID, a affiliate.Affiliate, r affiliate.Referral) {
			of := scene.Must(w.Plans(w.T.Context(), affiliate.Page{})).Items[1] // the plan of a
			scene.Must(w.UpdatePlan(w.T.Context(), of.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("50")}.Update()}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			first := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "first", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}))
			second := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "second", Terms: affiliate.Terms{Rate: affiliate.MustPercent("50")}}))
			a := w.Join("a", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = first.ID })
			r := w.Refer("a", "kim@b.co")
			past := w.SellTo(r.Email, "100")
			for _, e := range w.Fired(func() { change(w, second.ID, a, r) }) {
				if e.Type.Family() == "sale" {
					t.Errorf("%s fired for %s", e.Type, e.ObjectID)
				}
			}
			kept := scene.Must(w.Sale(t.Context(), past.ID))
			scene.Equal(t, past.Commissions, kept.Commissions)
			scene.Equal(t, past.CommissionRate, kept.CommissionRate)
			scene.Equal(t, scene.Sum("50"), w.SellTo(r.Email, "100").CommissionEarned)
			fired := w.FiredTypes(func() {
				scene.Equal(t, 1, scene.Must(w.Run(t.Context(), affiliate.RecalculateJob{})).Changed)
			})
			scene.Equal(t, 1, len(fired))
			scene.Equal(t, true, strings.HasPrefix(fired[0], "sale.updated "))
			scene.Equal(t, scene.Sum("50"), scene.Must(w.Sale(t.Context(), past.ID)).CommissionEarned)
			scene.Equal(t, scene.Percent("50"), scene.Must(w.Sale(t.Context(), past.ID)).CommissionRate)
			w.Verifies()
		})
	}
}

// A plan keeps its name without the blanks around it.
func TestPlanNameTrimmed(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: " Gold plan\t"}))
	scene.Equal(t, "Gold plan", plan.Name)
	scene.Equal(t, "Silver", scene.Must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("\u00a0Silver ")})).Name)
}
