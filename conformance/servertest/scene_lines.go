package servertest

import (
	"context"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneLines sells two lines by a code for one of them, and takes one back.
func sceneLines(s *scene) {
	mara := s.join("mara")
	coupon := do(s, "CreateCoupon", s.CreateCoupon, affiliate.CouponParams{
		Name: s.unique, PercentOff: given(affiliate.MustPercent("25")), LimitToProducts: true, ProductIDs: []string{"beans"},
	})
	code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{CouponID: coupon.ID, Code: s.slug("BEANS"), AffiliateID: mara.ID})
	lines := []affiliate.Line{
		{ID: "1", ProductID: "beans", PlanID: "monthly", Name: "Beans", Quantity: given(amount("2")), Amount: amount("120.01")},
		{ID: "2", ProductID: "mug", Categories: []string{"gifts"}, Amount: amount("20"), Discount: amount("5")},
	}
	preview := do(s, "Evaluate", s.Evaluate, affiliate.Order{PromoCode: code.Code, Lines: lines})
	same(s, "25 percent of the beans alone", []any{true, 0, given(amount("30")), given(amount("105.01"))},
		[]any{preview.Valid, len(preview.Unverified), preview.Discount, preview.Total})
	order := affiliate.SaleParams{PromoCode: code.Code, Email: s.email("kim"), TotalEarned: amount("115.01"), Tax: amount("10"), Lines: lines}
	sale := s.sell(order)
	same(s, "the lines of the preview and of the sale", preview.Lines, sale.Lines)
	same(s, "the lines of a sale", []affiliate.SaleLine{
		{
			ID: given("1"), ProductID: given("beans"), PlanID: given("monthly"), Name: given("Beans"), Categories: []string{},
			Quantity: amount("2"), Amount: amount("120.01"), CodeDiscount: amount("30"), Rule: affiliate.Null[string](),
		},
		{
			ID: given("2"), ProductID: given("mug"), PlanID: affiliate.Null[string](), Name: affiliate.Null[string](), Categories: []string{"gifts"},
			Quantity: amount("1"), Amount: amount("20"), Discount: amount("5"), Rule: affiliate.Null[string](),
		},
	}, sale.Lines)
	same(s, "the sum of the lines", given(amount("140.01")), sale.Subtotal)
	same(s, "20 percent of what they brought", amount("21"), sale.CommissionEarned)

	both := order
	both.Product = given(affiliate.Product{ProductID: "beans"})
	no(s, "RecordSale", s.RecordSale, both, mustBe("product", "must not be sent"))
	other := order
	other.Subtotal = given(amount("140"))
	no(s, "RecordSale", s.RecordSale, other, mustBe("subtotal", "must be the sum of what it is made of"))

	back := func(id, sum string) affiliate.Refund {
		return affiliate.Refund{SaleID: sale.ID, Amount: given(amount(sum)), Lines: []affiliate.RefundLine{{ID: id, Amount: amount("15")}}}
	}
	no(s, "RefundSale", s.RefundSale, back("2", "16"), invalid("lines", "The refunded lines must add up to the refund amount without its tax and shipping"))
	no(s, "RefundSale", s.RefundSale, back("3", "15"), mustBe("lines[0].id", "must be the id of a line of the sale"))
	do(s, "RefundSale", s.RefundSale, back("2", "15"))
	left := do(s, "Sale", s.Sale, sale.ID)
	same(s, "a line that went back", []any{amount("15"), amount("18")}, []any{left.Lines[1].Refunded, left.CommissionEarned})
	do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: sale.ID})
	same(s, "the commission when all went back", amount("0"), do(s, "Sale", s.Sale, sale.ID).CommissionEarned)
}

// sceneRules sells to a customer twice under a plan whose rules decide about gift cards
// and about renewals.
func sceneRules(s *scene) {
	percent := affiliate.MustPercent
	rules := []affiliate.Rule{
		{Name: "gift cards", When: affiliate.RuleWhen{Categories: []string{"gift-card"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
		{Name: "renewals", When: affiliate.RuleWhen{Customer: affiliate.CustomerReturning}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: percent("10")}},
	}
	terms := affiliate.Terms{Rate: percent("30"), Rules: rules}
	plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: terms})
	same(s, "the rules of a plan", rules, plan.Rules)
	same(s, "the stored plan", plan, do(s, "Plan", s.Plan, plan.ID))
	mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email("mara"), AffiliateLink: s.slug("mara"), CommissionPlanID: plan.ID,
	})
	sell := func() affiliate.Sale {
		return s.sell(affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email("kim"), Name: "Kim", TotalEarned: amount("100"), Lines: []affiliate.Line{
			{ID: "1", ProductID: "beans", Amount: amount("80")}, {ID: "2", Categories: []string{"gift-card"}, Amount: amount("20")},
		}})
	}
	same(s, "30 percent of all but the gift card", amount("24"), sell().CommissionEarned)
	renewal := sell()
	same(s, "10 percent of a renewal", amount("8"), renewal.CommissionEarned)
	why := do(s, "ExplainSale", s.ExplainSale, renewal.ID)
	same(s, "what each line earns", []affiliate.ExplainedLine{
		{ID: given("1"), Base: amount("80"), Kept: "80", Rule: given("renewals"), Type: affiliate.RulePercentage, Rate: given(percent("10")), Exact: "8"},
		{ID: given("2"), Base: amount("20"), Kept: "20", Rule: given("gift cards"), Type: affiliate.RuleNone, Rate: affiliate.Null[affiliate.Percent](), Exact: "0"},
	}, why.Lines)

	late := terms
	late.Rules = []affiliate.Rule{{Name: "all", Pay: rules[1].Pay}, rules[1]}
	covered := invalid("rules[1]", "Rule renewals can never hold, because rule all decides before it")
	no(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: late}, covered)
	no2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: late.Update()}, covered)
	one := do2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: given(rules[:1]), MonthsFrom: given(affiliate.MonthsFromReferral)}})
	same(s, "a plan with other rules", []any{rules[:1], affiliate.MonthsFromReferral}, []any{one.Rules, one.MonthsFrom})
	none := do2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: percent("30")}.Update()})
	same(s, "a plan without rules", []any{0, affiliate.MonthsFrom("")}, []any{len(none.Rules), none.MonthsFrom})
	same(s, "30 percent of everything", amount("30"), sell().CommissionEarned)
}

// sceneConversions reports sign-ups of one customer under a plan that pays for them.
func sceneConversions(s *scene) {
	rules := []affiliate.Rule{{
		Name: "sign-up", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")},
	}}
	plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), Rules: rules}})
	same(s, "the rules of a plan", rules, plan.Rules)
	mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email("mara"), AffiliateLink: s.slug("mara"), CommissionPlanID: plan.ID,
	})
	signup := affiliate.ConversionParams{Conversion: "signup", ReferralID: s.slug("mara"), Email: s.email("kim"), Name: "Kim", ExternalID: s.slug("user-1")}
	made := do(s, "RecordConversion", s.RecordConversion, signup).Sale.Or(affiliate.Sale{})
	same(s, "a sign-up", []any{"signup", affiliate.TriggerSignup, amount("0"), amount("5"), affiliate.Null[affiliate.Percent](), mara.ID},
		[]any{made.Conversion, made.PaymentTrigger, made.TotalEarned, made.CommissionEarned, made.CommissionRate, made.AffiliateID})
	signup.ExternalID = ""
	same(s, "the same sign-up again", affiliate.SaleDuplicate, do(s, "RecordConversion", s.RecordConversion, signup).Outcome)
	other := affiliate.ConversionParams{Conversion: "download", Email: s.email("kim")}
	same(s, "a conversion for which nothing is paid", amount("0"), do(s, "RecordConversion", s.RecordConversion, other).Sale.Or(affiliate.Sale{}).CommissionEarned)
	same(s, "the first payment", amount("30"), s.sell(affiliate.SaleParams{Email: s.email("kim"), TotalEarned: amount("100")}).CommissionEarned)
	links := do2(s, "Links", s.Links, affiliate.LinkQuery{AffiliateID: given(mara.ID)}, affiliate.Page{})
	same(s, "conversions and sales of the link", []any{int64(2), int64(1)}, []any{links.Items[0].Conversions, links.Items[0].Sales})

	do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: made.ID})
	gone := do(s, "Sale", s.Sale, made.ID)
	same(s, "a sign-up that was taken back", []any{affiliate.SaleRefunded, amount("0")}, []any{gone.Status, gone.CommissionEarned})
	same(s, "the same sign-up after that", affiliate.SaleDuplicate, do(s, "RecordConversion", s.RecordConversion, signup).Outcome)
	no(s, "RecordConversion", s.RecordConversion, affiliate.ConversionParams{Email: s.email("kim")}, missing("conversion", "Conversion is required"))
	no2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: given([]affiliate.Rule{{Name: "a", When: rules[0].When, Pay: rules[0].Pay, Firm: true}})}},
		invalid("rules[0].firm", "A rule for conversions pays FLAT or NONE, is not firm and has no other condition"))
}

// sceneDates plans other terms, and takes them back. What was paid before stays.
func sceneDates(s *scene) {
	percent := affiliate.MustPercent
	plan := do(s, "CreatePlan", s.CreatePlan, affiliate.PlanParams{Name: s.unique, Terms: affiliate.Terms{Rate: percent("20")}})
	mara := do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email("mara"), AffiliateLink: s.slug("mara"), CommissionPlanID: plan.ID,
	})
	day := affiliate.Day(2199, 1, 1)
	same(s, "a plan without dates", 0, len(plan.Versions))
	dated := do2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: given(percent("15")), From: given(day)}})
	rates := func(all []affiliate.DatedTerms) (rates []affiliate.Percent, inForce int) {
		for i, v := range all {
			rates = append(rates, v.CommissionRate)
			if v.InForce {
				inForce = i
			}
		}
		return rates, inForce
	}
	planned, now := rates(dated.Versions)
	same(s, "20 percent now and 15 later", []any{[]affiliate.Percent{percent("20"), percent("15")}, 0, percent("20")}, []any{planned, now, dated.CommissionRate})
	same(s, "the stored plan", dated, do(s, "Plan", s.Plan, plan.ID))
	same(s, "20 percent", amount("20"), s.sell(affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email("kim"), Name: "Kim", TotalEarned: amount("100")}).CommissionEarned)

	no2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: given(percent("15")), From: given(affiliate.Day(2001, 1, 1))}},
		invalid("from", "from must be later than now: leave it out to change the terms in force"))
	no2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: given(affiliate.Day(2198, 1, 1))}}, invalid("withdraw", "No version of the terms begins then"))
	back := do2(s, "UpdatePlan", s.UpdatePlan, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: given(day)}})
	same(s, "a plan whose dates were taken back", 0, len(back.Versions))

	is, err := s.Settings(s.ctx)
	same(s, "the settings", nil, err)
	days := affiliate.SettingsUpdate{CookieDuration: given(int64(is.CookieDuration))}
	if slices.Contains(is.SetByCode, "cookieDuration") {
		no(s, "UpdateSettings", s.UpdateSettings, days, denial{400, "setting_fixed", "cookieDuration", "cookieDuration is set by the code of the program's host"})
	} else {
		same(s, "settings that stay", is.CookieDuration, do(s, "UpdateSettings", s.UpdateSettings, days).CookieDuration)
		no(s, "UpdateSettings", s.UpdateSettings, affiliate.SettingsUpdate{CookieDuration: given(int64(0))},
			invalid("cookieDuration", "cookieDuration must be an integer from 1 to 36500"))
	}

	terms := func() []affiliate.DatedTerms {
		return do(s, "Terms", func(ctx context.Context, _ struct{}) ([]affiliate.DatedTerms, error) { return s.Terms(ctx) }, struct{}{})
	}
	before := terms()
	after := do(s, "SetTerms", s.SetTerms, affiliate.TermsUpdate{Rate: given(percent("15")), From: given(day)})
	same(s, "the terms of the program, and those to come", len(before)+1, len(after))
	same(s, "the last of them", []any{percent("15"), false}, []any{after[len(after)-1].CommissionRate, after[len(after)-1].InForce})
	same(s, "the list of the terms", after, terms())
	do(s, "SetTerms", s.SetTerms, affiliate.TermsUpdate{Withdraw: given(day)})
	same(s, "the terms that are left", before, terms())
}
