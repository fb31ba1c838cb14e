package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A sale in a payout accepts its present values: sending them again is not a
// change of money, and keeps a commission that was set by hand.
func TestUpdateSaleSettled(t *testing.T) {
	for name, settle := range map[string]func(scene.Shop, affiliate.Sale){
		"in a payout": func(s scene.Shop, _ affiliate.Sale) { s.PaysOut() },
		"refunded": func(s scene.Shop, sale affiliate.Sale) {
			scene.Must(s.RefundSale(s.T.Context(), affiliate.Refund{SaleID: sale.ID}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t)
			sale := s.ToTomas("100")
			scene.Must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("7")}))
			settle(s, sale)
			before := scene.Must(s.Sale(t.Context(), sale.ID))
			s.Pass(time.Second)
			for _, up := range []affiliate.SaleUpdate{
				{Name: scene.TextOf("a"), TotalEarned: scene.Amount("100")},
				{Name: scene.TextOf("b"), CommissionEarned: affiliate.Set(before.CommissionEarned), TotalEarned: scene.Amount("100")},
			} {
				got := scene.Must(s.UpdateSale(t.Context(), sale.ID, up))
				scene.Equal(t, up.Name, got.Name)
				scene.Equal(t, before.CommissionEarned, got.CommissionEarned)
			}
			s.Verifies()
		})
	}
}

// A rate that a sale was given is its own rate, even when it equals the rate
// that applied already. A rate of null computes the present rate, that of the
// customer's plan if there is one.
func TestUpdateSaleOwnRate(t *testing.T) {
	ctx := t.Context()
	null := affiliate.Null[affiliate.Percent]()
	s := scene.NewShop(t)
	own, free, byCode := s.ToTomas("100"), s.ToTomas("100"), s.Sell(affiliate.SaleParams{PromoCode: "ADA20"})
	rate := func(sale affiliate.Sale) string {
		return scene.Must(s.Sale(ctx, sale.ID)).CommissionRate.Or(affiliate.Percent{}).String()
	}
	update := func(sale affiliate.Sale, up affiliate.SaleUpdate) { scene.Must(s.UpdateSale(ctx, sale.ID, up)) }

	s.Fires(func() error {
		return scene.ErrOf(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: scene.Percent("20")}))
	}, affiliate.SaleUpdated)
	s.Fires(func() error {
		return scene.ErrOf(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: scene.Percent("20")}))
	})
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	scene.Must(s.SetReferralPlan(ctx, plan.ID, s.Tomas.ID))
	scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	scene.Equal(t, []string{"20", "30", "20"}, []string{rate(own), rate(free), rate(byCode)})

	update(own, affiliate.SaleUpdate{Name: scene.TextOf("n")})
	update(own, affiliate.SaleUpdate{TotalEarned: scene.Amount("200")})
	scene.Equal(t, "20", rate(own))
	scene.Equal(t, scene.Sum("40"), scene.Must(s.Sale(ctx, own.ID)).CommissionEarned)
	update(own, affiliate.SaleUpdate{CommissionRate: null})
	scene.Equal(t, "30", rate(own))
	scene.Equal(t, scene.Sum("60"), scene.Must(s.Sale(ctx, own.ID)).CommissionEarned)
	update(byCode, affiliate.SaleUpdate{CommissionRate: null}) // a sale without a customer
	scene.Equal(t, "20", rate(byCode))
	s.Verifies()
}

// The type of a rate belongs to the commission: 20 % of 100 is the amount 20,
// but 20 % of 200 is not.
func TestRecalculateChangesTheTypeAlone(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	on := func(typ affiliate.CommissionType) {
		terms := affiliate.Terms{Type: typ, Rate: affiliate.MustPercent("20")}
		scene.Must(s.SetReferralPlan(ctx, scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: string(typ), Terms: terms})).ID, s.Tomas.ID))
	}
	on(affiliate.CommissionFlat)
	sale := s.ToTomas("100")
	on(affiliate.CommissionPercentage)
	scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	got := scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}))
	scene.Equal(t, scene.Sum("40"), got.CommissionEarned)
	s.Verifies()
}

// When the external id is free, the invoice id is still checked.
func TestUpdateSaleBothIDs(t *testing.T) {
	s := scene.NewShop(t)
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "taken", ExternalInvoiceID: "inv"})
	sale := s.ToTomas("100")
	taken := scene.StateError(affiliate.SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists")
	s.Refused(taken, func() error {
		return scene.ErrOf(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{ExternalID: scene.TextOf("new"), ExternalInvoiceID: scene.TextOf("inv")}))
	})
}

// The deductions from the base belong to the commission too: after they change,
// the commission differs at the same rate.
func TestRecalculateAfterADeduction(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, Tax: scene.Sum("10")})
	cfg := s.Config()
	cfg.CommissionOnTax = true
	later := scene.Must(tributary.New(s.Store, cfg))
	scene.Equal(t, 1, scene.Must(later.Run(ctx, affiliate.RecalculateJob{})).Changed)
	scene.Equal(t, []affiliate.Amount{scene.Sum("18"), scene.Sum("20")}, []affiliate.Amount{sale.CommissionEarned, scene.Must(s.Sale(ctx, sale.ID)).CommissionEarned})
	scene.Equal(t, 0, scene.Must(later.Run(ctx, affiliate.RecalculateJob{})).Changed)
	s.Verifies()
}

// A review that sets the present values changes nothing at any time, also for a
// commission in a payout.
func TestReviewCommissionsAgain(t *testing.T) {
	s := scene.NewShop(t)
	sale := s.ToTomas("100")
	again := func(status affiliate.ApprovalStatus) {
		s.Pass(time.Hour)
		before := s.Dump()
		s.Fires(func() error { return scene.ErrOf(s.ReviewCommissions(s.T.Context(), status, sale.ID)) })
		scene.Equal(t, before, s.Dump())
	}
	scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, sale.ID))
	again(affiliate.ApprovalDeclined)
	scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalAccepted, sale.ID))
	again(affiliate.ApprovalAccepted)
	s.PaysOut()
	again(affiliate.ApprovalAccepted)
}

// Only a plan that holds rewards holds the commissions of its sales.
func TestPlanHoldsRewards(t *testing.T) {
	for _, holds := range []bool{false, true} {
		s := scene.NewShop(t)
		plan := scene.Must(s.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}, AutoApproveRewards: affiliate.Set(!holds)}))
		scene.Must(s.SetAffiliatePlan(t.Context(), plan.ID, s.Ada.Person.ID))
		want := []any{affiliate.ApprovalAccepted, affiliate.Null[affiliate.HoldReason]()}
		if holds {
			want = []any{affiliate.ApprovalOnHold, affiliate.Set(affiliate.HoldProgramSettings)}
		}
		c := s.ToTomas("100").Commissions[0]
		scene.Equal(t, want, []any{c.ApprovalStatus, c.HoldReason})
		s.Verifies()
	}
}
