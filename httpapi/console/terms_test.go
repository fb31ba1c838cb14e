package console_test

import (
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/internal/atlength"
)

// names are what stands in the rows of a form.
func names(form url.Values) (all []string) {
	for n := 1; form.Has(fmt.Sprint("name-", n)); n++ {
		all = append(all, form.Get(fmt.Sprint("name-", n)))
	}
	return all
}

// TestRulePages: the page of a plan has its rules as a table, and the page of a sale what
// each line earned by which of them.
func TestRulePages(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	p := w.plan
	for path, says := range map[string]string{
		"plans/" + p.ID.String():         "1 Seats Product: SEAT, DESK Payments: -12 2.50 USD for each piece yes 2 New Not category: gift Customer: new 40 % no",
		"settings":                       "33.3 % and 2 rules",
		fmt.Sprint("sales/", w.lined.ID): "Desk · DESK · p · office 3 60.00 USD 0.00 USD Seats 2.50 USD for each piece 60 60 15/2 MILL 1 50.00 USD 10.00 USD New 40 % 40 40 16",
	} {
		if page := w.get(path); page.status != 200 || !strings.Contains(page.text(), says) {
			t.Errorf("%s: %d, it does not say %q: %s", path, page.status, says, page.text())
		}
	}
	if page := w.get(fmt.Sprint("sales/", w.free.ID)); strings.Contains(page.text(), "Decided by") || strings.Contains(page.body, `id="lines"`) {
		t.Errorf("a sale without lines: %s", page.text())
	}
	if page := w.get("plans/" + uuid.Max.String()); page.status != 404 {
		t.Errorf("a plan that is not there: %d", page.status)
	}
}

// TestRuleRows: the buttons of the rows change the form and nothing else, and keep what was
// typed, also where it is wrong. What is saved is what the form shows.
func TestRuleRows(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	p := w.plan
	path := "plans/" + p.ID.String() + "/change"
	form, before := w.form(path), w.effects()
	press := func(button string) {
		t.Helper()
		form.Set("check", button)
		page := w.send(path, form)
		if page.status != 200 {
			t.Fatalf("%s: %d %s", button, page.status, page.text())
		}
		form = fieldsOf(t, page.body)
	}
	same := func(want string) {
		t.Helper()
		if got := fmt.Sprint(names(form)); got != want {
			t.Errorf("the rows are %s, not %s", got, want)
		}
	}
	same("[Seats New]")
	press("add")
	form.Set("name-3", "Third")
	form.Set("when-3", "what")
	same("[Seats New Third]")
	press("up-3")
	same("[Seats Third New]")
	press("down-1")
	same("[Third Seats New]")
	if form.Get("when-1") != "what" || form.Get("firm-2") != "1" || form.Get("pay-2") != "UNIT" || form.Has("firm-1") || form.Get("when-3") != "Not category: gift\nCustomer: new" {
		t.Errorf("what was typed: %v", form)
	}
	for _, nothing := range []string{"up-1", "down-3", "remove-4", "up-x", "up-0", "remove--1", "sideways-1", "up-99999999999999999999"} {
		press(nothing)
		same("[Third Seats New]")
	}
	form.Del("check")
	page := w.send(path, form)
	if page.status != 400 || !strings.Contains(page.text(), "Line 1: “what” is no condition") || !strings.Contains(page.body, `id="w-when-1"`) {
		t.Errorf("%d %s", page.status, page.text())
	}
	form = fieldsOf(t, page.body)
	press("remove-1")
	same("[Seats New]")
	press("down-1")
	if w.effects() != before {
		t.Error("a button has changed the plan")
	}
	form.Del("check")
	if page := w.send(path, form); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	now := must(w.Plan(t.Context(), p.ID))
	if want := []affiliate.Rule{p.Rules[1], p.Rules[0]}; fmt.Sprint(now.Rules) != fmt.Sprint(want) {
		t.Errorf("saved %v, not %v", now.Rules, want)
	}
	form = w.form(path)
	press("remove-2")
	press("remove-1")
	same("[]")
	form.Del("check")
	if page := w.send(path, form); page.status != 303 || len(must(w.Plan(t.Context(), p.ID)).Rules) != 0 {
		t.Errorf("%d %s", page.status, page.text())
	}
}

// TestRulesRefused: each refusal stands at the row that it is about, also when rows
// before it are empty.
func TestRulesRefused(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := "plans/" + w.stock().plan.ID.String() + "/change"
	for field, row := range map[string][]string{
		"name-2 is required": {"name-2", "", "rate-2", "5"},
		"name-2 has":         {"name-1", "A", "pay-1", "PERCENTAGE", "rate-1", "1", "name-2", "A", "when-2", "Product: X", "rate-2", "5"},
		"name-3 Rule B can never hold, because rule A decides before it": {"name-1", "", "name-2", "A", "pay-2", "PERCENTAGE", "rate-2", "1", "name-3", "B", "when-3", "Product: X", "pay-3", "PERCENTAGE", "rate-3", "5"},
		"rate-2 Commission rate must not be negative":                    {"name-2", "A", "pay-2", "FLAT", "rate-2", "-5"},
		"rate-2 Enter a number":                                          {"name-2", "A", "pay-2", "FLAT", "rate-2", ""},
		"rate-2 must not be sent":                                        {"name-2", "A", "pay-2", "NONE", "rate-2", "5"},
		"pay-2 must be one of":                                           {"name-2", "A", "pay-2", "ALL", "rate-2", "5"},
		"when-2 must be one of":                                          {"name-2", "A", "pay-2", "NONE", "when-2", "Trigger: lunch"},
		"when-2 must be after from":                                      {"name-2", "A", "pay-2", "NONE", "when-2", "Payments: 3-2"},
		"when-2 Line 2":                                                  {"name-2", "A", "pay-2", "NONE", "when-2", "Product: X\r\nMonths: 0"},
		"name-1 The conditions of a rule contradict each other":          {"name-1", "A", "pay-1", "NONE", "when-1", "Product: X\r\nNot product: X"},
	} {
		form := w.form(path, append([]string{"name-1", "", "when-1", "", "pay-1", "NONE", "rate-1", ""}, row...)...)
		at, says, _ := strings.Cut(field, " ")
		for _, check := range []string{"", "1"} {
			form.Set("check", check)
			page := w.send(path, form)
			kept := fieldsOf(t, page.body)
			if page.status != 400 || !strings.Contains(page.body, `id="w-`+at+`"`) && !strings.HasPrefix(at, "pay") || !strings.Contains(page.text(), says) || kept.Get("name-2") != form.Get("name-2") {
				t.Errorf("%s (check %q): %d %s", field, check, page.status, page.text())
			}
		}
	}
	if rules := must(w.Plan(t.Context(), w.stock().plan.ID)).Rules; len(rules) > 0 {
		t.Errorf("saved %v", rules)
	}
}

// TestRulesCost: the button says what the rules that stand there would have cost, and saves
// nothing.
func TestRulesCost(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := "plans/" + w.plan.ID.String() + "/change"
	before := w.effects()
	for says, row := range map[string][]string{
		"1 sale earned 23.50 USD, and would have earned 23.50 USD by these terms, the same. 0 sales would": nil,
		"would have earned 16.00 USD by these terms, 7.50 USD less. 1 sale would":                          {"pay-1", "NONE", "rate-1", ""},
		"planned X: 41.00 USD instead of 23.50 USD, 17.50 USD more.":                                       {"pay-1", "FLAT", "rate-1", "25"},
	} {
		page := w.send(path, w.form(path, append(row, "check", "1")...))
		if page.status != 200 || !strings.Contains(page.text(), says) || !strings.Contains(page.text(), "Nothing was saved.") {
			t.Errorf("%v: %d, it does not say %q: %s", row, page.status, says, page.text())
		}
		if kept := fieldsOf(t, page.body); len(row) > 0 && kept.Get("pay-1") != row[1] {
			t.Errorf("what was typed: %v", kept)
		}
	}
	if w.effects() != before {
		t.Error("looking has changed something")
	}
	form := w.form(path, "check", "1")
	must(w.UpdatePlan(t.Context(), w.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("1"))}}))
	if page := w.send(path, form); page.status != 409 || !strings.Contains(page.text(), "What you have typed is still here") {
		t.Errorf("of a plan that was changed meanwhile: %d %s", page.status, page.text())
	}
	must(w.UpdatePlan(t.Context(), w.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("33.3"))}}))
	none := "plans/" + w.stock().plan.ID.String() + "/change"
	if page := w.send(none, w.form(none, "check", "1")); page.status != 200 || !strings.Contains(page.text(), "No sale of the last 90 days was by the terms of the plan “Spare”.") {
		t.Errorf("a plan without sales: %d %s", page.status, page.text())
	}
}

// TestOfferOfTerms: the forms of terms and of affiliates set the coupon that links give, keep it when something else
// is changed, and take it away.
func TestOfferOfTerms(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Friends", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	plan := must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}))
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org"}))
	ofPlan := "plans/" + plan.ID.String()
	for _, place := range []struct {
		path, other, value string
		offer              func() uuid.UUID
	}{
		{"terms/change", "holdDays", "3", func() uuid.UUID {
			all := must(w.Terms(ctx))
			return all[len(all)-1].OfferCouponID
		}},
		{ofPlan + "/change", "holdDays", "3", func() uuid.UUID { return must(w.Plan(ctx, plan.ID)).OfferCouponID }},
		{"affiliates/" + ada.ID.String() + "/edit", "lastName", "Byron", func() uuid.UUID { return must(w.Affiliate(ctx, ada.ID.String())).OfferCouponID }},
	} {
		for _, step := range []struct {
			field, value string
			want         uuid.UUID
		}{{"offerCouponId", coupon.ID.String(), coupon.ID}, {place.other, place.value, coupon.ID}, {"offerCouponId", "", uuid.Nil}, {"offerCouponId", coupon.ID.String(), coupon.ID}} {
			if page := w.send(place.path, w.form(place.path, step.field, step.value)); page.status != 303 {
				t.Fatalf("%s: %d %s", place.path, page.status, page.text())
			}
			if got := place.offer(); got != step.want {
				t.Errorf("%s with %s %q: the links give %s, want %s", place.path, step.field, step.value, got, step.want)
			}
		}
		if page := w.send(place.path, w.form(place.path, "offerCouponId", "Friends")); page.status != 400 || !strings.Contains(page.text(), "Enter the id of a coupon") {
			t.Errorf("%s: %d %s", place.path, page.status, page.text())
		}
	}
	if page := w.get(ofPlan); !strings.Contains(page.text(), "Links give customers a coupon") {
		t.Error(page.text())
	}
}

// TestRulesCostCapped: what the rules would have cost has the caps of the plan.
func TestRulesCostCapped(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Capped", Terms: affiliate.Terms{Rate: affiliate.MustPercent("50"), MaxPerSale: affiliate.MustAmount("20"), MaxPerCustomer: affiliate.MustAmount("30")}}))
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	must(w.SetAffiliatePlan(t.Context(), plan.ID, ada.ID))
	for range 2 {
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("100")}))
	}
	if page := w.get("sales/2"); !strings.Contains(page.text(), "At most, by the caps of the terms 10.00 USD Commission 10.00 USD") {
		t.Error(page.text())
	}
	path := "plans/" + plan.ID.String()
	if page := w.get(path); !strings.Contains(page.text(), "A sale earns at most 20.00 USD A customer earns at most 30.00 USD") {
		t.Error(page.text())
	}
	path += "/change"
	for says, row := range map[string][]string{
		"2 sales earned 30.00 USD, and would have earned 30.00 USD by these terms, the same": nil,
		"would have earned 10.00 USD by these terms, 20.00 USD less":                         {"name-1", "A", "when-1", "", "pay-1", "PERCENTAGE", "rate-1", "5"},
	} {
		if page := w.send(path, w.form(path, append(row, "check", "1")...)); page.status != 200 || !strings.Contains(page.text(), says) {
			t.Errorf("%d, it does not say %q: %s", page.status, says, page.text())
		}
	}
}

// TestBudgetPages: budgets are typed, shown with what is used of them, tried out, and kept by a form that
// changes something else.
func TestBudgetPages(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "C", PercentOff: affiliate.Set(affiliate.MustPercent("5"))})).ID
	typed := "each month: 30\nAll quarter, campaign a: b: 1000, 20 rewards\nall: 45.5, whole\neach, coupon " + coupon.String() + ", campaign \"x,y\": 1 reward"
	for _, path := range []string{"terms", "plans/" + must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "P"})).ID.String()} {
		if page := w.send(path+"/change", w.form(path+"/change", "commissionRate", "10", "budgets", typed)); page.status != 303 {
			t.Fatalf("%s: %d %s", path, page.status, page.text())
		}
		if page := w.send(path+"/change", w.form(path+"/change", "commissionRate", "20")); page.status != 303 {
			t.Fatalf("%s: %d %s", path, page.status, page.text())
		}
		for _, says := range []string{"at most 30.00 USD in a month", "at most 1,000.00 USD, 20 rewards in a quarter, by everybody together, of the campaign a: b",
			"at most 45.50 USD in all, by everybody together, and what does not fit earns nothing", "at most 1 reward in all, with a certain coupon, of the campaign x,y"} {
			if page := w.get(path); !strings.Contains(page.text(), says) {
				t.Errorf("%s does not say %q: %s", path, says, page.text())
			}
		}
	}
	for line, why := range map[string]string{
		"each month: 1,000": "Line 1: “each month: 1,000” is no budget", "all\n": "is no budget", "some: 5": "is no budget", "all decade: 5": "is no budget",
		"all, coupon x: 5": "is no budget", "all, campaign: 5": "is no budget", "all, color red: 5": "is no budget", "all: five": "is no budget",
		"each: 5 rewards, 6 rewards": "is no budget", "all: whole": "is required", "all: 5\n\nall: 6": "must have distinct entries", "all: -5": "must be at least 0",
		"all, coupon " + uuid.Max.String() + ": 5": "Coupon not found",
	} {
		if page := w.send("terms/change", w.form("terms/change", "budgets", line)); page.status/100 != 4 || !strings.Contains(page.text(), why) {
			t.Errorf("%q: %d, without %q: %s", line, page.status, why, page.text())
		}
	}
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	for range 2 {
		must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("100")}))
	}
	month := "at most 30.00 USD in a month 30.00 USD in 2 sales since"
	for path, says := range map[string][]string{
		"affiliates/" + ada.ID.String(): {month, "Spent"},
		"terms":                         {"on the page of each affiliate", "nothing", "30.00 USD in 2 sales Open"},
		"sales/2":                       {"At most, by a budget 10.00 USD Commission 10.00 USD", "Counts in the budget: at most 30.00 USD in a month, of the time from", "of which 10.00 USD was left", "Counts in the budget: at most 45.50 USD in all, by everybody together, and what does not fit earns nothing."},
	} {
		for _, one := range says {
			if page := w.get(path); !strings.Contains(page.text(), one) {
				t.Errorf("%s does not say %q: %s", path, one, page.text())
			}
		}
	}
	if page := w.send("terms/change", w.form("terms/change", "budgets", "each: 8", "check", "1")); page.status != 200 || !strings.Contains(page.text(), "2 sales earned 30.00 USD, and would have earned 8.00 USD by these terms, 22.00 USD less") {
		t.Errorf("%d %s", page.status, page.text())
	}
	if page := w.send("terms/change", w.form("terms/change", "budgets", "all: 32\nall month: 60")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("100")}))
	if page := w.get(""); !strings.Contains(page.text(), "Budget 1 at most 32.00 USD in all, by everybody together: 32.00 USD in 3 sales are used") {
		t.Error(page.text())
	}
}

// TestBudgetPace: a budget that is used up before its period ends says when, if as much is used on.
func TestBudgetPace(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	must(w.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("10")), Budgets: affiliate.Set([]affiliate.Budget{
		{Of: affiliate.BudgetOfAll, Per: affiliate.IntervalMonth, MaxCommission: affiliate.MustAmount("60"), MaxRewards: 100}})}))
	must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	sell := func(total string) {
		must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount(total)}))
	}
	must(w.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set([]affiliate.Budget{
		{Of: affiliate.BudgetOfAll, Per: affiliate.IntervalMonth, MaxCommission: affiliate.MustAmount("60"), MaxRewards: 100},
		{Of: affiliate.BudgetOfAll, Per: affiliate.IntervalYear, MaxCommission: affiliate.MustAmount("99999")}})})) // which would last for centuries
	sell("100")
	if page := w.get("terms"); strings.Contains(page.text(), "at this pace") {
		t.Error(page.text())
	}
	sell("350")
	if page := w.get("terms"); !strings.Contains(page.text(), "45.00 USD in 2 sales since 1 Mar 2026 Open at this pace until 13 Mar 2026") {
		t.Error(page.text())
	}
	sell("30")
	if page := w.get("terms"); !strings.Contains(page.text(), "Low at this pace until 12 Mar 2026") {
		t.Error(page.text())
	}
	sell("900")
	if page := w.get("terms"); !strings.Contains(page.text(), "60.00 USD in 4 sales since 1 Mar 2026 Spent") || strings.Contains(page.text(), "at this pace") {
		t.Error(page.text())
	}
}

// TestConditions: what the page shows of any rule is read as that rule.
func TestConditions(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "P"}))
	path := "plans/" + plan.ID.String() + "/change"
	none := affiliate.RulePay{Type: affiliate.RuleNone}
	hard := []string{" a ", `"a"`, `a"b`, "a,b", "a: b", "#", `\n`, "Ü店", "a\u00a0", "<b>", "a\u2028b"}
	rules := []affiliate.Rule{
		{Name: "ids", When: affiliate.RuleWhen{Products: hard, Plans: hard, Categories: hard}, Pay: none},
		{Name: "no ids", When: affiliate.RuleWhen{NotProducts: hard, NotPlans: hard, NotCategories: hard, PaymentFrom: 2}, Pay: none},
		{Name: "to", When: affiliate.RuleWhen{PaymentTo: 2, MonthTo: 1, Customer: affiliate.CustomerReturning}, Pay: none},
		{Name: "leads", When: affiliate.RuleWhen{Conversions: []string{"lead", "a: b", `"a"`}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")}},
		{Name: "from", When: affiliate.RuleWhen{PaymentFrom: 3, PaymentTo: 3, MonthFrom: 14, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus, affiliate.TriggerContentReward}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("0.0001")}},
	}
	for i := range rules {
		up := affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(rules[i : i+1]), MonthsFrom: affiliate.Set(affiliate.MonthsFromReferral)}}
		if _, err := w.UpdatePlan(t.Context(), plan.ID, up); err != nil {
			t.Fatal(rules[i].Name, err)
		}
		before := must(w.Plan(t.Context(), plan.ID))
		change, firm := []string{"firm-1", "1"}, true
		if rules[i].When.Conversions != nil {
			change, firm = []string{"pay-1", "NONE", "rate-1", ""}, false
		}
		if page := w.send(path, w.form(path, change...)); page.status != 303 {
			t.Fatalf("%s: %d %s", rules[i].Name, page.status, page.text())
		}
		after := must(w.Plan(t.Context(), plan.ID))
		if before.Rules[0].Firm = firm; !firm {
			before.Rules[0].Pay = none
		}
		if was, is := must(json.Marshal(before.Rules)), must(json.Marshal(after.Rules)); string(was) != string(is) || after.MonthsFrom != before.MonthsFrom {
			t.Errorf("%s was saved as %s", was, is)
		}
	}
}

// TestManyRules: a form of as many rules as a plan may have stays within the bytes of a
// page, and one more is refused.
func TestManyRules(t *testing.T) {
	atlength.Only(t, "makes large forms")
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "P"}))
	var rules []affiliate.Rule
	for i := range 64 {
		rules = append(rules, affiliate.Rule{Name: fmt.Sprint("rule ", i), When: affiliate.RuleWhen{Products: []string{fmt.Sprint("product-", i)}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("1.5")}})
	}
	must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(rules)}}))
	path := "plans/" + plan.ID.String() + "/change"
	if page := w.get(path); page.status != 200 || len(page.body) > maxPage {
		t.Errorf("%d, %d bytes", page.status, len(page.body))
	}
	page := w.send(path, w.form(path, "name-65", "more", "when-65", "", "pay-65", "NONE", "rate-65", ""))
	if page.status != 400 || !strings.Contains(page.text(), "at most 64 rules") {
		t.Errorf("%d %s", page.status, page.text())
	}
}

// TestDatedTerms: 15 % from 1 January is one form, which says beforehand what the last 90 days would
// have cost. The day begins in the zone of the program; the pages list what was, is and will be.
func TestDatedTerms(t *testing.T) {
	for _, of := range []string{"program", "plan"} {
		t.Run(of, func(t *testing.T) { datedTerms(t, of == "plan") })
	}
}

func datedTerms(t *testing.T, ofPlan bool) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.Location = must(time.LoadLocation("Europe/Berlin")) })
	w.now = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	ctx, path := t.Context(), "terms"
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	if ofPlan {
		plan := must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
		must(w.SetAffiliatePlan(ctx, plan.ID, ada.ID))
		path = "plans/" + plan.ID.String()
	}
	sell := func() affiliate.Sale {
		sale := affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("100")}
		return must(w.RecordSale(ctx, sale)).Sale.Or(affiliate.Sale{})
	}
	sell()
	says := func(path, says string) {
		t.Helper()
		if page := w.get(path); page.status != 200 || !strings.Contains(page.text(), says) {
			t.Errorf("%s: %d, it does not say %q: %s", path, page.status, says, page.text())
		}
	}
	says(path, "They have always been so, and no change is planned.")

	form, before := w.form(path+"/change", "from", "2027-01-01", "commissionRate", "15", "maxPerSale", "50", "check", "1"), w.effects()
	looked := w.send(path+"/change", form)
	if w.effects() != before || !strings.Contains(looked.text(), "The last 90 days: 1 sale earned 20.00 USD, and would have earned 15.00 USD by these terms, 5.00 USD less.") {
		t.Fatalf("%d %s", looked.status, looked.text())
	}
	form = fieldsOf(t, looked.body)
	if form.Get("from") != "2027-01-01" || form.Get("commissionRate") != "15" {
		t.Errorf("what was typed: %v", form)
	}
	if saved := w.send(path+"/change", form); saved.status != 303 {
		t.Fatalf("%d %s", saved.status, saved.text())
	}
	says(path, "Dates The latest first. A sale earns by the terms of when it was paid. From State Terms Change "+
		"1 Jan 2027, 00:00 To come 15 %, at most 50.00 USD for a sale Change… Withdraw… the beginning In force 20 %")
	says(path, "Terms Pays 20 %")
	coming := "?from=2026-12-31T23%3A00%3A00.000Z"
	says(path+coming, "terms from 1 Jan 2027, 00:00 To come Change these terms… Withdraw…")
	says(path+coming, "Terms Pays 15 %")
	says("settings", map[bool]string{true: "Gold , other terms from 1 Jan 2027 20 %", false: "1 Jan 2027, 00:00 To come 15 % at most 50.00 USD for a sale 0 the beginning In force 20 %"}[ofPlan])
	says(path+"/change", "Now: 20 %. From 1 Jan 2027, 00:00: 15 %, at most 50.00 USD for a sale.")

	same := w.send(path+"/change", w.form(path+"/change", "from", "2027-01-01", "commissionRate", "16"))
	if same.status != 400 || !strings.Contains(same.text(), "Other terms begin at this moment: change or withdraw them.") {
		t.Errorf("%d %s", same.status, same.text())
	}
	if to := w.form(path + "/change" + coming); to.Has("from") || to.Get("commissionRate") != "15" || to.Get("maxPerSale") != "50" {
		t.Errorf("the form of the terms to come: %v", to)
	}
	if changed := w.send(path+"/change"+coming, w.form(path+"/change"+coming, "commissionRate", "14", "name-1", "Gifts", "when-1", "Category: gift", "pay-1", "NONE", "rate-1", "")); changed.status != 303 {
		t.Errorf("%d %s", changed.status, changed.text())
	}
	says(path+coming, "Pays 14 %, where no rule decides")
	says(path+coming, "1 Gifts Category: gift nothing no")

	open := w.form(path + "/change" + coming)
	w.now = time.Date(2026, 12, 31, 22, 59, 59, 0, time.UTC)
	if sale := sell(); sale.CommissionEarned.String() != "20" {
		t.Errorf("the last second earns %s", sale.CommissionEarned)
	}
	w.now = w.now.Add(time.Second)
	if sale := sell(); sale.CommissionEarned.String() != "14" {
		t.Errorf("the first second earns %s", sale.CommissionEarned)
	}
	before = w.effects()
	if late := w.send(path+"/change"+coming, open); late.status == 303 || w.effects() != before || !strings.Contains(late.text(), "form is too old") && !strings.Contains(late.text(), "not to come any more") {
		t.Errorf("a form of terms that have begun: %d %s", late.status, late.text())
	}
	for _, gone := range []string{"/change" + coming, "/withdraw" + coming, "/withdraw?from=always", "/withdraw", "/change?from=", "/change?from=always", "/change?from=2027-01-01"} {
		if page := w.get(path + gone); page.status != 400 && page.status != 404 {
			t.Errorf("%s: %d %s", gone, page.status, page.text())
		}
	}
	says(path+"?from=always", "terms from the beginning Past Change the terms…")
	says(path+"?from=always", "Pays 20 %")
	if page := w.get(path + "?from=tomorrow"); page.status != 404 {
		t.Errorf("%d %s", page.status, page.text())
	}
	says(path, "1 Jan 2027, 00:00 In force 14 %, with 1 rule, at most 50.00 USD for a sale the beginning Past 20 %")
	if err := w.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// TestConversionsCost: what terms would have cost counts what is no payment, too, and so do the
// pages with figures.
func TestConversionsCost(t *testing.T) {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	w.convert()
	if page := w.get(""); !strings.Contains(page.text(), "0 Sales 1 Conversions") {
		t.Errorf("the overview: %s", page.text())
	}
	if page := w.get("affiliates/" + must(w.Affiliate(t.Context(), "ada@example.org")).ID.String()); !strings.Contains(page.text(), "0 and 1 conversion") || !strings.Contains(page.body, `/terms">the program`) {
		t.Errorf("the affiliate: %s", page.text())
	}
	page := w.send("terms/change", w.form("terms/change", "rate-1", "8", "check", "1"))
	if !strings.Contains(page.text(), "0 sales and 1 conversion earned 5.00 USD, and would have earned 8.00 USD by these terms, 3.00 USD more.") {
		t.Errorf("%d %s", page.status, page.text())
	}
}

// TestShownBySale: the page of a sale says at which payment and month of its customer the rules
// decided, and leads to the plan; that of settings says whom a sale credits.
func TestShownBySale(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.Attribution.Touch = affiliate.TouchFirst })
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxMonths: 12, MaxPayments: 9}}))
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada", ExternalID: "tenant/7"}))
	must(w.SetAffiliatePlan(t.Context(), plan.ID, ada.ID))
	for range 2 {
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("100")}))
		w.now = w.now.AddDate(0, 0, 40)
	}
	if page := w.get("sales/2"); !strings.Contains(page.text(), "Payment no. 2 of the customer, in month no. 2 Paid by the customer 100.00 USD Base of the whole sale 100.00 USD Rate, of the plan 20 %") || !strings.Contains(page.body, `/plans/`+plan.ID.String()+`">of the plan`) {
		t.Error(page.text())
	}
	if page := w.get("settings"); !strings.Contains(page.text(), "A sale credits the first click of a visitor; whom each order names; the owner of a code first") {
		t.Error(page.text())
	}
	for query, shown := range map[string]bool{"tenant%2F7": true, "tenant": false, "Moss": true} {
		if page := w.get("affiliates?q=" + query); strings.Contains(page.text(), "ada@example.org tenant/7") != shown {
			t.Errorf("%s: %s", query, page.text())
		}
	}
}

// TestLargeTermPages: the pages of many versions and of a sale with many lines stay small.
func TestLargeTermPages(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "P", Terms: affiliate.Terms{MaxMonths: 12, MaxPayments: 9, MaxPerSale: affiliate.MustAmount("50"), MaxPerCustomer: affiliate.MustAmount("500"), HoldDays: 30}}))
	for i := range 31 {
		must(w.UpdatePlan(t.Context(), plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.PercentFromScaled(int64(i))), From: affiliate.Set(affiliate.Day(2030, 1, 1+i))}}))
	}
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	sale := affiliate.SaleParams{ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("500")}
	for i := range 500 {
		sale.Lines = append(sale.Lines, affiliate.Line{ID: fmt.Sprint("line_", i), ProductID: fmt.Sprint("prod_", i), Name: "A product", Amount: affiliate.MustAmount("1")})
	}
	must(w.RecordSale(t.Context(), sale))
	for path, says := range map[string]string{"plans/" + plan.ID.String(): "31 Jan 2030", "plans/" + plan.ID.String() + "/change": "31 Jan 2030", "sales/1": "And 400 lines more.", "sales/1/refund": "And 450 lines more, which the HTTP API can name."} {
		if page := w.get(path); page.status != 200 || len(page.body) > 40_000 || !strings.Contains(page.text(), says) {
			t.Errorf("%s: %d, %d bytes: %.2000s", path, page.status, len(page.body), page.text())
		}
	}
}

// TestCodeTermsPages: what a coupon and a code ask for is shown and can be changed, and so is why an order gets
// nothing; a code without an affiliate works where house codes do.
func TestCodeTermsPages(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.HouseCodes = true })
	w.fill("")
	ctx := t.Context()
	form := w.form("coupons/new", "name", "Launch", "percentOff", "10", "startsAt", "2026-12-01", "maxDiscount", "20", "maxDiscountTotal", "1,000",
		"maxRedemptionsPerCustomer", "2", "restoreOnRefund", "1")
	if page := w.send("coupons/new", form); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	c := must(w.Coupon(ctx, affiliate.CouponRef{Name: "Launch"}))
	if got := fmt.Sprint(c.StartsAt, c.MaxDiscount, c.MaxDiscountTotal, c.MaxRedemptionsPerCustomer, c.RestoreOnRefund); got != "2026-12-01T00:00:00.000Z 20 1000 2 true" {
		t.Errorf("made %s", got)
	}
	path := "coupons/" + c.ID.String() + "/codes/new"
	if page := w.send(path, w.form(path, "code", "HOUSE", "startsAt", "2026-12-02", "minimumQuantity", "2.5", "maxRedemptionsPerCustomer", "1")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	code := must(w.Code(ctx, affiliate.CodeRef{Code: "HOUSE"}))
	if got := fmt.Sprint(code.StartsAt, code.MinimumQuantity, code.MaxRedemptionsPerCustomer); got != "2026-12-02T00:00:00.000Z 2.5 1" {
		t.Errorf("made %s", got)
	}
	if page := w.send(path, w.form(path, "code", "BAD", "minimumQuantity", "many")); page.status != 400 || !strings.Contains(page.text(), "Enter a number, such as 2.") {
		t.Errorf("%d %s", page.status, page.text())
	}
	ofCode, ofCoupon := "codes/"+code.ID.String(), "coupons/"+c.ID.String()
	for _, path := range []string{ofCode + "/edit", ofCoupon + "/edit"} { // nothing was touched, so nothing is written
		if page := w.send(path, w.form(path)); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	says := func(path string, all ...string) {
		t.Helper()
		page := w.get(path)
		for _, text := range all {
			if page.status != 200 || !strings.Contains(page.text(), text) {
				t.Errorf("%s: %d, does not say %q: %s", path, page.status, text, page.text())
			}
		}
	}
	says("codes?state=upcoming", "HOUSE the house From 2 Dec 2026")
	says(ofCode, "From 2 Dec 2026", "Affiliate the house", "Uses of one customer 1, of the coupon 2", "any, and 2.5 pieces", "Held now 0")
	says(ofCoupon, "Takes off at most 20.00 USD of one order", "Budget 1,000.00 USD left of 1,000.00 USD", "Refunds in full give the use back")
	says(ofCode+"?total=100", "It is refused From 2 Dec 2026", "Not checked")
	for path, form := range map[string]url.Values{
		ofCoupon + "/edit": w.form(ofCoupon+"/edit", "startsAt", "", "maxDiscount", "", "maxDiscountTotal", "10", "maxRedemptionsPerCustomer", "", "restoreOnRefund", ""),
		ofCode + "/edit":   w.form(ofCode+"/edit", "startsAt", "", "minimumQuantity", ""),
	} {
		if page := w.send(path, form); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	c = must(w.Coupon(ctx, affiliate.CouponRef{Name: "Launch"}))
	if got := fmt.Sprint(c.StartsAt, c.MaxDiscount, c.MaxDiscountTotal, c.MaxRedemptionsPerCustomer, c.RestoreOnRefund); got != "not given not given 10 not given false" {
		t.Errorf("changed to %s", got)
	}
	says(ofCode+"?total=100&email=kim%40b.example", "It works Discount 10.00 USD")
	hold := affiliate.HoldParams{ID: "cart", Until: w.now.Add(time.Minute), Order: affiliate.Order{PromoCode: "HOUSE", Email: "lou@b.example", Subtotal: affiliate.Set(affiliate.MustAmount("60"))}}
	must(w.HoldRedemption(ctx, hold))
	says(ofCoupon, "Budget 4.00 USD left of 10.00 USD")
	w.now = w.now.Add(2 * time.Minute)
	says(ofCoupon, "Budget 10.00 USD left of 10.00 USD")
	sale := affiliate.SaleParams{PromoCode: "HOUSE", ReferralID: "ada", Email: "kim@b.example", Name: "Kim", Subtotal: affiliate.Set(affiliate.MustAmount("100")), TotalEarned: affiliate.MustAmount("90")}
	sold := must(w.RecordSale(ctx, sale)).Sale.Or(affiliate.Sale{})
	says(ofCode+"?total=100&email=kim%40b.example", "It is refused Budget spent, of 10.00 USD", "The customer has used it as often as one may, 1 of 1")
	says("codes?q=HOUSE", "Budget spent, of 10.00 USD")
	says(ofCoupon, "Budget 0.00 USD left of 10.00 USD")
	says(fmt.Sprint("sales/", sold.ID), "Its code took 10.00 USD off.")
}

// TestHoldPages: the page of a code shows the places that are held now, and releases one; a sale over a limit waits in
// the overview until somebody accepts it.
func TestHoldPages(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.HouseCodes = true })
	w.fill("")
	ctx := t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Few", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	code := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FEW", AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](2)}))
	house := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "HOUSE", MaxRedemptions: affiliate.Set[int64](1)}))
	hold := func(id string, c affiliate.Code, until time.Duration) {
		must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: c.Code, Subtotal: affiliate.Set(affiliate.MustAmount("50"))}, Until: w.now.Add(until)}))
	}
	hold("cart & 1", code, 2*time.Hour)
	hold("lapses", code, time.Minute)
	hold("of the house", house, time.Minute)
	w.now = w.now.Add(time.Hour)
	says := func(path, text string) {
		t.Helper()
		if page := w.get(path); page.status != 200 || !strings.Contains(page.text(), text) {
			t.Errorf("%s: %d, does not say %q: %s", path, page.status, text, page.text())
		}
	}
	ofCode := "codes/" + code.ID.String()
	says(ofCode, "Held now 1")
	says(ofCode, "cart & 1 FEW")
	says(ofCode, "5.00 USD 45.00 USD Release…")
	says("coupons/"+coupon.ID.String(), "Held now 1")
	release := "holds/release?hold=cart+%26+1"
	says(release, "It keeps a place of FEW until")
	if page := w.send(release, w.form(release)); page.status != 303 || !strings.Contains(page.head.Get("Location"), ofCode) {
		t.Errorf("%d %s", page.status, page.text())
	}
	says(ofCode, "Held now 0")
	if got := must(w.Hold(ctx, "cart & 1")).State; got != affiliate.HoldReleased {
		t.Error(got)
	}
	if page := w.get("holds/release?hold=nobody"); page.status != 404 {
		t.Errorf("%d %s", page.status, page.text())
	}

	for range 2 {
		must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "FEW", TotalEarned: affiliate.MustAmount("45")}))
	}
	must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOUSE", TotalEarned: affiliate.MustAmount("45"), ExternalID: "o-1"}))
	late := must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", Email: "kim@b.example", Name: "Kim", TotalEarned: affiliate.MustAmount("45")})).Sale.Or(affiliate.Sale{})
	must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: "of the house", TotalEarned: affiliate.MustAmount("45"), ExternalID: "order & 2"}))
	says("", "Over a limit 2")
	says("", fmt.Sprintf("Sale %v, FEW, kim@b.example: 5.00 USD off", late.ID))
	says("redemptions", "Sale or order")
	says("redemptions", "order & 2 HOUSE of the house 5.00 USD Accept…")
	says(fmt.Sprint("sales/", late.ID), "It is over a limit: the customer paid after the hold had lapsed, when the place was gone.")
	says(fmt.Sprint("sales/", late.ID), "Accept over the limit…")
	for _, path := range []string{fmt.Sprint("redemptions/accept?sale=", late.ID), "redemptions/accept?order=order+%26+2"} {
		says(path, "and has the discount")
		if page := w.send(path, w.form(path)); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		if page := w.get(path); page.status != 400 || !strings.Contains(page.text(), "It waits for nobody.") {
			t.Errorf("%s again: %d %s", path, page.status, page.text())
		}
	}
	says("redemptions", "No redemption waits for you.")
	says(fmt.Sprint("sales/", late.ID), "Somebody accepted that on 13 Mar 2026.")
	many := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MANY", AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](1)}))
	var first string // of more than the list shows
	for i := range 22 {
		id := fmt.Sprint("late ", i)
		must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Until: w.now.Add(time.Minute), Order: affiliate.Order{PromoCode: "MANY"}}))
		w.now = w.now.Add(2 * time.Minute)
		must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MANY", TotalEarned: affiliate.MustAmount("45")}))
		sold := must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: id, TotalEarned: affiliate.MustAmount("45")})).Sale.Or(affiliate.Sale{})
		many = must(w.UpdateCode(ctx, many.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(many.MaxRedemptions.Or(0) + 2)}))
		first = stdcmp.Or(first, fmt.Sprint("redemptions/accept?sale=", sold.ID))
	}
	says("redemptions", "20 on this page, 2 more when these are accepted")
	says(first, "after the hold late 0 had lapsed")
	for range 2 {
		for _, r := range must(w.Attention(ctx, 20)).Overdrawn.Items {
			must(0, w.AcceptRedemption(ctx, affiliate.SaleRef{ID: r.SaleID.Or(0)}))
		}
	}
	if page := w.get(""); strings.Contains(page.text(), "Over a limit") {
		t.Error(page.text())
	}
}

// TestBonusPages: bonuses are typed, kept by a form that changes something else, given by a button, and shown
// with how far an affiliate is.
func TestBonusPages(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	typed := "two: a day, twice: 30 per 2 customers, from 2026-01-01, spent 20, 1 time\nmuch: 2.5 per 100 revenue, each month, after 1 day, from 2026-01-01\n" +
		"many: 1 per 1 sign-up, from 2026-01-01T00:00:00Z\nwelcome: 5 per 1 customer, From 2026-01-01, after 14 days, to the customer"
	for range 2 {
		if page := w.send("terms/change", w.form("terms/change", "commissionRate", "10", "bonuses", typed)); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		if page := w.send("terms/change", w.form("terms/change", "commissionRate", "20")); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
	}
	terms := must(w.Terms(ctx))[0].Bonuses
	want := []affiliate.Bonus{
		{Name: "two: a day, twice", From: affiliate.Day(2026, 1, 1), Customers: 2, MinSpend: affiliate.MustAmount("20"), Times: 1, Amount: affiliate.MustAmount("30")},
		{Name: "much", From: affiliate.Day(2026, 1, 1), Per: "month", Revenue: affiliate.MustAmount("100"), HoldDays: 1, Amount: affiliate.MustAmount("2.5")},
		{Name: "many", From: affiliate.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), SignUps: 1, Amount: affiliate.MustAmount("1")},
		{Name: "welcome", To: "CUSTOMER", From: affiliate.Day(2026, 1, 1), Customers: 1, HoldDays: 14, Amount: affiliate.MustAmount("5")},
	}
	if diff := cmp.Diff(want, terms); diff != "" {
		t.Error(diff)
	}
	for line, why := range map[string]string{
		"ten": "is no bonus", "ten: 5": "is no bonus", "ten: x per 10 customers": "is no bonus", "ten: 5 per 10 friends": "is no bonus", "ten: 5 per many customers": "is no bonus",
		"ten: 5 per 10 customers, from then": "is no bonus", "ten: 5 per 10 customers, to Ada": "is no bonus", "ten: 5 per 10 customers, often": "is no bonus",
		"ten: 5 per 10 customers, 1 time, 2 times": "is no bonus", "ten: 5 per 10 customers": "is required", "two: a day, twice: 30 per 3 customers, from 2026-01-01": "give it another name",
		"ten: 5 per 10 customers, each decade, from 2026-01-01": "must be one of day, week, month, quarter, year",
	} {
		if page := w.send("terms/change", w.form("terms/change", "bonuses", line)); page.status/100 != 4 || !strings.Contains(page.text(), why) {
			t.Errorf("%q: %d, without %q: %s", line, page.status, why, page.text())
		}
	}
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	for i := range 3 {
		must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("c%d@x.example", i), Name: "C", TotalEarned: affiliate.MustAmount("90")}))
	}
	w.now = w.now.Add(25 * time.Hour)
	if page := w.send("bonuses/grant", w.form("bonuses/grant")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	for path, says := range map[string][]string{
		"affiliates/" + ada.ID.String(): {"two: a day, twice 30.00 USD for every 2 customers who pay, 20.00 USD or more, once 3, given 1 time", "much 2.50 USD for every 100.00 USD that customers pay, each month anew, after 1 day 270.00 USD of 300.00 USD since", "given 2 times", "1.00 USD for each customer who signs up 3 of 4, given 3 times"},
		"terms":                         {"welcome 5.00 USD for your customer for each customer who pays, after 14 days 2026-01-01"},
	} {
		for _, one := range says {
			if page := w.get(path); !strings.Contains(page.text(), one) {
				t.Errorf("%s does not say %q: %s", path, one, page.text())
			}
		}
	}
}
