package servertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneAtOnce sells to one customer from two callers, and then from twenty, under a plan that
// pays each of the first three payments differently and caps what the customer earns.
func sceneAtOnce(s *scene) {
	pays := func(name string, nth int64, rate string) affiliate.Rule {
		return affiliate.Rule{
			Name: name, When: affiliate.RuleWhen{PaymentFrom: nth, PaymentTo: nth},
			Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent(rate)},
		}
	}
	for callers, want := range map[int][]string{
		2:  {"30", "20"},
		20: {"30", "20", "10", "1", "1", "1", "1", "1", "0.5", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0"},
	} {
		plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: affiliate.Terms{
			Rate: affiliate.MustPercent("1"), MaxPerCustomer: amount("65.5"), Rules: []affiliate.Rule{pays("first", 1, "30"), pays("second", 2, "20"), pays("third", 3, "10")},
		}})
		mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
			FirstName: "Mara", LastName: "Lindqvist", Email: s.email(fmt.Sprint("mara", callers)), AffiliateLink: s.slug(fmt.Sprint("mara", callers)), CommissionPlanID: plan.ID,
		})
		orders := make([]affiliate.SaleParams, callers)
		for i := range orders {
			orders[i] = affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email(fmt.Sprint("kim", callers)), Name: "Kim", TotalEarned: amount("100"), ExternalID: fmt.Sprint(s.unique, callers, "-", i)}
		}
		earned, numbers := s.sellsAtOnce(orders)
		same(s, fmt.Sprintf("what %d payments at once earn", callers), want, earned)
		for i, n := range numbers {
			same(s, fmt.Sprintf("the numbers of %d payments at once", callers), int64(i+1), n)
		}
	}
}

// sellsAtOnce records sales at the same time. It returns what they earn, the most first, and the
// numbers of the payments, in order.
func (s *scene) sellsAtOnce(orders []affiliate.SaleParams) (earned []string, numbers []int64) {
	answers, errs := make([]affiliate.SaleResult, len(orders)), make([]error, len(orders))
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i, order := range orders {
		wg.Go(func() {
			<-begin
			answers[i], errs[i] = s.RecordSale(s.ctx, order)
		})
	}
	close(begin)
	wg.Wait()
	var sums []affiliate.Amount
	for i, answer := range answers {
		sale, ok := answer.Sale.Get()
		if errs[i] != nil || !ok {
			s.fatal(Failure{step("RecordSale", orders[i]), "recorded", fmt.Sprint(answer.Outcome, errs[i])})
		}
		sums = append(sums, sale.CommissionEarned)
		numbers = append(numbers, do(s, "ExplainSale", s.ExplainSale, sale.ID).Terms.Payment.Or(0))
	}
	slices.SortFunc(sums, func(a, b affiliate.Amount) int { return b.Cmp(a) })
	slices.Sort(numbers)
	for _, sum := range sums {
		earned = append(earned, sum.String())
	}
	return earned, numbers
}

// sceneBudget sells from twenty callers within two budgets of a plan, gives a sale back, and sells again.
func sceneBudget(s *scene) {
	month := affiliate.Budget{Of: affiliate.BudgetOfAll, Per: affiliate.IntervalYear, MaxCommission: amount("65.5")}
	plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: affiliate.Terms{
		Rate: affiliate.MustPercent("10"), Budgets: []affiliate.Budget{month, {Of: affiliate.BudgetOfAffiliate, MaxRewards: 9}},
	}})
	mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email("mara"), AffiliateLink: s.slug("mara"), CommissionPlanID: plan.ID,
	})
	order := func(i int) affiliate.SaleParams {
		return affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email(fmt.Sprint("kim", i)), Name: "Kim", TotalEarned: amount("100"), ExternalID: fmt.Sprint(s.unique, "-", i)}
	}
	orders := make([]affiliate.SaleParams, 20)
	for i := range orders {
		orders[i] = order(i)
	}
	earned, _ := s.sellsAtOnce(orders)
	same(s, "what 20 sales at once earn", []string{"10", "10", "10", "10", "10", "10", "5.5", "0", "0"}, earned[:9])
	used := func(what string, want ...string) {
		var said []string
		uses := do2(s, "Budgets", s.Budgets, affiliate.BudgetQuery{AffiliateID: affiliate.Set(mara.ID), Current: true}, affiliate.Page{}).Items
		for _, use := range uses {
			said = append(said, fmt.Sprint(use.Commission, " in ", use.Rewards, " ", use.Status))
		}
		same(s, what, want, said)
	}
	used("what is used", "65.5 in 7 OPEN")
	var whole, cut affiliate.SaleID
	for _, sale := range do2(s, "Sales", s.Sales, affiliate.SaleQuery{AffiliateID: affiliate.Set(mara.ID)}, affiliate.Page{Limit: 50}).Items {
		switch sale.CommissionEarned {
		case amount("10"):
			whole = sale.ID
		case amount("5.5"):
			cut = sale.ID
		}
	}
	by := do(s, "ExplainSale", s.ExplainSale, cut).Budgets
	same(s, "what was left", []any{2, month, amount("5.5"), amount("5.5")}, []any{len(by), by[0].Budget, by[0].Left.Or(affiliate.Amount{}), by[0].Most.Or(affiliate.Amount{})})
	do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: whole, Amount: given(amount("80"))})
	used("after a refund", "57.5 in 7 OPEN")
	same(s, "the sale that was cut", amount("5.5"), do(s, "Sale", s.Sale, cut).CommissionEarned)
	result := do(s, "RecordSale", s.RecordSale, order(20))
	same(s, "the next sale", amount("8"), result.Sale.Or(affiliate.Sale{}).CommissionEarned)
	used("after the next sale", "65.5 in 8 LOW")
}

// sceneBonus grants bonuses from eight callers at once, takes sales back, and grants again.
func sceneBonus(s *scene) {
	plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: affiliate.Terms{Bonuses: []affiliate.Bonus{
		{Name: "three", From: affiliate.Day(2001, 1, 1), Customers: 3, MinSpend: amount("50"), Times: 1, Amount: amount("25")},
		{Name: "each 100", From: affiliate.Day(2001, 1, 1), Revenue: amount("100"), Amount: amount("2.5")},
		{Name: "welcome", From: affiliate.Day(2001, 1, 1), To: affiliate.BonusToCustomer, SignUps: 1, Amount: amount("4")},
	}}})
	mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email("mara"), AffiliateLink: s.slug("mara"), CommissionPlanID: plan.ID,
	})
	kim := do(s, "EnsureAffiliate", s.EnsureAffiliate, affiliate.AffiliateParams{ExternalID: s.unique + "-kim", FirstName: "Kim", LastName: "Holm", Email: s.email("kim2")})
	var sold []affiliate.SaleID
	for i := range 4 {
		result := do(s, "RecordSale", s.RecordSale, affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email(fmt.Sprint("kim", i)), Name: "Kim", TotalEarned: amount("60"),
			ReferredUserExternalID: []string{"", "", s.unique + "-kim", ""}[i]})
		sold = append(sold, result.Sale.Or(affiliate.Sale{}).ID)
	}
	has := func(what string, want map[string]string) {
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = s.Run(s.ctx, affiliate.GrantBonusesJob{}) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			s.fatal(Failure{"Run GrantBonusesJob", "no error", err.Error()})
		}
		got := map[string]string{}
		for who, id := range map[string]uuid.UUID{"mara": mara.ID, "kim": kim.ID} {
			sums := map[string]affiliate.Amount{}
			for _, a := range do2(s, "Adjustments", s.Adjustments, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{}).Items {
				sums[a.Reason], _ = sums[a.Reason].Add(a.Amount)
				got[who+" "+a.Reason] = sums[a.Reason].String()
			}
		}
		same(s, what, want, got)
	}
	has("bonuses", map[string]string{"mara three": "25", "mara each 100": "5", "kim welcome": "4"})
	for _, id := range sold[:2] {
		do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: id})
	}
	has("bonuses after refunds", map[string]string{"mara three": "0", "mara each 100": "2.5", "kim welcome": "4"})
	far := do(s, "Bonuses", s.Bonuses, affiliate.AffiliateRef{ID: mara.ID})
	same(s, "how far", []any{2, amount("2"), int64(0), amount("3"), amount("120"), int64(1), amount("200")},
		[]any{len(far), far[0].Reached, far[0].Given, far[0].Next.Or(amount("0")), far[1].Reached, far[1].Given, far[1].Next.Or(amount("0"))})
}
