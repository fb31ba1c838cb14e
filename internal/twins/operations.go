package twins

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

var codes = []string{"SAVE20", "save20", "Save 30", "HELLO", "gone"}

// operations are the calls that the twins get. They use few names, so that they
// often concern the same records.
func operations() []operation {
	ctx := context.Background()
	all := append(saleOperations(ctx), peopleOperations(ctx)...)
	all = append(append(all, termsOperations(ctx)...), datedOperations(ctx)...)
	all = append(append(all, moneyOperations(ctx)...), holdOperations(ctx)...)
	all = append(append(all, offerOperations(ctx)...), administerOperations(ctx)...)
	return append(all, deliveryOperations(ctx)...)
}

// holdOperations are codes with limits of customers and budgets, and holds of their places.
func holdOperations(ctx context.Context) []operation {
	buyer := func(in *input) string {
		return in.of("", "b@example.net", "B+1@example.net", "t.o.m@gmail.com", "tom+x@googlemail.com")
	}
	id := func(in *input) string { return in.of("h1", "h2", "Ünï 🧿", "h4") }
	day := func(in *input, days ...int) affiliate.Opt[affiliate.Date] {
		if n := days[in.n(len(days))]; n > 0 {
			return affiliate.Set(affiliate.Day(2026, 3, n))
		}
		return affiliate.Opt[affiliate.Date]{}
	}
	return []operation{
		{"limits of a coupon", func(w twin, in *input) string {
			return answer(w.UpdateCoupon(ctx, w.someCoupon(in).ID, affiliate.CouponUpdate{
				StartsAt: day(in, 0, 10, 11, 12), MaxDiscount: affiliate.Set(in.amount()), MaxDiscountTotal: affiliate.Set(affiliate.MustAmount(in.of("10", "60", "1000"))),
				MaxRedemptionsPerCustomer: affiliate.Set(int64(1 + in.n(3))), RestoreOnRefund: affiliate.Set(in.n(2) == 1),
			}))
		}},
		{"limits of a code", func(w twin, in *input) string {
			code, err := w.Code(ctx, affiliate.CodeRef{Code: in.of(codes...)})
			if err != nil {
				return done(err)
			}
			return answer(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{
				StartsAt: day(in, 0, 10, 12), MinimumQuantity: affiliate.Set(affiliate.MustAmount(in.of("0.5", "2", "4.25"))), MaxRedemptionsPerCustomer: affiliate.Set(int64(1 + in.n(2))),
			}))
		}},
		{"house code", func(w twin, in *input) string {
			out := answer(w.CreateCode(ctx, affiliate.CodeParams{CouponID: w.someCoupon(in).ID, Code: "HOUSE", MaxRedemptionsPerCustomer: affiliate.Set(int64(1 + in.n(2)))}))
			sale := affiliate.SaleParams{Once: in.once(), PromoCode: "HOUSE", Email: buyer(in), ExternalID: in.of("", "o1", "w1", "w2"), TotalEarned: in.amount()}
			return out + answer(w.RecordSale(ctx, sale)) + done(w.RestoreRedemption(ctx, affiliate.SaleRef{ExternalID: in.of("o1", "w1", "w2")}))
		}},
		{"hold", func(w twin, in *input) string {
			order := affiliate.Order{PromoCode: in.of(append(codes, "HOUSE")...), Email: buyer(in)}
			if in.n(2) == 1 {
				order.Lines = in.lines()
			} else {
				order.Subtotal = affiliate.Set(in.amount())
			}
			until := w.engine.Config().Now().Add(time.Duration(1+in.n(4)) * 20 * time.Second)
			out := answer(w.Evaluate(ctx, order))
			order.Once = in.once()
			return out + answer(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id(in), Until: until, Order: order}))
		}},
		{"sale of a hold", func(w twin, in *input) string {
			sale := affiliate.SaleParams{Once: in.once(), HoldID: id(in), PromoCode: in.of("", "", codes[0]), Email: buyer(in), Name: "H", TotalEarned: in.amount(), ExternalID: in.of("", "w1", "w2")}
			return answer(w.RecordSale(ctx, sale)) + answer(w.Hold(ctx, sale.HoldID))
		}},
		{"release a slug", func(w twin, in *input) string { return answer(w.ReleaseSlug(ctx, in.of("ann", "ben", "none"))) }},
		{"release a hold", func(w twin, in *input) string { return answer(w.ReleaseHold(ctx, id(in))) }},
		{"refund all of a sale", func(w twin, in *input) string {
			sale := w.someSale(in).ID
			return answer(w.RefundSale(ctx, affiliate.Refund{SaleID: sale, ClawBack: true})) + done(w.RestoreRedemption(ctx, affiliate.SaleRef{ID: sale}))
		}},
	}
}

// offerOperations are about what links give: who has an offer, and orders, holds and payments that
// ask for it.
func offerOperations(ctx context.Context) []operation {
	order := func(in *input) affiliate.Order {
		return affiliate.Order{
			ReferralID: in.of("ada", "ada", "bo", "1"), Email: in.of("new@example.net", "b@example.net", "B+1@example.net", ""),
			PromoCode: in.of("", "", "", codes[0]), Subtotal: affiliate.Set(in.amount()), Offer: true,
		}
	}
	return []operation{
		{"give an offer", func(w twin, in *input) string {
			coupon := affiliate.Set(w.someCoupon(in).ID)
			if in.n(5) == 0 || coupon == affiliate.Set(uuid.Nil) {
				coupon = affiliate.Null[uuid.UUID]()
			}
			switch in.n(4) {
			case 0:
				return answer(w.UpdatePlan(ctx, pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{OfferCouponID: coupon}}))
			case 1:
				return answer(w.SetTerms(ctx, affiliate.TermsUpdate{OfferCouponID: coupon, From: w.beginning(in)}))
			}
			ref := affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}
			return answer(w.UpdateAffiliate(ctx, ref, affiliate.AffiliateUpdate{OfferCouponID: coupon}))
		}},
		{"sale of an offer", func(w twin, in *input) string {
			o := order(in)
			sale := affiliate.SaleParams{
				Once: in.once(), ReferralID: o.ReferralID, Email: o.Email, Name: "O", PromoCode: o.PromoCode, Subtotal: o.Subtotal, Offer: true,
				TotalEarned: o.Subtotal.Or(affiliate.Amount{}), ExternalID: in.of("", "", "o1", "w1"), HoldID: in.of("", "", "", "h1"),
			}
			return answer(w.Evaluate(ctx, o)) + answer(w.RecordSale(ctx, sale)) + answer(w.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{}))
		}},
		{"hold of an offer", func(w twin, in *input) string {
			until := w.engine.Config().Now().Add(time.Duration(1+in.n(4)) * 20 * time.Second)
			return answer(w.HoldRedemption(ctx, affiliate.HoldParams{ID: in.of("h1", "h2"), Until: until, Order: order(in)}))
		}},
		{"click with its offer", func(w twin, in *input) string {
			return answer(w.TrackClick(ctx, affiliate.ClickParams{Slug: in.of("ada", "bo"), DeviceID: "d1", Offer: true}))
		}},
		{"payment that redeems", func(w twin, in *input) string {
			paid := affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: in.amount(), ExternalID: in.of("", "o1", "w1", "w2")}, Renewal: in.n(4) == 0}
			paid.Gross = paid.TotalEarned
			paid.Tries = []affiliate.Credit{{HoldID: in.of("h1", "h2")}, {PromoCode: in.of("HOUSE", codes[0])}, {Offer: true}, {ReferralID: in.of("ada", "bo", "1")}}[in.n(4):]
			who := in.of("b", "new", "t.o.m")
			return answer(w.engine.Payments().ReportPayment(ctx, affiliate.PaymentFact{
				Provider: "stripe", Keys: []string{in.of("pi_1", "pi_2", "pi_3")}, Payer: affiliate.PayerFact{ID: "cus_" + who, Email: in.of("", who+"@example.net")}, At: w.engine.Config().Now(), Currency: "USD", Sale: affiliate.Set(paid),
			}))
		}},
	}
}

// lines draws lines of an order.
func (in *input) lines() (lines []affiliate.Line) {
	for _, id := range []string{"l1", "l2", "l3"}[:1+in.n(3)] {
		lines = append(lines, affiliate.Line{
			ID: id, ProductID: in.of("", "SEAT", "MILL", "Ünï 🧿"), PlanID: in.of("", "yearly"), Name: in.of("", "N"), Quantity: affiliate.Set(affiliate.MustAmount(in.of("1", "2.5"))),
			Categories: [][]string{nil, {"gift"}, {"office", "gift"}}[in.n(3)], Amount: in.amount(), Discount: affiliate.MustAmount(in.of("0", "0", "0.01")),
		})
	}
	return lines
}

// termsOperations are sales with lines, and terms with rules and caps.
func termsOperations(ctx context.Context) []operation {
	percent := func(in *input, rates ...string) affiliate.Percent { return affiliate.MustPercent(in.of(rates...)) }
	rules := func(in *input) (rules []affiliate.Rule) {
		for _, name := range []string{"a", "b", "c"}[:in.n(4)] {
			r := affiliate.Rule{Name: name, Firm: in.n(4) == 0}
			switch in.n(5) {
			case 0:
				r.When.Products, r.When.NotCategories = []string{"SEAT", "Ünï 🧿"}, []string{"office"}
			case 1:
				r.When.Categories, r.When.NotPlans = []string{"gift"}, []string{"yearly"}
			case 2:
				r.When.PaymentFrom, r.When.PaymentTo = int64(1+in.n(2)), int64(2+in.n(2))
			case 3:
				r.When.MonthTo, r.When.Triggers = int64(1+in.n(3)), []affiliate.PaymentTrigger{affiliate.TriggerPurchase}
			default:
				r.When.Customer = affiliate.RuleCustomer(in.of("NEW", "RETURNING"))
			}
			if r.Pay.Type = affiliate.RuleType(in.of("PERCENTAGE", "FLAT", "UNIT", "NONE")); r.Pay.Type != affiliate.RuleNone {
				r.Pay.Rate = percent(in, "0.5", "12.3456", "50")
			}
			rules = append(rules, r)
		}
		return rules
	}
	budgets := func(in *input) (all []affiliate.Budget) {
		for _, of := range affiliate.BudgetsOf()[:in.n(3)] {
			all = append(all, affiliate.Budget{
				Of: of, Per: affiliate.Interval(in.of("", "day", "month")), MaxCommission: affiliate.MustAmount(in.of("1", "20", "300")),
				MaxRewards: int64(in.n(9)), Whole: in.n(3) == 0, UTMCampaign: in.of("", "", "z"),
			})
		}
		return all
	}
	bonuses := func(in *input) (all []affiliate.Bonus) {
		for _, b := range []affiliate.Bonus{{Name: "for two", Customers: 2, MinSpend: affiliate.MustAmount("3")},
			{Name: "for much", Per: affiliate.IntervalMonth, Revenue: affiliate.MustAmount("40"), Times: 3},
			{Name: "for friends", To: affiliate.BonusToCustomer, SignUps: 1, HoldDays: 1}}[:in.n(4)] {
			b.From, b.Amount = affiliate.Day(2026, 3, 1), affiliate.MustAmount(in.of("0.5", "20"))
			all = append(all, b)
		}
		return all
	}
	terms := func(in *input) affiliate.Terms {
		return affiliate.Terms{
			Budgets: budgets(in), Bonuses: bonuses(in),
			Type: affiliate.CommissionType(in.of("PERCENTAGE", "FLAT")), Rate: percent(in, "7", "40"), Rules: rules(in), MonthsFrom: affiliate.MonthsFrom(in.of("", "PAYMENT", "REFERRAL")),
			MaxPerSale: affiliate.MustAmount(in.of("0", "0", "0.5", "20")), MaxPerCustomer: affiliate.MustAmount(in.of("0", "3", "50")), MaxPayments: int64(in.n(4)), MaxMonths: int64(in.n(3)),
		}
	}
	return []operation{
		{"sale of lines", func(w twin, in *input) string {
			sale := affiliate.SaleParams{
				Once: in.once(), PromoCode: in.of("", codes[0], codes[3]), ReferralID: in.of("ada", "bo"), Email: in.of("b@example.net", "c@example.net", "l@example.net"), Name: "L",
				TotalEarned: in.amount(), Lines: in.lines(),
			}
			return answer(w.Evaluate(ctx, affiliate.Order{PromoCode: in.of(codes...), Email: sale.Email, Lines: sale.Lines})) + answer(w.RecordSale(ctx, sale))
		}},
		{"refund of lines", func(w twin, in *input) string {
			refund := affiliate.Refund{SaleID: w.someSale(in).ID, RefundID: in.of("", "r1", "r3"), ClawBack: in.n(2) == 1, Amount: affiliate.Set(affiliate.MustAmount(in.of("0.01", "10")))}
			refund.Lines = []affiliate.RefundLine{{ID: in.of("l1", "l2"), Amount: refund.Amount.Or(affiliate.Amount{})}}
			return answer(w.RefundSale(ctx, refund)) + answer(w.Sale(ctx, refund.SaleID))
		}},
		{"coupon of products", func(w twin, in *input) string {
			return answer(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "P", PercentOff: affiliate.Set(percent(in, "15", "100")), LimitToProducts: true, ProductIDs: []string{"SEAT", "Ünï 🧿"}}))
		}},
		{"plan of rules", func(w twin, in *input) string {
			plan, err := w.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: terms(in)})
			out := answer(plan, err)
			if err == nil && in.n(2) == 1 {
				out += answer(w.SetAffiliatePlan(ctx, plan.ID, w.someAffiliate(in).ID))
			}
			return out
		}},
		{"update plan", func(w twin, in *input) string {
			id := pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID
			up := affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(rules(in)), MaxPerCustomer: affiliate.Null[affiliate.Amount]()}}
			if in.n(2) == 1 {
				up.MaxPerCustomer = affiliate.Set(in.amount())
			}
			return answer(w.UpdatePlan(ctx, id, up)) + answer(w.Plans(ctx, affiliate.Page{}))
		}},
		{"rate of a sale", func(w twin, in *input) string {
			up := affiliate.SaleUpdate{ClawBack: in.n(2) == 1, CommissionRate: affiliate.Null[affiliate.Percent]()}
			if in.n(2) == 1 {
				up.CommissionRate = affiliate.Set(percent(in, "0", "33.3333"))
			}
			return answer(w.UpdateSale(ctx, w.someSale(in).ID, up))
		}},
		{"give sale", func(w twin, in *input) string {
			return answer(w.UpdateSale(ctx, w.someSale(in).ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(w.someAffiliate(in).ID), ClawBack: in.n(2) == 1}))
		}},
		{"explain", func(w twin, in *input) string { return answer(w.ExplainSale(ctx, w.someSale(in).ID)) }},
		{"simulate", func(w twin, in *input) string {
			q := affiliate.SimulateQuery{PlanID: pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID}
			switch in.n(3) {
			case 0:
				q.Terms = terms(in)
			case 1:
				q.Dated = true
			case 2:
				q = affiliate.SimulateQuery{Attribution: affiliate.Set(affiliate.Attribution{Touch: affiliate.TouchFirst, Code: affiliate.CodeUnbrought})}
			}
			var out string
			for d, err := range w.engine.Simulate(ctx, q) {
				out += answer(d, err)
			}
			return out
		}},
		{"set terms", func(w twin, in *input) string {
			var up affiliate.TermsUpdate
			if in.n(2) == 1 {
				up = terms(in).Update()
			} else {
				up.Rate, up.HoldDays = affiliate.Set(percent(in, "9", "33.3333")), affiliate.Set(int64(in.n(3)))
			}
			up.From = w.beginning(in)
			return answer(w.SetTerms(ctx, up)) + answer(w.Settings(ctx))
		}},
		{"settings", func(w twin, in *input) string {
			up := affiliate.SettingsUpdate{
				CookieDuration:  affiliate.Set(int64(in.n(3)) * 30), // 0 is refused
				RequireCustomer: affiliate.Set(in.n(2) == 1), AutoApprove: affiliate.Set(in.n(4) > 0),
			}
			return answer(w.UpdateSettings(ctx, up)) + answer(w.Settings(ctx))
		}},
		{"dated plan", func(w twin, in *input) string {
			id := pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID
			up := affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(rules(in)), Budgets: affiliate.Set(budgets(in)), MaxPerSale: affiliate.Set(in.amount()), From: w.beginning(in)}}
			return answer(w.UpdatePlan(ctx, id, up)) + answer(w.Plan(ctx, id))
		}},
	}
}

// beginning draws a beginning of terms: none, one of four moments of these days, or a day.
func (w twin) beginning(in *input) affiliate.Opt[affiliate.Date] {
	switch n := in.n(7); {
	case n < 4:
		return affiliate.Set(affiliate.At(time.Date(2026, 3, 11, 9, 24, 20*n, n*333_000_000, time.UTC)))
	case n == 4:
		return affiliate.Set(affiliate.Day(2026, 3, 12+in.n(2)))
	}
	return affiliate.Opt[affiliate.Date]{}
}

// paidAt draws when something was paid: not said, or up to half an hour ago.
func (w twin) paidAt(in *input) (at time.Time) {
	if n := in.n(4); n > 0 {
		at = w.engine.Config().Now().Add(-time.Duration(n) * 10 * time.Minute)
	}
	return at
}

// datedOperations are what was paid earlier, payments of a provider, conversions and what
// becomes of them, versions of terms, and the host's own ids.
func datedOperations(ctx context.Context) []operation {
	return []operation{
		{"paid earlier", func(w twin, in *input) string {
			sale := affiliate.SaleParams{PromoCode: in.of("", codes[0], codes[3]), ReferralID: in.of("ada", "bo", "1", "2"), Email: in.of("b@example.net", "l@example.net", "new@example.net"), Name: "L", TotalEarned: in.amount(), PaidAt: w.paidAt(in)}
			order := affiliate.Order{PromoCode: in.of(codes...), ReferralID: sale.ReferralID, Email: sale.Email, TotalEarned: affiliate.Set(in.amount()), Commission: true}
			return answer(w.Evaluate(ctx, order)) + answer(w.RecordSale(ctx, sale)) + answer(w.Evaluate(ctx, order))
		}},
		{"payment", func(w twin, in *input) string {
			who := in.of("b", "c", "new")
			paid := affiliate.Paid{SaleParams: affiliate.SaleParams{Lines: in.lines(), PaidAt: w.paidAt(in)}, Renewal: in.n(3) == 0, Payment: int64(in.n(4) / 2)}
			for _, l := range paid.Lines {
				paid.TotalEarned = must(paid.TotalEarned.Add(must(l.Amount.Sub(l.Discount))))
			}
			paid.Gross = paid.TotalEarned
			paid.Tries = []affiliate.Credit{{PromoCode: in.of(codes...)}, {ReferralID: in.of("ada", "bo", "1")}}[in.n(2):]
			return answer(w.engine.Payments().ReportPayment(ctx, affiliate.PaymentFact{
				Provider: "stripe", Keys: []string{in.of("pi_1", "pi_2", "pi_3")}, Payer: affiliate.PayerFact{ID: "cus_" + who, Email: who + "@example.net"}, At: w.engine.Config().Now(), Currency: "USD", Sale: affiliate.Set(paid),
			}))
		}},
		{"refund or dispute", func(w twin, in *input) string {
			f := affiliate.PaymentFact{Provider: "stripe", Keys: []string{in.of("pi_1", "pi_2", "pi_3")}, At: w.engine.Config().Now(), Currency: "USD"}
			if amount := affiliate.MustAmount(in.of("0.01", "10", "149.99")); in.n(3) == 0 {
				f.Refunds = []affiliate.RefundFact{{ID: "re_" + amount.String(), Amount: amount, State: affiliate.RefundState(in.of("pending", "succeeded", "failed"))}}
			} else {
				f.Disputes = []affiliate.DisputeFact{{ID: "dp_" + amount.String(), Amount: amount, State: affiliate.DisputeState(in.of("inquiry", "withdrawn", "lost", "won"))}}
			}
			return answer(w.engine.Payments().ReportPayment(ctx, f)) + answer(w.engine.Payments().ProviderPayment(ctx, "stripe", f.Keys[0])) +
				answer(w.engine.Payments().ProviderPayments(ctx, affiliate.ProviderPaymentQuery{Provider: "stripe", From: f.At}, affiliate.Page{Limit: 3}))
		}},
		{"conversion of a link", func(w twin, in *input) string {
			got, err := w.RecordConversion(ctx, affiliate.ConversionParams{Once: in.once(), Conversion: in.of("signup", "lead", "Ünï 🧿"), ReferralID: in.of("ada", "bo", "1"), Email: in.of("b@example.net", "new@example.net"), Name: "C"})
			out := answer(got, err)
			if sale, ok := got.Sale.Get(); ok && in.n(2) == 1 {
				up := affiliate.SaleUpdate{CommissionEarned: affiliate.Set(in.amount())}
				if in.n(2) == 1 {
					up = affiliate.SaleUpdate{AffiliateID: affiliate.Set(w.someAffiliate(in).ID)}
				}
				out += answer(w.UpdateSale(ctx, sale.ID, up)) + answer(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, ClawBack: true}))
			}
			return out
		}},
		{"versions", func(w twin, in *input) string {
			up := affiliate.TermsUpdate{Withdraw: w.beginning(in)}
			out := answer(w.SetTerms(ctx, up)) + answer(w.Terms(ctx))
			id := pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID
			return out + answer(w.UpdatePlan(ctx, id, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: up.Withdraw}}))
		}},
		{"rule of conversions", func(w twin, in *input) string {
			rule := affiliate.Rule{Name: "c", When: affiliate.RuleWhen{Conversions: []string{"signup", "Ünï 🧿"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent(in.of("5", "0.0101"))}}
			return answer(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{rule}), MaxPerCustomer: affiliate.Set(in.amount())}))
		}},
		{"ensure affiliate", func(w twin, in *input) string {
			a, err := w.EnsureAffiliate(ctx, affiliate.AffiliateParams{Once: in.once(), ExternalID: in.of("", "user-1", "user-2", "Ünï 🧿"), FirstName: "E", LastName: "N", Email: in.email()})
			return answer(a, err) + answer(w.Affiliate(ctx, in.of("ext:user-1", "ext:user-2")))
		}},
		{"external id", func(w twin, in *input) string {
			up := affiliate.AffiliateUpdate{ExternalID: affiliate.Null[string]()}
			if in.n(3) > 0 {
				up.ExternalID = affiliate.Set(in.of("user-1", "user-2", "Ünï 🧿"))
			}
			return answer(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}, up)) +
				answer(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ext:" + in.of("user-1", "user-2"), Email: "b@example.net", Name: "B", TotalEarned: in.amount()}))
		}},
		{"clicks", func(w twin, in *input) string {
			return answer(w.TrackClick(ctx, affiliate.ClickParams{Slug: in.of("ada", "bo"), DeviceID: "d1", Earlier: affiliate.ClickID(in.n(4))}))
		}},
	}
}

func saleOperations(ctx context.Context) []operation {
	return []operation{
		{"sale", func(w twin, in *input) string {
			return answer(w.RecordSale(ctx, affiliate.SaleParams{
				Once: in.once(), PromoCode: in.of(codes...), Email: in.of("", "b@example.net", "c@example.net"), Name: "N",
				TotalEarned: in.amount(), ExternalID: in.of("", "", "o1", "o2", "o3"), ExternalInvoiceID: in.of("", "", "i1"),
			}))
		}},
		{"conversion", func(w twin, in *input) string {
			return answer(w.RecordConversion(ctx, affiliate.ConversionParams{
				Conversion: in.of("signup", "lead"), PromoCode: in.of(codes...), Email: in.of("", "b@example.net", "f@example.net"), ExternalID: in.of("", "", "o1"),
			}))
		}},
		{"sale of a referral", func(w twin, in *input) string {
			return answer(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: w.someReferral(in).Email, Email: in.of("", "e@example.net"), Name: "E", TotalEarned: in.amount()}))
		}},
		{"refund", func(w twin, in *input) string {
			refund := affiliate.Refund{SaleID: w.someSale(in).ID, RefundID: in.of("", "r1", "r2"), ClawBack: in.n(2) == 1}
			if in.n(2) == 1 {
				refund.Amount = affiliate.Set(in.amount())
			}
			return answer(w.RefundSale(ctx, refund)) + answer(w.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})) + answer(w.Referrals(ctx, affiliate.ReferralQuery{}, affiliate.Page{}))
		}},
		{"update sale", func(w twin, in *input) string {
			up := affiliate.SaleUpdate{ClawBack: in.n(2) == 1, Metadata: affiliate.Set(json.RawMessage(in.of(`{"z":1,"a":"<&>"}`, `{"b":1.50,"a":[1e2]}`, `{"é":"\u2028"}`)))}
			if in.n(2) == 1 {
				up.TotalEarned = affiliate.Set(in.amount())
			}
			return answer(w.UpdateSale(ctx, w.someSale(in).ID, up))
		}},
		{"delete sale", func(w twin, in *input) string { return done(w.DeleteSale(ctx, w.someSale(in).ID)) }},
		{"review", func(w twin, in *input) string {
			return answer(w.ReviewCommissions(ctx, affiliate.ApprovalStatus(in.of("ACCEPTED", "DECLINED", "PENDING")), w.someSale(in).ID))
		}},
		{"coupon", func(w twin, in *input) string {
			return answer(w.CreateCoupon(ctx, affiliate.CouponParams{Once: in.once(), Name: in.of("Spring", "Ünï 🧿"), PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		}},
		{"update coupon", func(w twin, in *input) string {
			return answer(w.UpdateCoupon(ctx, w.someCoupon(in).ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set(int64(in.n(6))), Valid: affiliate.Set(in.n(4) > 0)}))
		}},
		{"delete coupon", func(w twin, in *input) string { return answer(w.DeleteCoupon(ctx, w.someCoupon(in).ID)) }},
		{"code", func(w twin, in *input) string {
			return answer(w.CreateCode(ctx, affiliate.CodeParams{
				Once: in.once(), CouponID: w.someCoupon(in).ID, Code: in.of(codes...), AffiliateID: w.someAffiliate(in).ID,
				ExternalID: in.of("", "", "p1", "p2"), MaxRedemptions: affiliate.Set(int64(1 + in.n(4))), FirstTimeOrder: in.n(3) == 0,
			}))
		}},
		{"update code", func(w twin, in *input) string {
			code, err := w.Code(ctx, affiliate.CodeRef{Code: in.of(codes...)})
			if err != nil {
				return done(err)
			}
			return answer(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Code: affiliate.Set(in.of(codes...)), Active: affiliate.Set(in.n(4) > 0)}))
		}},
		{"give code", func(w twin, in *input) string {
			code, err := w.Code(ctx, affiliate.CodeRef{Code: in.of(codes...)})
			if err != nil {
				return done(err)
			}
			up := affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()}
			if in.n(4) > 0 {
				up.AffiliateID = affiliate.Set(w.someAffiliate(in).ID)
			}
			return answer(w.UpdateCode(ctx, code.ID, up))
		}},
		{"look up", func(w twin, in *input) string {
			return answer(w.Code(ctx, affiliate.CodeRef{Code: in.of(codes...), ExternalID: in.of("", "p1")})) +
				answer(w.EvaluateCodes(ctx, affiliate.CodesOrder{Order: affiliate.Order{TotalEarned: affiliate.Set(affiliate.MustAmount("30"))}, PromoCodes: []string{in.of(codes...), "NOBODYS"}}))
		}},
		{"sums", func(w twin, in *input) string {
			q := affiliate.SaleQuery{Status: affiliate.SaleStatus(in.of("", "ACTIVE", "REFUNDED")),
				ApprovalStatus: affiliate.ApprovalStatus(in.of("", "ON_HOLD", "ACCEPTED"))}
			switch s := w.someSale(in); in.n(5) {
			case 0:
				q.AffiliateID = affiliate.Set(s.AffiliateID)
			case 1:
				q.CodeID = affiliate.Set(s.PromotionalCodeID.Or(uuid.Nil))
			case 2:
				q.LinkID, q.Since = affiliate.Set(s.AffiliateLinkID.Or(uuid.Nil)), affiliate.Set(affiliate.At(s.CreatedAt.Time()))
			case 3:
				q.Search = affiliate.Set(in.of("net", "b@example.net", "SAVE"))
			case 4: // what selects nothing is not sent, so nobody refuses the rest of it
				q.Status = affiliate.SaleStatus(in.of("", "x"))
			}
			return answer(w.SaleSums(ctx, q))
		}},
		{"lists", func(w twin, in *input) string {
			page := affiliate.Page{Limit: 1 + in.n(3)}
			first, err := w.Sales(ctx, affiliate.SaleQuery{}, page)
			out := answer(first, err)
			page.Cursor = first.Next
			return out + answer(w.Sales(ctx, affiliate.SaleQuery{}, page)) + answer(w.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{}))
		}},
		{"verify", func(w twin, _ *input) string { return done(w.engine.Verify(ctx)) }},
	}
}

// moneyOperations change commissions after the sale.
func moneyOperations(ctx context.Context) []operation {
	return []operation{
		{"free order", func(w twin, in *input) string {
			return answer(w.RecordSale(ctx, affiliate.SaleParams{
				Once: in.once(), Free: true, PromoCode: in.of(codes...), Email: in.of("", "b@example.net", "c@example.net"),
				Subtotal: affiliate.Set(in.amount()), ExternalID: in.of("", "o1", "o2"),
			}))
		}},
		{"own purchase", func(w twin, in *input) string {
			mine := strings.Replace(w.someAffiliate(in).Email, "@", "+x@", 1)
			out := answer(w.Evaluate(ctx, affiliate.Order{PromoCode: in.of(codes...), Email: mine}))
			return out + answer(w.RecordSale(ctx, affiliate.SaleParams{Once: in.once(), PromoCode: in.of(codes...), Email: mine, Name: "O", TotalEarned: in.amount()}))
		}},
		{"payout", func(w twin, in *input) string {
			return answer(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.someAffiliate(in).ID, ManuallyPaid: in.n(4) == 1}))
		}},
		{"payout run", func(w twin, in *input) string {
			run := affiliate.PayoutRun{ExternalID: in.of("r1", "r2", "r3"), NoDetails: in.n(4) > 0, Minimum: affiliate.Set(in.amount())}
			if in.n(2) == 1 {
				run.AffiliateIDs = []uuid.UUID{w.someAffiliate(in).ID, w.someAffiliate(in).ID}
			}
			if in.n(4) == 3 {
				run.ExceptIDs = []uuid.UUID{w.someAffiliate(in).ID}
			}
			out := answer(w.PreviewPayouts(ctx, run, affiliate.Page{Limit: 2}))
			run.Limit = 1 + in.n(3)
			out += answer(w.RunPayouts(ctx, run))
			page := must(w.PayoutLines(ctx, run.ExternalID, affiliate.Page{Limit: 1}))
			return out + answer(page, nil) + answer(w.PayoutRuns(ctx, affiliate.Page{})) + answer(w.PayoutRun(ctx, "r1"))
		}},
		{"report", func(w twin, in *input) string {
			q := affiliate.ReportQuery{From: time.Date(2026, 3, 11, 9, 24, in.n(3_600), 0, time.UTC), By: affiliate.Interval(in.of("day", "week", "month", "quarter", "year"))}
			q.To = q.From.Add(time.Duration(1+in.n(48)) * time.Hour)
			rows := affiliate.BreakdownQuery{From: q.From, To: q.To, By: affiliate.Dimension(in.of("affiliate", "link", "promotionalCode", "coupon", "product", "landingPage", "utmSource"))}
			switch id := affiliate.Set(w.someAffiliate(in).ID); in.n(4) {
			case 1:
				q.AffiliateID, rows.AffiliateID = id, id
			case 3:
				if links, err := w.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{Limit: 1}); err == nil && len(links.Items) > 0 {
					q.LinkID = affiliate.Set(links.Items[0].ID)
				}
			case 2:
				if code, err := w.Code(ctx, affiliate.CodeRef{Code: in.of(codes...)}); err == nil {
					q.CodeID = affiliate.Set(code.ID)
				}
			}
			return answer(w.Report(ctx, q, affiliate.Page{})) + answer(w.Report(ctx, q, affiliate.Page{Limit: 1})) + answer(w.Breakdown(ctx, rows, affiliate.Page{}))
		}},
		{"payout status", func(w twin, in *input) string {
			id := pick(in, must(w.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items).ID
			status := affiliate.PayoutStatus(in.of("PENDING", "PROCESSING", "PAID", "FAILED", "CANCELED", "CANCELED", "RETURNED"))
			return answer(w.SetPayoutStatus(ctx, id, status)) + answer(w.Payouts(ctx, affiliate.PayoutQuery{Status: status}, affiliate.Page{}))
		}},
		{"reversal", func(w twin, in *input) string {
			return answer(w.ReverseSale(ctx, affiliate.SaleRef{ID: w.someSale(in).ID}, affiliate.Reversal{ClawBack: in.n(2) == 1, RefundID: in.of("", "r2")}))
		}},
		{"adjustment", func(w twin, in *input) string {
			return answer(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{
				Once: in.once(), AffiliateID: w.someAffiliate(in).ID, Kind: affiliate.AdjustmentKind(in.of("BONUS", "CORRECTION", "DISPUTE_WON")),
				Amount: in.amount(), Reason: "r", ExternalID: in.of("", "a1", "a2"),
			}))
		}},
		{"case", func(w twin, in *input) string {
			return answer(w.OpenCase(ctx, affiliate.CaseParams{
				Once: in.once(), AffiliateID: w.someAffiliate(in).ID, Kind: affiliate.CaseKind(in.of("SALE_CLAIM", "SALE_QUESTION", "PAYOUT_REQUEST")),
				SaleID: affiliate.SaleID(in.n(2)) * w.someSale(in).ID, ExternalID: in.of("", "a1", "a2"), Text: in.of("", "t"),
			}))
		}},
		{"case answered", func(w twin, in *input) string {
			id := pick(in, must(w.Cases(ctx, affiliate.CaseQuery{}, affiliate.Page{})).Items).ID
			return answer(w.AnswerCase(ctx, id, affiliate.CaseAnswer{Answer: in.of("", "a")})) + answer(w.Case(ctx, id)) +
				answer(w.Cases(ctx, affiliate.CaseQuery{Status: affiliate.CaseOpen}, affiliate.Page{Limit: 2}))
		}},
		{"adjustment reversed", func(w twin, in *input) string {
			id := pick(in, must(w.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items).ID
			if id == uuid.Nil {
				return ""
			}
			return answer(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: id, Reason: "r"})) +
				answer(w.Adjustments(ctx, affiliate.AdjustmentQuery{Kind: affiliate.AdjustBonus}, affiliate.Page{Limit: 2}))
		}},
	}
}

func peopleOperations(ctx context.Context) []operation {
	return []operation{
		{"affiliate", func(w twin, in *input) string {
			return answer(w.CreateAffiliate(ctx, affiliate.AffiliateParams{Once: in.once(), FirstName: "A", LastName: "B", Email: in.email(), AffiliateLink: in.of("", "ada", "Ada", "bo")}))
		}},
		{"update affiliate", func(w twin, in *input) string {
			return answer(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}, affiliate.AffiliateUpdate{Email: affiliate.Set(in.email())}))
		}},
		{"delete affiliate", func(w twin, in *input) string {
			return done(w.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}))
		}},
		{"own rate", func(w twin, in *input) string {
			up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
			if in.n(4) > 0 {
				up.CommissionRate = affiliate.Set(affiliate.MustPercent(in.of("0", "12.5", "50", "250")))
			}
			return answer(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}, up))
		}},
		{"plan", func(w twin, in *input) string {
			return answer(w.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{
				Type: affiliate.CommissionType(in.of("PERCENTAGE", "FLAT")), Rate: affiliate.MustPercent(in.of("7", "40")),
			}}))
		}},
		{"set plan", func(w twin, in *input) string {
			id := pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID
			if in.n(2) == 1 {
				return answer(w.SetReferralPlan(ctx, id, w.someReferral(in).ID))
			}
			return answer(w.SetAffiliatePlan(ctx, id, w.someAffiliate(in).ID))
		}},
		{"tier", func(w twin, in *input) string {
			tier, err := w.CreateTier(ctx, affiliate.TierParams{Tier: 1 + int64(in.n(3)), Name: "t", MinRevenue: in.amount(), Per: affiliate.Interval(in.of("", "day", "month")), GracePeriods: int64(in.n(3)), Rate: affiliate.Set(affiliate.MustPercent(in.of("3", "60")))})
			return answer(tier, err) + answer(w.Run(ctx, affiliate.AssignTiersJob{}))
		}},
		{"bonuses", func(w twin, in *input) string {
			who := w.someAffiliate(in)
			return answer(w.Run(ctx, affiliate.GrantBonusesJob{})) + answer(w.Bonuses(ctx, affiliate.AffiliateRef{ID: who.ID}))
		}},
		{"recalculate", func(w twin, _ *input) string {
			return answer(w.Run(ctx, affiliate.RecalculateJob{}))
		}},
		{"ban", func(w twin, in *input) string {
			return answer(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, w.someAffiliate(in).ID))
		}},
		{"link", func(w twin, in *input) string {
			return answer(w.CreateLink(ctx, affiliate.LinkParams{Once: in.once(), Link: in.of("ada", "bo", "BO", "x y", "new"), AffiliateID: w.someAffiliate(in).ID}))
		}},
		{"rename link", func(w twin, in *input) string {
			return answer(w.RenameLink(ctx, affiliate.LinkRef{Slug: in.of("ada", "bo", "new")}, in.of("ada", "Bo", "new", "neu")))
		}},
		{"delete link", func(w twin, in *input) string {
			return answer(w.DeleteLink(ctx, affiliate.LinkRef{Slug: in.of("ada", "bo", "new")}))
		}},
		{"click", func(w twin, in *input) string {
			return answer(w.TrackClick(ctx, affiliate.ClickParams{Slug: in.of("ada", "BO", "new", "none"), DeviceID: in.of("d1", "d2")}))
		}},
		{"referral", func(w twin, in *input) string {
			return answer(w.CreateReferral(ctx, affiliate.ReferralParams{
				Once: in.once(), AffiliateID: in.of("ada", "bo", "1", "2"), PromoCode: in.of("", "SAVE20"), Name: "R", Email: in.email(), ReferredUserExternalID: in.of("u1", "u2", "u3", "u4", "u5", "u6"),
			}))
		}},
		{"update referral", func(w twin, in *input) string {
			return answer(w.UpdateReferral(ctx, w.someReferral(in).ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set(in.email()), Notes: affiliate.Set("x")}))
		}},
		{"status", func(w twin, in *input) string {
			return answer(w.PushReferralStatus(ctx, w.someReferral(in).ID.String(), affiliate.SubscriptionStatus(in.of("ACTIVE", "PAST_DUE", "CANCELLED", "DECLINED", "CANCELED"))))
		}},
		{"delete referral", func(w twin, in *input) string { return done(w.DeleteReferral(ctx, w.someReferral(in).ID.String())) }},
		{"erase", func(w twin, in *input) string { return done(w.EraseReferral(ctx, w.someReferral(in).ID.String())) }},
	}
}

func deliveryOperations(ctx context.Context) []operation {
	return []operation{
		{"endpoint", func(w twin, in *input) string {
			return answer(w.CreateEndpoint(ctx, affiliate.EndpointParams{Once: in.once(), URL: in.of("https://a.example/x", "https://b.example/y", "http://no"), Events: affiliate.EventTypes()[:1+in.n(15)]}))
		}},
		{"delete endpoint", func(w twin, in *input) string {
			return answer(w.DeleteEndpoint(ctx, pick(in, must(w.Endpoints(ctx, affiliate.Page{})).Items).ID))
		}},
		{"deliver", func(w twin, in *input) string {
			claims, err := w.engine.Webhooks().ClaimDeliveries(ctx, 1+in.n(5), time.Minute)
			out := answer(claims, err)
			var attempts []affiliate.Attempt
			for _, c := range claims {
				attempts = append(attempts, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: []int{200, 500, 410, 0}[in.n(4)]})
			}
			return out + done(w.engine.Webhooks().SettleDeliveries(ctx, attempts))
		}},
		{"events", func(w twin, _ *input) string {
			return answer(w.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 5})) + answer(w.EventsAfter(ctx, uuid.Nil, 3)) +
				answer(w.Deliveries(ctx, affiliate.DeliveryQuery{}, affiliate.Page{Limit: 5}))
		}},
		{"absent", func(w twin, _ *input) string { return answer(w.Payout(ctx, uuid.UUID{9})) }},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
