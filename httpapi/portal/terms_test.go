package portal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// TestTerms: an affiliate sees what their sales earn, and what they will earn from when, in words;
// nothing of others.
func TestTerms(t *testing.T) {
	w := newWorld(t, "")
	cookie, ctx := w.enter(w.ada.ID), t.Context()
	type parts = map[string][]string
	says := func(want parts) {
		t.Helper()
		if diff := cmp.Diff(want, w.get(cookie, "terms").parts()); diff != "" {
			t.Errorf("sections of the page (-want +got):\n%s", diff)
		}
	}
	says(parts{"Now": {"20 %"}})
	percent := func(rate string) affiliate.RulePay {
		return affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent(rate)}
	}
	for _, ids := range [][]string{nil, {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}} {
		rules := []affiliate.Rule{
			{Name: "secret 1", When: affiliate.RuleWhen{Products: append([]string{"SEAT"}, ids...), PaymentTo: 12, NotCategories: []string{"gift"}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("2.5")}},
			{Name: "secret 2", When: affiliate.RuleWhen{Plans: []string{"yearly"}, MonthFrom: 13, Customer: affiliate.CustomerReturning}, Pay: percent("5")},
			{Name: "secret 3", When: affiliate.RuleWhen{PaymentTo: 1}, Pay: percent("40")},
			{Name: "secret 4", When: affiliate.RuleWhen{PaymentFrom: 3, PaymentTo: 3}, Pay: percent("41")},
			{Name: "secret 5", When: affiliate.RuleWhen{MonthFrom: 2, MonthTo: 6, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerPurchase}}, Pay: percent("42")},
			{Name: "secret 6", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("3")}},
			{Name: "secret 7", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew, NotProducts: []string{"X"}, NotPlans: []string{"Y"}, Categories: []string{"Z"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
			{Name: "secret 8", Pay: percent("1")},
		}
		must(w.SetTerms(ctx, affiliate.TermsUpdate{
			Rules: affiliate.Set(rules), MaxPayments: affiliate.Set[int64](24), MaxMonths: affiliate.Set[int64](1), MaxPerSale: affiliate.Set(affiliate.MustAmount("50")), MaxPerCustomer: affiliate.Set(affiliate.MustAmount("500")), HoldDays: affiliate.Set[int64](30),
		}))
	}
	says(parts{"Now": {
		"20 % of everything else", "for the first 24 payments of a customer", "for 1 month from the first payment of a customer",
		"at most 50.00 USD for a sale", "at most 500.00 USD for all sales of a customer", "payable after 30 days",
		"2.50 USD for each piece | products: SEAT, a, b, c, d, e, f, g, h, i and 3 more; not the categories: gift; the first 12 payments of a customer",
		"5 % | plans: yearly; from the month no. 13 on of a customer; customers who have paid before",
		"40 % | the first payment of a customer",
		"41 % | the payment no. 3 of a customer",
		"42 % | the months no. 2 to 6 of a customer; when it is: purchase",
		"3.00 USD for the sale | what your customers do without a payment: signup",
		"nothing | categories: Z; not the products: X; not the plans: Y; customers who pay for the first time",
		"1 % | everything",
	}})
	plan := must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "secret plan", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	must(w.SetAffiliatePlan(ctx, plan.ID, w.ada.ID))
	for day, rate := range map[int]string{1: "15", 2: "16", 3: "17"} {
		must(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent(rate)), From: affiliate.Set(affiliate.Day(2027, 1, day))}}))
	}
	says(parts{"Now": {"30 %"}, "From 1 Jan 2027, 00:00": {"15 %"}, "Later": {"From 2 Jan 2027, 00:00: 16 %", "From 3 Jan 2027, 00:00: 17 %"}})
	if page := w.get(cookie, "terms"); strings.Contains(page.body, "secret") || len(page.body) > 40<<10 {
		t.Errorf("%d bytes: %s", len(page.body), page.text())
	}
	w.now = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	cookie = w.enter(w.ada.ID)
	says(parts{"Now": {"16 %"}, "From 3 Jan 2027, 00:00": {"17 %"}})
}
