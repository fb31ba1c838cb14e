package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// line is a line of a product that costs so much.
func line(id, product, amount string) affiliate.Line {
	return affiliate.Line{ID: id, ProductID: product, Amount: scene.Sum(amount)}
}

// inField is the refusal of a field for this reason.
func inField(name, what string) affiliate.Error {
	return scene.FieldError(affiliate.InvalidField, name, name+" "+what)
}

// pays are terms of 10 % with some rules.
func pays(rules ...affiliate.Rule) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.Terms = affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: rules}
	}
}

// ruled is a rule for some products: what it pays is a percentage.
func ruled(name, percent string, products ...string) affiliate.Rule {
	return affiliate.Rule{
		Name: name, When: affiliate.RuleWhen{Products: products},
		Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent(percent)},
	}
}

// The lines of a sale are answered as they were sent, its subtotal is their sum, and the
// products are named once each.
func TestSaleLines(t *testing.T) {
	s := scene.NewShop(t)
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("90"), Lines: []affiliate.Line{
		{ID: "a", ProductID: "beans", PlanID: "monthly", Name: "Beans", Categories: []string{"coffee", "food"}, Quantity: affiliate.Set(scene.Sum("2")), Amount: scene.Sum("60"), Discount: scene.Sum("5")},
		line("", "beans", "30"), {Name: "Cup", Amount: scene.Sum("10")},
	}})
	scene.Equal(t, affiliate.Set(scene.Sum("100")), sale.Subtotal)
	scene.Equal(t, []string{"beans", "Cup"}, sale.ProductsBought)
	none := affiliate.Null[string]()
	scene.Equal(t, []affiliate.SaleLine{
		{
			ID: scene.TextOf("a"), ProductID: scene.TextOf("beans"), PlanID: scene.TextOf("monthly"), Name: scene.TextOf("Beans"), Categories: []string{"coffee", "food"},
			Quantity: scene.Sum("2"), Amount: scene.Sum("60"), Discount: scene.Sum("5"), CodeDiscount: scene.Sum("11"), Rule: none,
		},
		{ID: none, ProductID: scene.TextOf("beans"), PlanID: none, Name: none, Categories: []string{}, Quantity: scene.Sum("1"), Amount: scene.Sum("30"), CodeDiscount: scene.Sum("6"), Rule: none},
		{ID: none, ProductID: none, PlanID: none, Name: scene.TextOf("Cup"), Categories: []string{}, Quantity: scene.Sum("1"), Amount: scene.Sum("10"), CodeDiscount: scene.Sum("2"), Rule: none},
	}, sale.Lines)
	scene.Equal(t, sale, scene.Must(s.Sale(t.Context(), sale.ID)))
	s.Verifies()
}

func TestSaleLinesRefused(t *testing.T) {
	s := scene.NewShop(t)
	many := make([]affiliate.Line, 501)
	for name, tt := range map[string]struct {
		in   affiliate.SaleParams
		want affiliate.Error
	}{
		"with a product":          {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "100")}, Product: affiliate.Set(affiliate.Product{})}, inField("product", "must not be sent")},
		"501":                     {affiliate.SaleParams{Lines: many}, inField("lines", "must have at most 500 entries")},
		"the same id":             {affiliate.SaleParams{Lines: []affiliate.Line{line("a", "", "50"), line("b", "", "50"), line("a", "", "0")}}, inField("lines", "must have distinct entries")},
		"a negative amount":       {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "101"), line("", "", "-1")}}, inField("lines[1].amount", "must be at least 0")},
		"a large amount":          {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "100000000001")}}, inField("lines[0].amount", "is too large")},
		"a large sum":             {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "100000000000"), line("", "", "1")}}, inField("subtotal", "is too large")},
		"a negative discount":     {affiliate.SaleParams{Lines: []affiliate.Line{{Amount: scene.Sum("100"), Discount: scene.Sum("-1")}}}, inField("lines[0].discount", "must be at least 0")},
		"a discount above it":     {affiliate.SaleParams{Lines: []affiliate.Line{{Amount: scene.Sum("100"), Discount: scene.Sum("100.01")}}}, inField("lines[0].discount", "is too large")},
		"no piece":                {affiliate.SaleParams{Lines: []affiliate.Line{{Amount: scene.Sum("100"), Quantity: affiliate.Set(affiliate.Amount{})}}}, inField("lines[0].quantity", "must be greater than zero")},
		"a blank id":              {affiliate.SaleParams{Lines: []affiliate.Line{line(" ", "", "100")}}, inField("lines[0].id", "must not be empty")},
		"a long product":          {affiliate.SaleParams{Lines: []affiliate.Line{line("", strings.Repeat("x", 256), "100")}}, inField("lines[0].productId", "is too long")},
		"a control character":     {affiliate.SaleParams{Lines: []affiliate.Line{{PlanID: "a\x00", Amount: scene.Sum("100")}}}, inField("lines[0].planId", "contains invalid characters")},
		"17 categories":           {affiliate.SaleParams{Lines: []affiliate.Line{{Categories: make([]string, 17), Amount: scene.Sum("100")}}}, inField("lines[0].categories", "must have at most 16 entries")},
		"a blank category":        {affiliate.SaleParams{Lines: []affiliate.Line{{Categories: []string{""}, Amount: scene.Sum("100")}}}, inField("lines[0].categories", "must not be empty")},
		"a category twice":        {affiliate.SaleParams{Lines: []affiliate.Line{{Categories: []string{"a", "a"}, Amount: scene.Sum("100")}}}, inField("lines[0].categories", "must have distinct entries")},
		"another subtotal":        {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "120")}, Subtotal: affiliate.Set(scene.Sum("119"))}, inField("subtotal", "must be the sum of what it is made of")},
		"less than what was paid": {affiliate.SaleParams{Lines: []affiliate.Line{line("", "", "99.99")}}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "subtotal", Message: "Subtotal must not be less than the total amount earned without tax and shipping"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.PromoCode, tt.in.TotalEarned = "ADA20", scene.Sum("100")
			s.Refused(tt.want, func() error { return scene.ErrOf(s.RecordSale(t.Context(), tt.in)) })
		})
	}
	order := affiliate.Order{PromoCode: "ADA20", Lines: many}
	s.Refused(inField("lines", "must have at most 500 entries"), func() error { return scene.ErrOf(s.Evaluate(t.Context(), order)) })
	order.Subtotal = scene.Amount("-1") // is looked at first
	s.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero"), func() error { return scene.ErrOf(s.Evaluate(t.Context(), order)) })
}

// What a customer typed refuses no payment: the name of a line is left out. The lines of
// the caller stay as they were.
func TestSaleLineNameIgnored(t *testing.T) {
	s := scene.NewShop(t)
	lines := []affiliate.Line{line("a", "", "100"), {Name: " ", Amount: scene.Sum("1")}, {Name: "\n", Amount: scene.Sum("1")}} // one field says it
	got := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("100"), Lines: lines}))
	scene.Equal(t, []string{"lines[1].name"}, got.Ignored)
	scene.Equal(t, " ", lines[1].Name)
	scene.Equal(t, affiliate.Null[string](), got.Sale.Or(affiliate.Sale{}).Lines[1].Name)
	scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Lines: lines}))
	scene.Equal(t, " ", lines[1].Name)

	most := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Lines: make([]affiliate.Line, 500)}) // of no amount
	if len(most.Lines) != 500 || !most.Subtotal.IsNull() || len(most.ProductsBought) > 0 {
		t.Errorf("%d lines, the subtotal is %v, of %v", len(most.Lines), most.Subtotal, most.ProductsBought)
	}
}

// A product coupon takes its discount off the lines of its products alone, and the sale
// says the same as the preview.
func TestDiscountOfLines(t *testing.T) {
	for name, tt := range map[string]struct {
		coupon affiliate.CouponParams
		lines  []affiliate.Line
		want   string // the discount of each line, and the total
	}{
		"of all lines":              {affiliate.CouponParams{CouponType: affiliate.CouponPercentage, PercentOff: affiliate.Set(affiliate.MustPercent("10"))}, []affiliate.Line{line("", "a", "10.05"), line("", "b", "20.05")}, "1.01 2 of 3.01: 27.09"},
		"of its products":           {affiliate.CouponParams{CouponType: affiliate.CouponPercentage, PercentOff: affiliate.Set(affiliate.MustPercent("10")), LimitToProducts: true, ProductIDs: []string{"b"}}, []affiliate.Line{line("", "a", "10"), line("", "b", "20")}, "0 2 of 2: 28"},
		"after other discounts":     {affiliate.CouponParams{CouponType: affiliate.CouponPercentage, PercentOff: affiliate.Set(affiliate.MustPercent("50"))}, []affiliate.Line{{Amount: scene.Sum("10"), Discount: scene.Sum("4")}, line("", "", "1")}, "3 0.5 of 3.5: 3.5"},
		"flat, at most them":        {affiliate.CouponParams{CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(scene.Sum("30")), Currency: affiliate.Set(affiliate.Currency("USD")), LimitToProducts: true, ProductIDs: []string{"b"}}, []affiliate.Line{line("", "a", "10"), line("", "b", "20")}, "0 20 of 20: 10"},
		"flat, a third each":        {affiliate.CouponParams{CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(scene.Sum("10")), Currency: affiliate.Set(affiliate.Currency("USD"))}, []affiliate.Line{line("", "", "20"), line("", "", "20"), line("", "", "20")}, "3.34 3.33 3.33 of 10: 50"},
		"whose product is not said": {affiliate.CouponParams{CouponType: affiliate.CouponPercentage, PercentOff: affiliate.Set(affiliate.MustPercent("10")), LimitToProducts: true, ProductIDs: []string{"b"}}, []affiliate.Line{line("", "", "10"), line("", "", "20")}, "1 2 of 3: 27 products"},
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := scene.NewShop(t), t.Context()
			tt.coupon.Name, tt.coupon.Duration = "Lines", affiliate.DurationOnce
			coupon := scene.Must(s.CreateCoupon(ctx, tt.coupon))
			scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LINES", AffiliateID: s.Person.ID}))
			preview := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "LINES", Lines: tt.lines}))
			say := func(lines []affiliate.SaleLine, total affiliate.Amount, also ...any) string {
				var words []string
				var sum affiliate.Amount
				for _, l := range lines {
					sum = scene.Must(sum.Add(l.CodeDiscount))
					words = append(words, l.CodeDiscount.String())
				}
				return fmt.Sprint(strings.Join(words, " "), " of ", sum, ": ", total) + strings.TrimSuffix(fmt.Sprintln(also...), "\n")
			}
			total := preview.Total.Or(affiliate.Amount{})
			got := say(preview.Lines, total)
			for _, r := range preview.Unverified {
				if r == affiliate.ProductShare {
					got += " products"
				}
			}
			if got != tt.want || len(preview.Reasons) > 0 {
				t.Errorf("preview: %s, want %s, %v", got, tt.want, preview.Reasons)
			}
			sale := s.Sell(affiliate.SaleParams{PromoCode: "LINES", TotalEarned: total, Lines: tt.lines})
			scene.Equal(t, preview.Lines, sale.Lines)
			s.Verifies()
		})
	}
}

// What the code of one line took is not in its share of the base.
func TestBaseAfterDiscountOfLine(t *testing.T) {
	s, ctx := scene.NewShop(t, pays(ruled("half", "50", "b"))), t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "b", PercentOff: scene.Percent("50"), LimitToProducts: true, ProductIDs: []string{"b"}}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LINES", AffiliateID: s.Person.ID}))
	sale := s.Sell(affiliate.SaleParams{PromoCode: "LINES", TotalEarned: scene.Sum("75"), Lines: []affiliate.Line{line("", "a", "50"), line("", "b", "50")}})
	scene.Equal(t, scene.Sum("17.5"), sale.CommissionEarned) // 5 + 12.5
}

// A code for some products is refused for lines of others.
func TestProductCodeOfOtherLines(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "b", CouponType: affiliate.CouponPercentage, PercentOff: affiliate.Set(affiliate.MustPercent("10")), Duration: affiliate.DurationOnce, LimitToProducts: true, ProductIDs: []string{"b"},
	}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LINES", AffiliateID: s.Person.ID}))
	in := affiliate.SaleParams{PromoCode: "LINES", TotalEarned: scene.Sum("10"), Lines: []affiliate.Line{line("", "a", "10"), line("", "", "5")}}
	_, err := s.RecordSale(ctx, in)
	if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Reason != affiliate.WrongProduct {
		t.Errorf("of other products: %v", err)
	}
	in.Lines[1].ProductID = "b"
	s.Sell(in)
}

// What refunds leave of each line depends on their sums alone. Here lines of 60 and 40 earn 50 % and 10 %.
func TestRefundOfLines(t *testing.T) {
	half := ruled("half", "50", "dear")
	for name, tt := range map[string]struct {
		refunds []affiliate.Refund
		earned  string
	}{
		"none":                    {nil, "34"},
		"of one line":             {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("60")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}}, "4"},
		"of a part of both":       {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("40")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("30")}, {ID: "c", Amount: scene.Sum("10")}}}}, "18"},
		"of no line":              {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("55"))}}, "17"},
		"of no line, then of one": {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("22"))}, {Amount: affiliate.Set(scene.Sum("60")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}}, "2.24"},
		"of one, then of no line": {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("60")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}, {Amount: affiliate.Set(scene.Sum("22"))}}, "2.24"},
		"with the tax":            {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("66")), Tax: affiliate.Set(scene.Sum("6")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}}, "4"},
		"of the tax alone":        {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("10")), Tax: affiliate.Set(scene.Sum("10"))}}, "34"},
		"of all":                  {[]affiliate.Refund{{Amount: affiliate.Set(scene.Sum("60")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}, {}}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t, pays(half))
			sale := s.Sell(affiliate.SaleParams{
				ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("110"), Tax: scene.Sum("10"), Lines: []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")},
			})
			for i, in := range tt.refunds {
				in.SaleID, in.RefundID = sale.ID, fmt.Sprint(i)
				scene.Must(s.RefundSale(t.Context(), in))
				s.Verifies()
			}
			scene.Equal(t, scene.Sum(tt.earned), scene.Must(s.Sale(t.Context(), sale.ID)).CommissionEarned, tt.earned)
		})
	}
}

func TestRefundOfLinesRefused(t *testing.T) {
	s := scene.NewShop(t)
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Lines: []affiliate.Line{line("d", "", "60"), line("", "", "40")}})
	of := func(id, amount string) []affiliate.RefundLine {
		return []affiliate.RefundLine{{ID: id, Amount: scene.Sum(amount)}}
	}
	sum := func(amount string) affiliate.Opt[affiliate.Amount] { return affiliate.Set(scene.Sum(amount)) }
	notSum := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "lines", Message: "The refunded lines must add up to the refund amount without its tax and shipping"}
	for name, tt := range map[string]struct {
		in   affiliate.Refund
		want affiliate.Error
	}{
		"500":                     {affiliate.Refund{Amount: sum("10"), Lines: make([]affiliate.RefundLine, 500)}, inField("lines[0].id", "is required")},
		"501":                     {affiliate.Refund{Amount: sum("10"), Lines: make([]affiliate.RefundLine, 501)}, inField("lines", "must have at most 500 entries")},
		"without an amount":       {affiliate.Refund{Lines: of("d", "10")}, inField("amount", "is required")},
		"another amount":          {affiliate.Refund{Amount: sum("11"), Lines: of("d", "10")}, notSum},
		"the tax forgotten":       {affiliate.Refund{Amount: sum("10"), Tax: sum("1"), Lines: of("d", "10")}, notSum},
		"of nothing":              {affiliate.Refund{Amount: sum("10"), Lines: of("d", "0")}, inField("lines[0].amount", "must be greater than zero")},
		"without an id":           {affiliate.Refund{Amount: sum("10"), Lines: of("", "10")}, inField("lines[0].id", "is required")},
		"of a line that is not":   {affiliate.Refund{Amount: sum("10"), Lines: of("x", "10")}, inField("lines[0].id", "must be the id of a line of the sale")},
		"the same line twice":     {affiliate.Refund{Amount: sum("20"), Lines: append(of("d", "10"), of("d", "10")...)}, inField("lines", "must have distinct entries")},
		"of more than it brought": {affiliate.Refund{Amount: sum("60.01"), Lines: of("d", "60.01")}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.RefundExceedsSale, Field: "lines[0].amount", Message: "Refunded lines[0].amount exceeds what the sale has left of it"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.SaleID = sale.ID
			call := func() error { return scene.ErrOf(s.RefundSale(t.Context(), tt.in)) }
			if strings.Contains(tt.want.Message, "line of the sale") || tt.want.Reason == affiliate.RefundExceedsSale {
				s.RefusedLate(tt.want, call)
			} else {
				s.Refused(tt.want, call)
			}
		})
	}
	scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: sum("50"), Lines: of("d", "50")}))
	s.RefusedLate(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.RefundExceedsSale, Field: "lines[0].amount", Message: "Refunded lines[0].amount exceeds what the sale has left of it"},
		func() error {
			return scene.ErrOf(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: sum("10.01"), Lines: of("d", "10.01")}))
		})
	plain := s.ToTomas("100")
	s.RefusedLate(inField("lines[0].id", "must be the id of a line of the sale"), func() error {
		return scene.ErrOf(s.RefundSale(t.Context(), affiliate.Refund{SaleID: plain.ID, Amount: sum("10"), Lines: of("d", "10")}))
	})
}

// The base is shared out by what the discounts left, else by the amounts, else to the first
// line; the shares add up to it.
func TestLineBases(t *testing.T) {
	for name, tt := range map[string]struct {
		total string
		lines []affiliate.Line
		bases string
	}{
		"by what is left":   {"80", []affiliate.Line{{ProductID: "x", Amount: scene.Sum("60"), Discount: scene.Sum("20")}, line("", "x", "40")}, "40 40"},
		"of three":          {"100", []affiliate.Line{line("", "x", "50"), line("", "x", "50"), line("", "x", "50")}, "33.3334 33.3333 33.3333"},
		"all given away":    {"0.9", []affiliate.Line{{ProductID: "x", Amount: scene.Sum("2"), Discount: scene.Sum("2")}, {ProductID: "x", Amount: scene.Sum("1"), Discount: scene.Sum("1")}}, "0.6 0.3"},
		"largest remainder": {"0.0005", []affiliate.Line{line("", "x", "1"), line("", "x", "2"), line("", "x", "4")}, "0.0001 0.0001 0.0003"},
		"a line of nothing": {"10", []affiliate.Line{line("", "x", "0"), line("", "x", "10")}, "0 10"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t, pays(ruled("x", "20", "x")))
			sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum(tt.total), Lines: tt.lines})
			var bases []string
			for _, l := range scene.Must(s.ExplainSale(t.Context(), sale.ID)).Lines {
				bases = append(bases, l.Base.String())
			}
			scene.Equal(t, tt.bases, strings.Join(bases, " "))
		})
	}
}

// A change of the total changes the shares of the lines; one of the subtotal is refused.
func TestUpdateSaleWithLines(t *testing.T) {
	s, ctx := scene.NewShop(t, pays(ruled("half", "50", "dear"))), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("50"), Lines: []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}})
	sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("100"))}))
	scene.Equal(t, scene.Sum("34"), sale.CommissionEarned)
	for _, up := range []affiliate.SaleUpdate{{Subtotal: affiliate.Set(scene.Sum("120"))}, {Subtotal: affiliate.Null[affiliate.Amount]()}} {
		s.RefusedLate(inField("subtotal", "must be the sum of what it is made of"), func() error { return scene.ErrOf(s.UpdateSale(ctx, sale.ID, up)) })
	}
	sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("20"))}))
	if sale.CommissionEarned != scene.Sum("20") || !sale.Lines[0].Rule.IsNull() {
		t.Errorf("with a rate of its own it earns %v by %v", sale.CommissionEarned, sale.Lines[0].Rule)
	}
	sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
	scene.Equal(t, scene.Sum("34"), sale.CommissionEarned)
	s.Verifies()
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("60")), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("60")}}}))
	s.RefusedLate(scene.FieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount"),
		func() error {
			return scene.ErrOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("99"))}))
		})
	s.Verifies()
}

// A total may leave a line just what refunds named of it. They are of its part of the base,
// so the tax counts.
func TestTotalBelowRefundOfLine(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("110"), Tax: scene.Sum("10"), Lines: []affiliate.Line{line("d", "", "100")}})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("90"), Lines: []affiliate.RefundLine{{ID: "d", Amount: scene.Sum("90")}}}))
	s.RefusedLate(scene.FieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount"),
		func() error {
			return scene.ErrOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("99.99")}))
		})
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("100")}))
	s.Verifies()
}

// What was set by hand stays while lines, and what they pay, stay the same.
func TestSetByHandWithLines(t *testing.T) {
	s, ctx := scene.NewShop(t, pays(ruled("half", "50", "dear"))), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}})
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("5")}))
	scene.Equal(t, scene.Sum("5"), scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("Tom")})).CommissionEarned)
	s.Verifies()
}

// A basketShop sells with ADA20: 20 % off, with a minimum of 50.
func basketShop(t *testing.T) *scene.World {
	w := scene.New(t)
	ada := w.Join("ada")
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(scene.Sum("50"))}))
	return w
}

// maybeSum returns an amount, or none for the empty text.
func maybeSum(s string) (o affiliate.Opt[affiliate.Amount]) {
	if s != "" {
		o = affiliate.Set(scene.Sum(s))
	}
	return o
}

// TestSubtotalM68: the three steps of a checkout (preview, charge, report),
// with the numbers of docs/money.md 12: checks 32 and 33.
func TestSubtotalM68(t *testing.T) {
	w := basketShop(t)
	preview := func(subtotal, total string) affiliate.Evaluation {
		return scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ada20", Subtotal: maybeSum(subtotal), TotalEarned: maybeSum(total)}))
	}
	off, left := affiliate.Set(scene.Sum("11")), affiliate.Set(scene.Sum("44"))
	seen := preview("55", "")
	scene.Equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})

	sale := affiliate.SaleParams{PromoCode: "ada20", TotalEarned: scene.Sum("44")}
	w.Refused(scene.StateError(affiliate.BelowMinimum, "", "Order does not reach the minimum amount for this promo code"), func() error {
		return scene.ErrOf(w.RecordSale(t.Context(), sale))
	})
	sale.Subtotal = affiliate.Set(scene.Sum("55"))
	var got affiliate.Sale
	events := w.Fired(func() { got = scene.Must(w.RecordSale(t.Context(), sale)).Sale.Or(affiliate.Sale{}) })
	scene.Equal(t, []any{scene.Sum("44"), affiliate.Set(scene.Sum("55")), scene.Sum("8.8")}, []any{got.TotalEarned, got.Subtotal, got.CommissionEarned})
	scene.Equal(t, affiliate.Set(scene.Sum("55")), scene.BodyOf[affiliate.Sale](t, events[0]).Subtotal)
	scene.Equal(t, got, scene.Must(w.Sale(t.Context(), got.ID)))

	seen = preview("", "55")
	scene.Equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("49.99", "")
	scene.Equal(t, []affiliate.Reason{affiliate.BelowMinimum}, []affiliate.Reason{seen.Reasons[0].Reason})
	scene.Equal(t, affiliate.Set(scene.Sum("39.99")), seen.Total)
	seen = preview("60", "48") // the subtotal decides
	scene.Equal(t, []any{true, affiliate.Set(scene.Sum("12")), affiliate.Set(scene.Sum("48"))}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("", "")
	scene.Equal(t, []any{true, affiliate.Null[affiliate.Amount](), affiliate.Null[affiliate.Amount]()}, []any{seen.Valid, seen.Discount, seen.Total})
	scene.Equal(t, []affiliate.Reason{affiliate.BelowMinimum}, seen.Unverified)
	w.Verifies()
}

// TestSubtotalM65: an invalid subtotal is refused before the rules of the code,
// on the sale, the preview and the update: check 34.
func TestSubtotalM65(t *testing.T) {
	w := basketShop(t)
	const (
		notPositive = "Subtotal must be greater than zero"
		below       = "Subtotal must not be less than the total amount earned without tax and shipping"
	)
	for _, tt := range []struct{ name, total, tax, shipping, subtotal, want string }{
		{"Zero", "60", "", "", "0", notPositive},
		{"Negative", "60", "", "", "-1", notPositive},
		{"TooLarge", "60", "", "", "100000000000.0001", "subtotal is too large"},
		{"Below", "60", "", "", "50", below},
		{"JustBelow", "60", "4", "6", "49.9999", below},
		{"TaxMakesUp", "60", "10", "", "50", ""},
		{"BothMakeUp", "60", "4", "6", "50", ""},
		{"Equal", "60", "", "", "60", ""},
		{"Largest", "60", "", "", "100000000000", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			in := affiliate.SaleParams{
				PromoCode: "ada20", TotalEarned: scene.Sum(tt.total), Subtotal: maybeSum(tt.subtotal),
				Tax: maybeSum(tt.tax).Or(affiliate.Amount{}), Shipping: maybeSum(tt.shipping).Or(affiliate.Amount{}),
			}
			sell := func() error { return scene.ErrOf(w.RecordSale(t.Context(), in)) }
			if tt.want == "" {
				scene.Must(0, sell())
				return
			}
			refusal := scene.FieldError(affiliate.InvalidField, "subtotal", tt.want)
			w.Refused(refusal, sell)
			in.PromoCode = "none"
			w.Refused(refusal, sell)
			if tt.tax == "" {
				w.Refused(refusal, func() error {
					return scene.ErrOf(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "none", TotalEarned: maybeSum(tt.total), Subtotal: maybeSum(tt.subtotal)}))
				})
			}
		})
	}
	w.T = t
	w.Verifies()
}

// TestSubtotalUpdateM70: an update sets or clears it and does not compute the
// commission again. The merged sale is checked, and the error names the field
// that was sent.
func TestSubtotalUpdateM70(t *testing.T) {
	w := basketShop(t)
	sale := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ada20", TotalEarned: scene.Sum("60"), Tax: scene.Sum("10")})).Sale.Or(affiliate.Sale{})
	scene.Must(w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("3"))}))
	update := func(subtotal, total affiliate.Opt[affiliate.Amount]) (affiliate.Sale, error) {
		return w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Subtotal: subtotal, TotalEarned: total})
	}
	var none affiliate.Opt[affiliate.Amount]
	const below = "Subtotal must not be less than the total amount earned without tax and shipping"
	for _, step := range []affiliate.Opt[affiliate.Amount]{affiliate.Set(scene.Sum("75")), affiliate.Set(scene.Sum("50")), affiliate.Null[affiliate.Amount](), affiliate.Set(scene.Sum("55"))} {
		var got affiliate.Sale
		scene.Equal(t, 1, len(w.Fired(func() { got = scene.Must(update(step, none)) })))
		scene.Equal(t, []any{step, scene.Sum("3")}, []any{got.Subtotal, got.CommissionEarned})
		scene.Equal(t, 0, len(w.Fired(func() { scene.Must(update(step, none)) })))
	}
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero"), func() error { return scene.ErrOf(update(maybeSum("0"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "subtotal is too large"), func() error { return scene.ErrOf(update(maybeSum("100000000001"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", below), func() error { return scene.ErrOf(update(maybeSum("49.99"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "totalEarned", below), func() error { return scene.ErrOf(update(none, maybeSum("65.01"))) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "totalEarned", below), func() error { return scene.ErrOf(update(maybeSum("55"), maybeSum("66"))) })
	got := scene.Must(update(affiliate.Null[affiliate.Amount](), maybeSum("66")))
	scene.Equal(t, []any{affiliate.Null[affiliate.Amount](), scene.Sum("66")}, []any{got.Subtotal, got.TotalEarned})
	w.Verifies()
}

// TestPreviewThenSaleM67: a code that the preview accepts for a basket is
// accepted for the amount to charge, with any discount and minimum.
func TestPreviewThenSaleM67(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := scene.New(t)
		ada := w.Join("ada")
		amount := func(name string) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.Int64Range(1, 2_000_000).Draw(rt, name))
		}
		coupon := affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent(rapid.SampledFrom([]string{"1", "12.5", "33.3333", "99.9999", "100"}).Draw(rt, "percent")))}
		if rapid.Bool().Draw(rt, "flat") {
			coupon = affiliate.CouponParams{Name: "c", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(amount("off")), Currency: affiliate.Set(affiliate.Currency("USD"))}
		}
		c := scene.Must(w.CreateCoupon(t.Context(), coupon))
		scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "X", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(amount("minimum"))}))
		basket := amount("basket")
		seen := scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "x", Subtotal: affiliate.Set(basket)}))
		off, priced := seen.Discount.Get()
		left, _ := seen.Total.Get()
		if sum, err := off.Add(left); !priced || err != nil || sum != basket || off.Sign() < 0 || left.Sign() < 0 {
			rt.Fatalf("%v of %v leaves %v", off, basket, left)
		}
		if left.IsZero() {
			return // nothing to charge
		}
		res, err := w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "x", TotalEarned: left, Subtotal: affiliate.Set(basket)})
		refused, _ := errors.AsType[*affiliate.Error](err)
		if seen.Valid != (err == nil && res.Outcome == affiliate.SaleRecorded) || !seen.Valid && refused.Reason != seen.Reasons[0].Reason {
			rt.Errorf("the preview says %v %v, the sale %v %v", seen.Valid, seen.Reasons, res.Outcome, err)
		}
	})
}
