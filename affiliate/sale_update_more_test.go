package affiliate_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A sale in a payout accepts its present values: sending them again is not a
// change of money, and keeps a commission that was set by hand.
func TestUpdateSaleSettled(t *testing.T) {
	for name, settle := range map[string]func(saleShop, affiliate.Sale){
		"in a payout": func(s saleShop, _ affiliate.Sale) { s.payout() },
		"refunded": func(s saleShop, sale affiliate.Sale) {
			must(s.RefundSale(s.t.Context(), affiliate.Refund{SaleID: sale.ID}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSaleShop(t)
			sale := s.toTomas("100")
			must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: amount("7")}))
			settle(s, sale)
			before := must(s.Sale(t.Context(), sale.ID))
			s.pass(time.Second)
			for _, up := range []affiliate.SaleUpdate{
				{Name: textOf("a"), TotalEarned: amount("100")},
				{Name: textOf("b"), CommissionEarned: affiliate.Set(before.CommissionEarned), TotalEarned: amount("100")},
			} {
				got, err := s.UpdateSale(t.Context(), sale.ID, up)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, up.Name, got.Name)
				equal(t, before.CommissionEarned, got.CommissionEarned)
			}
			s.verify()
		})
	}
}

// A rate that a sale was given is its own rate, even when it equals the rate
// that applied already. A rate of null computes the present rate, that of the
// customer's plan if there is one.
func TestUpdateSaleOwnRate(t *testing.T) {
	ctx := t.Context()
	null := affiliate.Null[affiliate.Percent]()
	s := newSaleShop(t)
	own, free, byCode := s.toTomas("100"), s.toTomas("100"), s.sell(affiliate.NewSale{PromoCode: "ADA20"})
	rate := func(sale affiliate.Sale) string {
		return must(s.Sale(ctx, sale.ID)).CommissionRate.Or(affiliate.Percent{}).String()
	}
	update := func(sale affiliate.Sale, up affiliate.SaleUpdate) { must(s.UpdateSale(ctx, sale.ID, up)) }

	s.fires(func() error {
		return errOf(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: percent("20")}))
	}, affiliate.SaleUpdated)
	s.fires(func() error {
		return errOf(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: percent("20")}))
	})
	plan := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	must(s.SetReferralPlan(ctx, plan.ID, s.tomas.ID))
	equal(t, 1, must(s.RecalculateSales(ctx, affiliate.SaleFilter{})))
	equal(t, []string{"20", "30", "20"}, []string{rate(own), rate(free), rate(byCode)})

	update(own, affiliate.SaleUpdate{Name: textOf("n")})
	update(own, affiliate.SaleUpdate{TotalEarned: amount("200")})
	equal(t, "20", rate(own))
	equal(t, sum("40"), must(s.Sale(ctx, own.ID)).CommissionEarned)
	update(own, affiliate.SaleUpdate{CommissionRate: null})
	equal(t, "30", rate(own))
	equal(t, sum("60"), must(s.Sale(ctx, own.ID)).CommissionEarned)
	update(byCode, affiliate.SaleUpdate{CommissionRate: null}) // a sale without a customer
	equal(t, "20", rate(byCode))
	s.verify()
}

// The type of a rate belongs to the commission: 20 % of 100 is the amount 20,
// but 20 % of 200 is not.
func TestRecalculateChangesTheTypeAlone(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	on := func(typ affiliate.CommissionType) {
		terms := affiliate.Terms{Type: typ, Rate: affiliate.MustPercent("20")}
		must(s.SetReferralPlan(ctx, must(s.CreatePlan(ctx, affiliate.NewPlan{Name: string(typ), Terms: terms})).ID, s.tomas.ID))
	}
	on(affiliate.CommissionFlat)
	sale := s.toTomas("100")
	on(affiliate.CommissionPercentage)
	equal(t, 1, must(s.RecalculateSales(ctx, affiliate.SaleFilter{})))
	got := must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: amount("200")}))
	equal(t, sum("40"), got.CommissionEarned)
	s.verify()
}

// When the external id is free, the invoice id is still checked.
func TestUpdateSaleBothIDs(t *testing.T) {
	s := newSaleShop(t)
	s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "taken", ExternalInvoiceID: "inv"})
	sale := s.toTomas("100")
	taken := stateError(affiliate.SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists")
	s.refused(taken, func() error {
		return errOf(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{ExternalID: textOf("new"), ExternalInvoiceID: textOf("inv")}))
	})
}

// The deductions from the base belong to the commission too: after they change,
// the commission differs at the same rate.
func TestRecalculateAfterADeduction(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	sale := s.sell(affiliate.NewSale{Email: s.tomas.Email, Tax: sum("10")})
	cfg := s.Config()
	cfg.CommissionOnTax = true
	later := must(tributary.New(s.store, cfg))
	equal(t, 1, must(later.RecalculateSales(ctx, affiliate.SaleFilter{})))
	equal(t, []affiliate.Amount{sum("18"), sum("20")}, []affiliate.Amount{sale.CommissionEarned, must(s.Sale(ctx, sale.ID)).CommissionEarned})
	equal(t, 0, must(later.RecalculateSales(ctx, affiliate.SaleFilter{})))
	s.verify()
}

// A review that sets the present values changes nothing at any time, also for a
// commission in a payout.
func TestReviewCommissionsAgain(t *testing.T) {
	s := newSaleShop(t)
	sale := s.toTomas("100")
	again := func(status affiliate.ApprovalStatus) {
		s.pass(time.Hour)
		before := s.dump()
		s.fires(func() error { return errOf(s.ReviewCommissions(s.t.Context(), status, sale.ID)) })
		equal(t, before, s.dump())
	}
	must(s.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, sale.ID))
	again(affiliate.ApprovalDeclined)
	must(s.ReviewCommissions(t.Context(), affiliate.ApprovalAccepted, sale.ID))
	again(affiliate.ApprovalAccepted)
	s.payout()
	again(affiliate.ApprovalAccepted)
}

// Only a plan that holds rewards holds the commissions of its sales.
func TestPlanHoldsRewards(t *testing.T) {
	for _, holds := range []bool{false, true} {
		s := newSaleShop(t)
		plan := must(s.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}, HoldRewards: holds}))
		must(s.SetAffiliatePlan(t.Context(), plan.ID, s.ada.affiliate.ID))
		want := []any{affiliate.ApprovalAccepted, affiliate.Null[affiliate.HoldReason]()}
		if holds {
			want = []any{affiliate.ApprovalOnHold, affiliate.Set(affiliate.HoldProgramSettings)}
		}
		c := s.toTomas("100").Commissions[0]
		equal(t, want, []any{c.ApprovalStatus, c.HoldReason})
		s.verify()
	}
}
