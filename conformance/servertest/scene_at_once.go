package servertest

import (
	"fmt"
	"slices"
	"sync"

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
