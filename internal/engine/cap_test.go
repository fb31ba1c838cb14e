package engine_test

import (
	"sync"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func capped(sale, customer string) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.Terms.MaxPerSale, c.Terms.MaxPerCustomer = scene.Sum(sale), scene.Sum(customer)
	}
}

// 20 %, at most 30 a sale and 50 a customer.
func TestCaps(t *testing.T) {
	s, ctx := scene.NewShop(t, capped("30", "50")), t.Context()
	earns := func(sale affiliate.Sale, want string) affiliate.SaleID {
		t.Helper()
		if got := scene.Must(s.Sale(ctx, sale.ID)).CommissionEarned; got != scene.Sum(want) {
			t.Errorf("sale %d earns %v, want %s", sale.ID, got, want)
		}
		s.Verifies()
		return sale.ID
	}
	first := s.ToTomas("200") // 40
	earns(first, "30")
	second := s.ToTomas("200")
	earns(second, "20")
	third := s.ToTomas("200")
	earns(third, "0")
	earns(s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("100")}), "20") // another customer
	earns(s.Sell(affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1000")}), "30")           // of nobody known
	if e := scene.Must(s.ExplainSale(ctx, second.ID)).Arithmetic; e.Cap != affiliate.Set(scene.Sum("20")) || e.Exact != "40" || e.Rounded != scene.Sum("20") {
		t.Errorf("explained: %+v", e)
	}
	own := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), CommissionRate: affiliate.Set(affiliate.MustPercent("90"))})
	earns(own, "90")
	scene.Must(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("1"))}))
	earns(own, "1")

	// A refund lowers what is above the kept part, makes room for later sales, and raises no
	// earlier one.
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: first.ID, Amount: affiliate.Set(scene.Sum("10"))}))
	earns(first, "30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: first.ID, Amount: affiliate.Set(scene.Sum("90"))}))
	earns(first, "20")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: first.ID}))
	earns(first, "0")
	earns(second, "20")
	earns(s.ToTomas("1000"), "29") // 50 − 20 − 1

	// The same terms change nothing, now or in a simulation.
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	earns(second, "20")
	earns(third, "0")
	for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Terms: s.Config().Terms}) {
		if err != nil || d.Changed != 0 {
			t.Errorf("under the same terms: %+v, %v", d, err)
		}
	}
}

// A preview knows the cap of its customer, also of one who is to come.
func TestCapOfPreview(t *testing.T) {
	s := scene.NewShop(t, capped("0", "50"))
	s.ToTomas("100") // earns 20
	for email, want := range map[string]string{"": "200", "new@example.net": "50", s.Tomas.Email: "30"} {
		got := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("1000"), Email: email, Commission: true})).Commission
		if got != scene.Amount(want) {
			t.Errorf("of %q: %v, want %s", email, got, want)
		}
	}
}

// A rate that is given to a sale later takes its cap away; the terms bring it back.
func TestCapOfUpdatedSale(t *testing.T) {
	s, ctx := scene.NewShop(t, capped("30", "0")), t.Context()
	sale := s.ToTomas("200")
	for _, tt := range []struct {
		rate   affiliate.Opt[affiliate.Percent]
		earned string
	}{{scene.Percent("25"), "50"}, {affiliate.Null[affiliate.Percent](), "30"}} {
		sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: tt.rate}))
		scene.Equal(t, scene.Sum(tt.earned), sale.CommissionEarned)
		s.Verifies()
	}
}

// A cap that comes later leaves room for what the others have earned by then, and a refund of
// these makes no more of it.
func TestCapComesLater(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	sale, other := s.ToTomas("100"), s.ToTomas("100")
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxPerCustomer: scene.Sum("30")}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Person.ID))
	for range 2 {
		sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
		scene.Equal(t, scene.Sum("10"), sale.CommissionEarned)
		s.Verifies()
		scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: other.ID}))
	}
}

// What other caps would have paid: 20 % of 200 three times, with 50 a customer at most
// and without.
func TestSimulateCaps(t *testing.T) {
	for name, tt := range map[string]struct{ was, would, difference string }{
		"a cap":        {"0", "50", "-70"},
		"no cap":       {"50", "0", "70"},
		"a higher cap": {"50", "90", "40"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t, capped("0", tt.was))
			for range 3 {
				s.ToTomas("200")
			}
			terms := s.Config().Terms
			terms.MaxPerCustomer = scene.Sum(tt.would)
			for d, err := range s.Simulate(t.Context(), affiliate.SimulateQuery{Terms: terms}) {
				if err != nil || d.Difference != scene.Sum(tt.difference) {
					t.Errorf("%+v, %v", d, err)
				}
			}
		})
	}
}

// Sales of one customer at the same time never earn more together than the cap.
func TestCapAtOnce(t *testing.T) {
	s := scene.NewShop(t, capped("0", "50"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.ToTomas("60") })
	}
	wg.Wait()
	if got := scene.Must(s.Referral(t.Context(), s.Tomas.ID.String())).TotalCommission; got != scene.Sum("50") {
		t.Errorf("together they earn %v", got)
	}
	s.Verifies()
}

func TestCapsRefused(t *testing.T) {
	w := scene.New(t)
	for name, terms := range map[string]affiliate.Terms{"maxPerSale": {MaxPerSale: scene.Sum("-1")}, "maxPerCustomer": {MaxPerCustomer: scene.Sum("-0.01")}} {
		w.Refused(inField(name, "must be at least 0"), func() error {
			return scene.ErrOf(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: terms}))
		})
	}
}
