package engine_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func when(r affiliate.Rule, w affiliate.RuleWhen) affiliate.Rule {
	r.When = w
	return r
}

// kind makes a rule of another type.
func kind(r affiliate.Rule, typ affiliate.RuleType) affiliate.Rule {
	if r.Pay.Type = typ; typ == affiliate.RuleNone {
		r.Pay.Rate = affiliate.Percent{}
	}
	return r
}

// What a sale of 60 for a dear and 40 for a cheap product earns: 10 % without a rule.
func TestRules(t *testing.T) {
	firm := ruled("firm", "50", "dear")
	firm.Firm = true
	flat, unit := kind(ruled("flat", "7", "dear", "cheap"), affiliate.RuleFlat), kind(ruled("unit", "2", "dear"), affiliate.RuleUnit)
	for name, tt := range map[string]struct {
		rules  []affiliate.Rule
		in     affiliate.SaleParams
		own    string // rate of the affiliate
		earned string
	}{
		"no rule":                        {nil, affiliate.SaleParams{}, "", "10"},
		"of one product":                 {[]affiliate.Rule{ruled("half", "50", "dear")}, affiliate.SaleParams{}, "", "34"},
		"the first one decides":          {[]affiliate.Rule{ruled("half", "50", "dear"), ruled("all", "20")}, affiliate.SaleParams{}, "", "38"},
		"flat once":                      {[]affiliate.Rule{flat}, affiliate.SaleParams{}, "", "7"},
		"flat for one line":              {[]affiliate.Rule{ruled("half", "50", "dear"), flat}, affiliate.SaleParams{}, "", "37"},
		"each piece":                     {[]affiliate.Rule{unit}, affiliate.SaleParams{}, "", "10"},
		"nothing for one":                {[]affiliate.Rule{kind(ruled("none", "0", "dear"), affiliate.RuleNone)}, affiliate.SaleParams{}, "", "4"},
		"nothing comes before the first": {[]affiliate.Rule{ruled("all", "50"), kind(ruled("none", "0", "dear"), affiliate.RuleNone)}, affiliate.SaleParams{}, "", "20"},
		"nothing comes before a rate":    {[]affiliate.Rule{kind(ruled("none", "0", "dear"), affiliate.RuleNone)}, affiliate.SaleParams{CommissionRate: affiliate.Set(affiliate.MustPercent("90"))}, "", "36"},
		"the rate of the sale":           {[]affiliate.Rule{firm}, affiliate.SaleParams{CommissionRate: affiliate.Set(affiliate.MustPercent("30"))}, "", "30"},
		"the rate of the affiliate":      {[]affiliate.Rule{ruled("half", "50", "dear")}, affiliate.SaleParams{}, "30", "30"},
		"firm beside such a rate":        {[]affiliate.Rule{ruled("all", "5"), firm}, affiliate.SaleParams{}, "30", "42"},
		"excluded":                       {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{NotProducts: []string{"cheap"}})}, affiliate.SaleParams{}, "", "34"},
		"of a category":                  {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Categories: []string{"x", "food"}})}, affiliate.SaleParams{}, "", "34"},
		"not of a category":              {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{NotCategories: []string{"food"}})}, affiliate.SaleParams{}, "", "26"},
		"of a plan":                      {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Plans: []string{"yearly"}})}, affiliate.SaleParams{}, "", "34"},
		"not of a plan":                  {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{NotPlans: []string{"yearly"}})}, affiliate.SaleParams{}, "", "26"},
		"of a trigger":                   {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus}})}, affiliate.SaleParams{PaymentTrigger: affiliate.TriggerBonus}, "", "50"},
		"of another trigger":             {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus}})}, affiliate.SaleParams{}, "", "10"},
		"of a new customer":              {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Customer: affiliate.CustomerNew})}, affiliate.SaleParams{}, "", "50"},
		"of a returning one":             {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{Customer: affiliate.CustomerReturning})}, affiliate.SaleParams{}, "", "10"},
		"of nobody known":                {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{PaymentFrom: 1}), when(ruled("q", "50"), affiliate.RuleWhen{MonthFrom: 1})}, affiliate.SaleParams{PromoCode: "ADA20"}, "", "10"},
		"of nobody known, to a payment":  {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{PaymentTo: 3})}, affiliate.SaleParams{PromoCode: "ADA20"}, "", "10"},
		"of one who is not known yet":    {[]affiliate.Rule{when(ruled("r", "50"), affiliate.RuleWhen{PaymentTo: 1})}, affiliate.SaleParams{PromoCode: "ADA20", Email: "first@example.net"}, "", "50"},
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := scene.NewShop(t, pays(tt.rules...)), t.Context()
			if tt.own != "" {
				scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent(tt.own))}))
			}
			tt.in.TotalEarned, tt.in.Lines = scene.Sum("100"), []affiliate.Line{
				{ID: "d", ProductID: "dear", PlanID: "yearly", Categories: []string{"food", "gifts"}, Quantity: affiliate.Set(scene.Sum("3")), Amount: scene.Sum("60")},
				line("c", "cheap", "40"),
			}
			if tt.in.PromoCode == "" {
				tt.in.ReferralID = s.Tomas.ID.String()
			}
			sale := s.Sell(tt.in)
			scene.Equal(t, scene.Sum(tt.earned), sale.CommissionEarned, tt.earned)
			before := scene.Must(s.Sale(ctx, sale.ID))
			scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
			scene.Equal(t, before, scene.Must(s.Sale(ctx, sale.ID)))
			s.Verifies()
			scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
			s.Verifies()
		})
	}
}

// Each of the conditions on payments is asked for by itself.
func TestRuleOfPayments(t *testing.T) {
	for name, tt := range map[string]struct {
		when affiliate.RuleWhen
		want []string
	}{
		"from": {affiliate.RuleWhen{PaymentFrom: 2}, []string{"10", "50", "50"}},
		"to":   {affiliate.RuleWhen{PaymentTo: 2}, []string{"50", "50", "10"}},
	} {
		s := scene.NewShop(t, pays(when(ruled("r", "50"), tt.when)))
		for i, want := range tt.want {
			scene.Equal(t, scene.Sum(want), s.ToTomas("100").CommissionEarned, name, i+1, want)
		}
	}
}

// What rules pay for lines that cost nothing, and for several lines at once. The sale is of 110, 10 of them tax.
func TestRuleOfFreeLines(t *testing.T) {
	flat, unit := kind(ruled("flat", "7", "gift"), affiliate.RuleFlat), kind(ruled("unit", "2", "gift"), affiliate.RuleUnit)
	both := kind(ruled("both", "7"), affiliate.RuleFlat)
	for name, tt := range map[string]struct {
		rule         affiliate.Rule
		earned, left string // left: after the refund
		lines        []affiliate.Line
		refund       affiliate.Refund
	}{
		"flat once":             {flat, "17", "8.5", []affiliate.Line{line("d", "dear", "100"), line("a", "gift", "0"), line("b", "gift", "0")}, affiliate.Refund{Amount: scene.Amount("55")}},
		"each piece":            {unit, "12", "6", []affiliate.Line{line("d", "dear", "100"), line("a", "gift", "0")}, affiliate.Refund{Amount: scene.Amount("55")}},
		"each piece that costs": {unit, "11", "10", []affiliate.Line{line("d", "dear", "90"), line("a", "gift", "10")}, affiliate.Refund{Amount: scene.Amount("5"), Lines: []affiliate.RefundLine{{ID: "a", Amount: scene.Sum("5")}}}},
		"flat for both":         {both, "7", "2.8", []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}, affiliate.Refund{Amount: scene.Amount("60"), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}},
		"all but the tax":       {both, "7", "0", []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}, affiliate.Refund{Amount: scene.Amount("100"), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}, {ID: "c", Amount: scene.Sum("40")}}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t, pays(tt.rule))
			sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("110"), Tax: scene.Sum("10"), Lines: tt.lines})
			scene.Equal(t, scene.Sum(tt.earned), sale.CommissionEarned)
			tt.refund.SaleID = sale.ID
			scene.Must(s.RefundSale(t.Context(), tt.refund))
			scene.Equal(t, scene.Sum(tt.left), scene.Must(s.Sale(t.Context(), sale.ID)).CommissionEarned)
			s.Verifies()
		})
	}
}

// A sale without lines is one line with its product.
func TestRuleOfSaleWithoutLines(t *testing.T) {
	s := scene.NewShop(t, pays(ruled("half", "50", "dear"), kind(ruled("unit", "2", "seat"), affiliate.RuleUnit)))
	to := affiliate.SaleParams{ReferralID: s.Tomas.ID.String()}
	plain := s.Sell(to)
	scene.Equal(t, scene.Sum("10"), plain.CommissionEarned)
	scene.Equal(t, nil, plain.Lines)
	to.Product = affiliate.Set(affiliate.Product{ProductID: "dear"})
	dear := s.Sell(to)
	scene.Equal(t, scene.Sum("50"), dear.CommissionEarned)
	to.Product, to.Tax, to.Shipping = affiliate.Set(affiliate.Product{ProductID: "seat", Quantity: affiliate.Set(scene.Sum("2.5"))}), scene.Sum("15"), scene.Sum("5")
	seats := s.Sell(to)
	if l := seats.Lines[0]; seats.CommissionEarned != scene.Sum("5") || l.Amount != scene.Sum("80") || l.Rule != scene.TextOf("unit") || l.Quantity != scene.Sum("2.5") {
		t.Errorf("seats earn %v: %+v", seats.CommissionEarned, l)
	}
	s.Verifies()

	all := scene.NewShop(t, pays(ruled("all", "50")))
	sale := all.ToTomas("100")
	sale = scene.Must(all.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("7"))}))
	if sale.Lines != nil || sale.CommissionEarned != scene.Sum("7") {
		t.Errorf("with a rate of its own it earns %v, with %d lines", sale.CommissionEarned, len(sale.Lines))
	}
	all.Verifies()
}

// 30 % of the first payment, then 10 % for 12 months: a payment that was refunded in full
// does not count, and a trial before the first payment takes nothing off the year.
func TestRulesOfStages(t *testing.T) {
	first, year := when(ruled("first", "30"), affiliate.RuleWhen{PaymentTo: 1}), when(ruled("year", "10"), affiliate.RuleWhen{MonthTo: 12})
	s := scene.NewShop(t, func(c *tributary.Config) {
		c.Terms.Rate, c.Terms.Rules = affiliate.Percent{}, []affiliate.Rule{first, year}
	})
	s.Pass(120 * 24 * time.Hour)
	s.Now = time.Date(2026, 8, 15, 9, 0, 0, 0, time.UTC)
	lost := s.ToTomas("100")
	scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: lost.ID}))
	for i, want := range []string{"30", "10", "10", "10", "10", "10", "10", "10", "10", "10", "10", "10", "0", "0"} {
		s.Now = time.Date(2026, time.Month(9+i), 15, 9, 0, 0, 0, time.UTC)
		sale := s.ToTomas("100")
		scene.Equal(t, scene.Sum(want), sale.CommissionEarned, i+1, want)
		e := scene.Must(s.ExplainSale(t.Context(), sale.ID))
		if e.Terms.Month != int64(i+1) || e.Terms.Payment != affiliate.Set(int64(i+1)) {
			t.Errorf("payment %d in month %d of the explanation: %v, %d", i+1, i+1, e.Terms.Payment, e.Terms.Month)
		}
	}
	for d, err := range s.Simulate(t.Context(), affiliate.SimulateQuery{Terms: s.Config().Terms}) {
		if err != nil || !d.Difference.IsZero() || d.Changed != 0 {
			t.Errorf("under the same terms: %+v, %v", d, err)
		}
	}
	s.Verifies()
}

// A rate that was given for one sale is paid beyond the limits of the terms.
func TestRateOfSaleBeyondLimits(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	s.ToTomas("100")
	if sale := s.ToTomas("100"); !sale.CommissionEarned.IsZero() {
		t.Errorf("the second payment earns %v", sale.CommissionEarned)
	}
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), CommissionRate: affiliate.Set(affiliate.MustPercent("5"))})
	scene.Equal(t, scene.Sum("5"), sale.CommissionEarned)
	s.Verifies()
}

// A sale that moves after a refund of its tax, or of a line, keeps what it earns.
func TestMoveAfterNamedRefund(t *testing.T) {
	s, ctx := scene.NewShop(t, pays(ruled("half", "50", "dear"))), t.Context()
	ben := s.Join("cara")
	plain := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("110"), Tax: scene.Sum("10")})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: plain.ID, Amount: affiliate.Set(scene.Sum("10")), Tax: affiliate.Set(scene.Sum("10"))}))
	lines := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: lines.ID, Amount: affiliate.Set(scene.Sum("30")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("30")}}}))
	for id, want := range map[affiliate.SaleID]string{plain.ID: "10", lines.ID: "19"} {
		moved := scene.Must(s.UpdateSale(ctx, id, affiliate.SaleUpdate{AffiliateID: affiliate.Set(ben.ID)}))
		scene.Equal(t, scene.Sum(want), moved.CommissionEarned)
	}
	s.Verifies()
}

func TestRulesRefused(t *testing.T) {
	w := scene.New(t)
	named := func(r affiliate.Rule, name string) affiliate.Rule {
		r.Name = name
		return r
	}
	covered := func(i int, rule, by string) affiliate.Error {
		return affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: fmt.Sprintf("rules[%d]", i), Message: fmt.Sprintf("Rule %s can never hold, because rule %s decides before it", rule, by)}
	}
	never := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "rules[0]", Message: "The conditions of a rule contradict each other, so that it can never hold"}
	many := make([]affiliate.Rule, 65)
	for i := range many {
		many[i] = ruled(fmt.Sprint(i), "1", fmt.Sprint(i))
	}
	firm := ruled("b", "5", "x")
	firm.Firm = true
	months := func(name string, from, to int64) affiliate.Rule {
		return when(ruled(name, "1"), affiliate.RuleWhen{MonthFrom: from, MonthTo: to})
	}
	for name, tt := range map[string]struct {
		rules []affiliate.Rule
		want  affiliate.Error // none: allowed
	}{
		"64":                              {many[1:], affiliate.Error{}},
		"65":                              {many, inField("rules", "must have at most 64 entries")},
		"no name":                         {[]affiliate.Rule{named(ruled("", "1"), " ")}, inField("rules[0].name", "is required")},
		"the same name":                   {[]affiliate.Rule{ruled("a", "1", "x"), ruled("a", "1", "y")}, inField("rules", "must have distinct entries")},
		"an unknown type":                 {[]affiliate.Rule{kind(ruled("a", "1"), "BONUS")}, inField("rules[0].pay.commissionType", "must be one of PERCENTAGE, FLAT, UNIT, NONE")},
		"a rate of nothing":               {[]affiliate.Rule{{Name: "a", Pay: affiliate.RulePay{Type: affiliate.RuleNone, Rate: affiliate.MustPercent("1")}}}, inField("rules[0].pay.commissionRate", "must not be sent")},
		"payments from the end":           {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{PaymentFrom: 3, PaymentTo: 2})}, inField("rules[0].when.paymentTo", "must be after from")},
		"a negative month":                {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{MonthFrom: -1})}, inField("rules[0].when.monthFrom", "must be at least 1")},
		"an empty product":                {[]affiliate.Rule{ruled("a", "1", "")}, inField("rules[0].when.products", "must not be empty")},
		"a product twice":                 {[]affiliate.Rule{ruled("a", "1", "x", "x")}, inField("rules[0].when.products", "must have distinct entries")},
		"an unknown trigger":              {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Triggers: []affiliate.PaymentTrigger{"X"}})}, inField("rules[0].when.paymentTriggers", "must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD")},
		"an unknown customer":             {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Customer: "OLD"})}, inField("rules[0].when.customer", "must be one of NEW, RETURNING")},
		"a new customer's second payment": {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Customer: affiliate.CustomerNew, PaymentFrom: 2})}, never},
		"all its products excluded":       {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Products: []string{"x"}, NotProducts: []string{"y", "x"}})}, never},
		"over 100 %":                      {[]affiliate.Rule{ruled("a", "101")}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "rules[0].pay.commissionRate", Message: "Commission rate must be between 0 and 100"}},
		"a negative amount":               {[]affiliate.Rule{kind(ruled("a", "-1"), affiliate.RuleUnit)}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "rules[0].pay.commissionRate", Message: "Commission rate must not be negative"}},
		"names with braces":               {[]affiliate.Rule{ruled("{a}", "1"), ruled("{other}", "5", "x")}, covered(1, "{other}", "{a}")},
		"after one for all":               {[]affiliate.Rule{ruled("a", "1"), ruled("b", "5", "x")}, covered(1, "b", "a")},
		"before one for all":              {[]affiliate.Rule{ruled("a", "1", "x"), ruled("b", "5")}, affiliate.Error{}},
		"firm after one for all":          {[]affiliate.Rule{ruled("a", "1"), firm}, affiliate.Error{}},
		"excluded later":                  {[]affiliate.Rule{ruled("a", "1", "x"), kind(ruled("b", "0", "y", "x"), affiliate.RuleNone)}, covered(0, "a", "b")},
		"two exclusions":                  {[]affiliate.Rule{kind(ruled("a", "0", "x"), affiliate.RuleNone), kind(ruled("b", "0"), affiliate.RuleNone)}, affiliate.Error{}},
		"the same exclusion":              {[]affiliate.Rule{kind(ruled("a", "0", "x", "y"), affiliate.RuleNone), kind(ruled("b", "0", "x"), affiliate.RuleNone)}, covered(1, "b", "a")},
		"later payments":                  {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{PaymentFrom: 2}), when(ruled("b", "1"), affiliate.RuleWhen{Customer: affiliate.CustomerReturning})}, covered(1, "b", "a")},
		"of customers, then of all":       {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{PaymentFrom: 1}), ruled("b", "1")}, affiliate.Error{}},
		"fewer categories":                {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Categories: []string{"x", "y"}}), when(ruled("b", "1"), affiliate.RuleWhen{Categories: []string{"y"}})}, covered(1, "b", "a")},
		"only categories of another":      {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Categories: []string{"x"}}), when(ruled("b", "1"), affiliate.RuleWhen{Categories: []string{"x", "y"}, NotCategories: []string{"y"}})}, covered(1, "b", "a")},
		"after one for every trigger":     {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus, affiliate.TriggerSignup, affiliate.TriggerPurchase, affiliate.TriggerContentReward}}), ruled("b", "1", "x")}, covered(1, "b", "a")},
		"a name of two lines":             {[]affiliate.Rule{ruled("a\nb", "1")}, inField("rules[0].name", "contains invalid characters")},
		"one payment":                     {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{PaymentFrom: 2, PaymentTo: 2})}, affiliate.Error{}},
		"one trigger, then all":           {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus}}), ruled("b", "1")}, affiliate.Error{}},
		"fewer months":                    {[]affiliate.Rule{months("a", 0, 12), months("b", 3, 6)}, covered(1, "b", "a")},
		"the same months":                 {[]affiliate.Rule{months("a", 1, 12), months("b", 0, 12)}, covered(1, "b", "a")},
		"more months":                     {[]affiliate.Rule{months("a", 0, 12), months("b", 0, 13)}, affiliate.Error{}},
		"months without an end":           {[]affiliate.Rule{months("a", 0, 12), months("b", 3, 0)}, affiliate.Error{}},
		"months from before":              {[]affiliate.Rule{months("a", 6, 12), months("b", 3, 12)}, affiliate.Error{}},
		"another category is excluded":    {[]affiliate.Rule{when(ruled("a", "1"), affiliate.RuleWhen{NotCategories: []string{"x"}}), when(ruled("b", "1"), affiliate.RuleWhen{Categories: []string{"y"}})}, affiliate.Error{}},
	} {
		t.Run(name, func(t *testing.T) {
			create := func() error {
				return scene.ErrOf(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("1"), Rules: tt.rules}}))
			}
			if tt.want.Message != "" {
				w.Refused(tt.want, create)
			} else if err := create(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Terms are stored in their shortest form, and those of the caller stay as they were.
func TestTermsStored(t *testing.T) {
	w := scene.New(t)
	create := func(terms affiliate.Terms) affiliate.Plan {
		return scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: terms}))
	}
	rules := []affiliate.Rule{ruled(" a ", "1")}
	scene.Equal(t, "a", create(affiliate.Terms{Rules: rules}).Rules[0].Name)
	scene.Equal(t, " a ", rules[0].Name)
	got := create(affiliate.Terms{Rules: []affiliate.Rule{}, MonthsFrom: affiliate.MonthsFromPayment})
	if got.Rules != nil || got.MonthsFrom != "" {
		t.Errorf("%#v, %q", got.Rules, got.MonthsFrom)
	}
}

// What a preview says that a sale would earn is what it earns.
func TestPreviewCommission(t *testing.T) {
	s := scene.NewShop(t, pays(ruled("seats", "25", "SEAT")), func(c *tributary.Config) { c.Terms.MaxPerCustomer, c.Terms.MaxPayments = scene.Sum("12"), 3 })
	preview := func(in affiliate.SaleParams, asks bool) affiliate.Opt[affiliate.Amount] {
		t.Helper()
		return scene.Must(s.Evaluate(t.Context(), affiliate.Order{
			PromoCode: in.PromoCode, Email: in.Email, TotalEarned: affiliate.Set(in.TotalEarned), Lines: in.Lines, Product: in.Product, Subtotal: in.Subtotal, Commission: asks,
		})).Commission
	}
	for i, in := range []affiliate.SaleParams{
		{TotalEarned: scene.Sum("8"), Lines: []affiliate.Line{{ProductID: "SEAT", Amount: scene.Sum("5")}, {ProductID: "MUG", Amount: scene.Sum("5")}}},
		{Email: s.Tomas.Email, TotalEarned: scene.Sum("40"), Product: affiliate.Set(affiliate.Product{ProductID: "SEAT"})}, // 10
		{Email: s.Tomas.Email, TotalEarned: scene.Sum("40"), Product: affiliate.Set(affiliate.Product{ProductID: "SEAT"})}, // 2 are left of 12
		{Email: s.Tomas.Email, TotalEarned: scene.Sum("40")},
		{Email: s.Tomas.Email, TotalEarned: scene.Sum("40")}, // over MaxPayments
		{Email: "new@example.net", TotalEarned: scene.Sum("40")},
	} {
		in.PromoCode = "ADA20"
		before, silent := preview(in, true), preview(in, false)
		sale := s.Sell(in)
		if before != affiliate.Set(sale.CommissionEarned) || !silent.IsZero() {
			t.Errorf("sale %d earns %v, the preview said %v, and unasked %v", i, sale.CommissionEarned, before, silent)
		}
	}
	coupon := scene.Must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Free", PercentOff: scene.Percent("100")}))
	scene.Must(s.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "FREE", AffiliateID: s.Person.ID}))
	before := s.Dump()
	refused := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "NOBODY", TotalEarned: scene.Amount("5"), Commission: true}))
	priced := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Commission: true}))
	if !refused.Commission.IsZero() || !priced.Commission.IsZero() {
		t.Errorf("a code that is refused earns %v, an order without an amount %v", refused.Commission, priced.Commission)
	}
	if total := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("10"), Commission: true})); total.Commission != scene.Amount("0.8") {
		t.Errorf("10 %% of the total %v is %v", total.Total, total.Commission)
	}
	if free := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "FREE", Subtotal: scene.Amount("10"), Commission: true})); free.Total != scene.Amount("0") || !free.Commission.IsZero() {
		t.Errorf("an order of %v earns %v", free.Total, free.Commission)
	}
	if fmt.Sprint(before) != fmt.Sprint(s.Dump()) {
		t.Error("a preview changed records")
	}
	scene.Must(s.PushReferralStatus(t.Context(), s.Bea.Email, affiliate.SubscriptionDeclined))
	if declined := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Email: s.Bea.Email, TotalEarned: scene.Amount("40"), Commission: true})); !declined.Commission.IsZero() {
		t.Errorf("a customer who was declined: %v, %v", declined.Valid, declined.Commission)
	}
}

// A rule that pays something else now changes what a sale rests on, although its name is the
// same: a sale in a payout does not follow it, and one that is calculated again does. It
// knows the month of its customer then.
func TestRuleChanges(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	terms := affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: []affiliate.Rule{ruled("half", "50")}}
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: terms}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Person.ID))
	held := s.ToTomas("100")
	s.PaysOut()
	free := s.ToTomas("100")
	lines := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("d", "dear", "100")}})
	terms.Rules = []affiliate.Rule{when(ruled("half", "40"), affiliate.RuleWhen{MonthTo: 1})}
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: terms.Update()}))
	again := affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
	s.Refused(partOfAPayout, func() error { return scene.ErrOf(s.UpdateSale(ctx, held.ID, again)) })
	scene.Equal(t, scene.Sum("40"), scene.Must(s.UpdateSale(ctx, free.ID, again)).CommissionEarned)
	scene.Equal(t, 1, scene.Must(s.ExplainSale(ctx, free.ID)).Terms.Month)
	terms.Rules = nil
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: terms.Update()}))
	for id, want := range map[affiliate.SaleID]string{free.ID: "10", lines.ID: "10"} {
		scene.Equal(t, scene.Sum(want), scene.Must(s.UpdateSale(ctx, id, again)).CommissionEarned)
	}
	plain := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Product: affiliate.Set(affiliate.Product{ProductID: "dear"})})
	terms.Rules = []affiliate.Rule{ruled("dear", "30", "dear")}
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: terms.Update()}))
	scene.Equal(t, scene.Sum("30"), scene.Must(s.UpdateSale(ctx, plain.ID, again)).CommissionEarned)
	s.Verifies()
}

// The rules of other terms leave alone what their limits stop.
func TestRuleOfSaleBeyondLimits(t *testing.T) {
	s, ctx := scene.NewShop(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 }), t.Context()
	s.ToTomas("100")
	over := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("d", "dear", "100")}})
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{MaxPayments: 1, Rules: []affiliate.Rule{ruled("half", "50")}}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Person.ID))
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, over.Lines, scene.Must(s.Sale(ctx, over.ID)).Lines)
	s.Verifies()
}

// TestMonthsOfManyPayments: what a sale reads to know the month of its customer does not grow with each of their
// payments: a customer of 300 costs three look-ups more than one of two.
func TestMonthsOfManyPayments(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms.MaxMonths = 24 })
	w.Join("ada")
	sell := func() int64 {
		w.Probe.Ops.Store(0)
		scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "kim@b.co", Name: "Kim", TotalEarned: scene.Sum("10")}))
		return w.Probe.Ops.Load()
	}
	sell()
	few := sell()
	for range 298 {
		sell()
	}
	if many := sell(); many > few+3 {
		t.Errorf("a sale takes %d operations of the store, and the 300th %d", few, many)
	}
}

// What a new sale earns is the exact sum of its lines, rounded once: in all sizes, also
// where whole numbers do not hold the sum, and in currencies of all digits.
func TestSumOfLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scaled := func(name string, most int64) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.Int64Range(0, most)).Draw(rt, name))
		}
		var rules []affiliate.Rule
		for i, typ := range []affiliate.RuleType{affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone} {
			pay := affiliate.RulePay{Type: typ}
			switch typ {
			case affiliate.RulePercentage:
				pay.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 1_000_000).Draw(rt, "percent"))
			case affiliate.RuleNone:
			default:
				pay.Rate = affiliate.PercentFromScaled(scaled("amount", 1<<40).Scaled())
			}
			rules = append(rules, affiliate.Rule{Name: fmt.Sprint("r", i), When: affiliate.RuleWhen{Products: []string{fmt.Sprint("p", i)}}, Pay: pay})
		}
		s := scene.NewShop(t, func(c *tributary.Config) {
			c.Currency = rapid.SampledFrom([]affiliate.Currency{"USD", "JPY", "KWD"}).Draw(rt, "currency")
			c.Terms = affiliate.Terms{Type: rapid.SampledFrom([]affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}).Draw(rt, "type"), Rate: affiliate.MustPercent("7.77"), Rules: rules}
		})
		unit := s.Config().Currency.Unit().Scaled()
		in := affiliate.SaleParams{ReferralID: s.Tomas.ID.String()}
		var sum int64
		for i := range rapid.IntRange(1, 6).Draw(rt, "lines") {
			amount := scaled("line", 1<<48).Scaled() / unit * unit
			sum += amount
			in.Lines = append(in.Lines, affiliate.Line{
				ID: fmt.Sprint(i), ProductID: fmt.Sprint("p", rapid.IntRange(0, 5).Draw(rt, "product")), Amount: affiliate.AmountFromScaled(amount),
				Quantity: affiliate.Set(affiliate.AmountFromScaled(scaled("quantity", 1<<62).Scaled() + 1)),
			})
		}
		in.TotalEarned = affiliate.AmountFromScaled(max(sum-rapid.Int64Range(0, sum).Draw(rt, "off")/unit*unit, unit))
		if in.TotalEarned.Scaled() > sum {
			rt.Skip()
		}
		res, err := s.RecordSale(t.Context(), in)
		sale, ok := res.Sale.Get()
		if err != nil || !ok {
			return // the sum is larger than an amount
		}
		e := scene.Must(s.ExplainSale(t.Context(), sale.ID))
		exact, _ := new(big.Rat).SetString(e.Arithmetic.Exact)
		units := new(big.Rat).Quo(exact, big.NewRat(unit, 10_000))
		units.Add(units, big.NewRat(1, 2))
		want := new(big.Int).Quo(units.Num(), units.Denom())
		if got := big.NewInt(sale.CommissionEarned.Scaled() / unit); got.Cmp(want) != 0 || sale.CommissionEarned.Scaled()%unit != 0 {
			rt.Fatalf("%v of %s, want %v units", sale.CommissionEarned, e.Arithmetic.Exact, want)
		}
	})
}
