package tributary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// newShop returns the program of the examples: one affiliate, one coupon of 20
// %, one code.
func newShop() (*tributary.Program, affiliate.Affiliate, affiliate.Coupon) {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("10")},
		Now:          func() time.Time { return time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) },
		Rand:         rand.NewChaCha8([32]byte{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	mara, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: "mara@example.org", AffiliateLink: "mara",
	})
	if err != nil {
		log.Fatal(err)
	}
	coupon, err := program.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "Autumn 20", PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxRedemptions: affiliate.Set(int64(2)),
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = program.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", AffiliateID: mara.ID})
	if err != nil {
		log.Fatal(err)
	}
	return program, mara, coupon
}

func Example() {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name:         "Acme partners",
		Destinations: []affiliate.Destination{{URL: "https://acme.example/pricing"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Review:       []affiliate.ReviewRule{affiliate.SelfReferral()},
	})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	res, err := program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "ada", Email: "tomas@example.net", Name: "Tomas Berg",
		TotalEarned: affiliate.MustAmount("49.90"), ExternalID: "order-1042",
	})
	if sale, ok := res.Sale.Get(); err == nil && ok { // when ok is false, res.Outcome says why
		fmt.Println(sale.Affiliate.Name, "earns", sale.CommissionEarned, sale.AffiliateID == ada.ID)
	}
	// Output: Ada Lovelace earns 9.98 true
}

func ExampleProgram_RecordSale() {
	program, _, _ := newShop()
	res, err := program.RecordSale(context.Background(), affiliate.SaleParams{
		PromoCode: " mara20 ", // as a customer types it
		Email:     "tomas@example.net", Name: "Tomas Berg",
		TotalEarned: affiliate.MustAmount("129.50"),
		Tax:         affiliate.MustAmount("9.50"),
		ExternalID:  "order-5581",
	})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ := res.Sale.Get()
	fmt.Println(res.Outcome, "sale", sale.ID)
	fmt.Println("commission", sale.CommissionEarned, "of", sale.TotalEarned, "less tax")

	again, _ := program.RecordSale(context.Background(), affiliate.SaleParams{
		PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("129.50"), ExternalID: "order-5581",
	})
	fmt.Println(again.Outcome)
	// Output:
	// recorded sale 1
	// commission 12 of 129.5 less tax
	// duplicate
}

// A customer pays in euros, in a program whose books are in dollars. Config.Rate is asked once
// for each sale, which keeps the answer: a refund counts at the rate of its sale.
func ExampleProgram_RecordSale_euros() {
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name: "Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Rate: func(_ context.Context, of affiliate.Currency, _ time.Time) (affiliate.ExchangeRate, error) {
			if of == "EUR" {
				return affiliate.MustExchangeRate("1.0842"), nil // of your bank, provider or books
			}
			return affiliate.ExchangeRate{}, nil // none: the sale is refused
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "Lindqvist", Email: "mara@example.org", AffiliateLink: "mara"}); err != nil {
		log.Fatal(err)
	}
	res, err := program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "mara", Email: "tomas@example.net", Name: "Tomas Berg", TotalEarned: affiliate.MustAmount("100"), Currency: "EUR",
	})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ := res.Sale.Get()
	charged, _ := sale.Charged.Get()
	fmt.Println(charged.TotalEarned, charged.Currency, "are", sale.TotalEarned, "USD and earn", sale.CommissionEarned)

	_, err = program.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("50")), Currency: "EUR"})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ = program.Sale(ctx, sale.ID)
	fmt.Println("after half of it,", sale.CommissionEarned)
	// Output:
	// 100 EUR are 108.42 USD and earn 21.68
	// after half of it, 10.84
}

// A sign-up for which the terms pay 5, and a payment of which they pay 10 %.
func ExampleProgram_RecordConversion() {
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name: "Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: []affiliate.Rule{{
			Name: "sign-up", When: affiliate.RuleWhen{Conversions: []string{"signup"}},
			Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")},
		}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "Lindqvist", Email: "mara@example.org", AffiliateLink: "mara"}); err != nil {
		log.Fatal(err)
	}
	signup := affiliate.ConversionParams{Conversion: "signup", ReferralID: "mara", Email: "tomas@example.net", Name: "Tomas Berg"}
	for range 2 {
		res, err := program.RecordConversion(ctx, signup)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Outcome, res.Sale.Or(affiliate.Sale{}).CommissionEarned)
	}
	res, err := program.RecordSale(ctx, affiliate.SaleParams{Email: "tomas@example.net", TotalEarned: affiliate.MustAmount("40")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome, res.Sale.Or(affiliate.Sale{}).CommissionEarned)
	// Output:
	// recorded 5
	// duplicate 0
	// recorded 4
}

func ExampleProgram_Evaluate() {
	program, _, _ := newShop()
	ctx, basket := context.Background(), affiliate.MustAmount("19.99")
	for _, code := range []string{"mara20", "SUMMER"} {
		e, err := program.Evaluate(ctx, affiliate.Order{PromoCode: code, Subtotal: affiliate.Set(basket)})
		if err != nil {
			log.Fatal(err)
		}
		if !e.Valid {
			fmt.Println(code, "is refused:", e.Reasons[0].Reason, "and the basket stays at", basket)
			continue
		}
		charge := e.Total.Or(basket) // without tax and shipping
		res, err := program.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: code, TotalEarned: charge, Subtotal: affiliate.Set(basket), ExternalID: "order-5582",
		})
		fmt.Println(code, "takes off", e.Discount, "of", basket, "and the sale of", charge, "is", res.Outcome, err)
	}
	// Output:
	// mara20 takes off 4 of 19.99 and the sale of 15.99 is recorded <nil>
	// SUMMER is refused: code_not_found and the basket stays at 19.99
}

// Of several codes that a customer has, the one that takes most off.
func ExampleProgram_EvaluateCodes() {
	program, mara, _ := newShop()
	ctx := context.Background()
	five, err := program.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "5 off", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(affiliate.MustAmount("5")), Currency: affiliate.Set(affiliate.Currency("USD")),
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := program.CreateCode(ctx, affiliate.CodeParams{CouponID: five.ID, Code: "FIVE", AffiliateID: mara.ID}); err != nil {
		log.Fatal(err)
	}
	for _, basket := range []string{"19.99", "40"} {
		seen, err := program.EvaluateCodes(ctx, affiliate.CodesOrder{
			PromoCodes: []string{"mara20", "five"}, Order: affiliate.Order{Subtotal: affiliate.Set(affiliate.MustAmount(basket))},
		})
		if err != nil {
			log.Fatal(err)
		}
		best, _ := seen.Best.Get()
		fmt.Println(best.Code, "of", seen.Evaluations[0].Discount, "and", seen.Evaluations[1].Discount)
	}
	// Output:
	// FIVE of 4 and 5
	// MARA20 of 8 and 5
}

// Who comes by the affiliate's link gets a coupon without typing a code.
func ExampleProgram_UpdateAffiliate_offer() {
	program, mara, coupon := newShop()
	ctx, basket := context.Background(), affiliate.MustAmount("19.99")
	give := affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(coupon.ID)}
	if _, err := program.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}, give); err != nil {
		log.Fatal(err)
	}
	seen, err := program.Evaluate(ctx, affiliate.Order{ReferralID: "mara", Subtotal: affiliate.Set(basket), Offer: true})
	if err != nil {
		log.Fatal(err)
	}
	who, _ := seen.Affiliate.Get()
	fmt.Println(who.FirstName, "gives you", seen.Discount, "off", basket)
	res, err := program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "mara", Offer: true, Email: "tomas@example.net", Name: "Tomas Berg",
		TotalEarned: seen.Total.Or(basket), Subtotal: affiliate.Set(basket), ExternalID: "order-5583",
	})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ := res.Sale.Get()
	fmt.Println(res.Outcome, sale.Offer, sale.PromotionalCodeID)
	// Output:
	// Mara gives you 4 off 19.99
	// recorded true null
}

// The payment page holds the place and the price of a code; the webhook of the payment names the
// hold.
func ExampleProgram_HoldRedemption() {
	ctx := context.Background()
	program, _, _ := newShop()
	hold := affiliate.HoldParams{
		ID: "checkout-1", Until: program.Config().Now().Add(30 * time.Minute),
		Order: affiliate.Order{PromoCode: "mara20", Email: "tomas@example.net", Subtotal: affiliate.Set(affiliate.MustAmount("50"))},
	}
	held, err := program.HoldRedemption(ctx, hold)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(held.State, "total", held.Total)

	res, err := program.RecordSale(ctx, affiliate.SaleParams{HoldID: "checkout-1", TotalEarned: affiliate.MustAmount("40"), ExternalID: "payment-1"})
	fmt.Println(res.Outcome, err)
	held, err = program.Hold(ctx, "checkout-1")
	fmt.Println(held.State, err)

	hold.ID = "checkout-2"
	if _, err := program.HoldRedemption(ctx, hold); err != nil {
		log.Fatal(err)
	}
	held, err = program.ReleaseHold(ctx, "checkout-2") // the customer went away
	fmt.Println(held.State, err)
	// Output:
	// HELD total 40
	// recorded <nil>
	// CONFIRMED <nil>
	// RELEASED <nil>
}

func Example_refusal() {
	program, mara, coupon := newShop()
	ctx := context.Background()
	_, err := program.CreateLink(ctx, affiliate.LinkParams{Link: "MARA", AffiliateID: mara.ID})
	fmt.Println(errors.Is(err, affiliate.SlugTaken), err)

	_, err = program.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID})
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		fmt.Println(refusal.Reason, refusal.Field, refusal.Message)
	}
	// Output:
	// true This link already exists for this affiliate program
	// missing_field code Code is required
}

func Example_codeRefused() {
	program, _, _ := newShop()
	ctx := context.Background()
	order := affiliate.SaleParams{
		PromoCode: "MARA20", Email: "tomas@example.net", Name: "Tomas Berg",
		TotalEarned: affiliate.MustAmount("60"), ExternalID: "order-1",
	}
	if _, err := program.RecordSale(ctx, order); err != nil {
		log.Fatal(err)
	}
	order.PromoCode, order.ExternalID = "SUMMER", "order-2" // the customer comes back with an unknown code

	res, err := program.RecordSale(ctx, order)
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
		fmt.Println(refused.Message) // show it to the customer; refused.Failures has every reason
		order.PromoCode = ""         // without the code, the affiliate who referred the customer is credited
		res, err = program.RecordSale(ctx, order)
	}
	if err != nil {
		log.Fatal(err) // the store failed: keep the order and report it again
	}
	sale, _ := res.Sale.Get()
	fmt.Println(res.Outcome, "for", sale.Affiliate.Name)
	// Output:
	// Promo code not found
	// recorded for Mara Lindqvist
}

func ExampleProgram_Evaluate_everyReason() {
	program, _, coupon := newShop()
	ctx := context.Background()
	for range 2 {
		if _, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("10")}); err != nil {
			log.Fatal(err)
		}
	}
	_, err := program.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
	if err != nil {
		log.Fatal(err)
	}
	e, err := program.Evaluate(ctx, affiliate.Order{PromoCode: "MARA20"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range e.Reasons {
		fmt.Println(r.Reason, r.Used.Or(0))
	}
	// Output:
	// coupon_invalid 0
	// coupon_exhausted 2
}

func ExampleProgram_RefundSale() {
	program, _, _ := newShop()
	ctx := context.Background()
	res, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("100")})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ := res.Sale.Get()
	part, err := program.RefundSale(ctx, affiliate.Refund{
		SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("25")), RefundID: "refund-1",
	})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ = program.Sale(ctx, sale.ID)
	fmt.Println(part.Reason, sale.CommissionEarned)

	whole, _ := program.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})
	sale, _ = program.Sale(ctx, sale.ID)
	fmt.Println(whole.Reason, sale.CommissionEarned, sale.Status)
	// Output:
	// partially_refunded 7.5
	// refunded 0 REFUNDED
}

// A payout that holds the commission is not changed by a refund: the next one is smaller.
func ExampleProgram_RefundSale_clawBack() {
	program, mara, _ := newShop()
	ctx := context.Background()
	res, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("100")})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := program.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: mara.ID}); err != nil {
		log.Fatal(err)
	}
	sale, _ := res.Sale.Get()
	back := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("25")), RefundID: "refund-1"}
	_, err = program.RefundSale(ctx, back)
	fmt.Println(errors.Is(err, affiliate.IncludedInPayout), err)

	back.ClawBack = true
	if _, err := program.RefundSale(ctx, back); err != nil {
		log.Fatal(err)
	}
	balance, err := program.Balance(ctx, affiliate.AffiliateRef{ID: mara.ID})
	fmt.Println("in the payout", balance.InPayout, "payable", balance.Payable, err)
	// Output:
	// true Sale is included in a payout
	// in the payout 10 payable -2.5 <nil>
}

func ExampleProgram_TrackClick() {
	program, _, _ := newShop()
	ctx := context.Background()
	click, err := program.TrackClick(ctx, affiliate.ClickParams{Slug: "Mara", LandingURL: "https://beans.example/shop?ref=mara"})
	if err != nil {
		log.Fatal(err)
	}
	referral, err := program.CreateReferral(ctx, affiliate.ReferralParams{
		AffiliateID: fmt.Sprint(click.ID), Name: "Tomas Berg", Email: "tomas@example.net", ReferredUserExternalID: "cust-1042",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(referral.ReferralMedium, referral.InitialLandingPage.Or(""))
	// Output: LINK https://beans.example/shop?ref=mara
}

func ExampleProgram_CreatePayout() {
	program, mara, _ := newShop()
	ctx := context.Background()
	_, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("100")})
	if err != nil {
		log.Fatal(err)
	}
	payout, err := program.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: mara.ID})
	if err != nil {
		log.Fatal(err)
	}
	payout, err = program.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(payout.Status, payout.Amount)
	fmt.Println(program.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}))
	// Output:
	// PAID 10
	// Affiliate has commissions that are part of a payout
}

func ExampleProgram_Events() {
	program, _, _ := newShop()
	all := affiliate.All(context.Background(), program.Events, affiliate.EventQuery{})
	for e, err := range all { // newest first
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Type, e.Revision)
	}
	// Output:
	// promocode.created 1
	// coupon.created 1
	// affiliate.created 1
}

func ExampleProgram_Verify() {
	program, _, _ := newShop()
	fmt.Println(program.Verify(context.Background()))
	// Output: <nil>
}

func Example_once() {
	program, _, _ := newShop()
	report := affiliate.SaleParams{
		Once:      affiliate.Once{Key: "checkout-77"}, // the caller may repeat the call with this key
		PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("10"),
	}
	for range 3 {
		res, err := program.RecordSale(context.Background(), report)
		sale, _ := res.Sale.Get()
		fmt.Println(res.Outcome, sale.ID, err)
	}
	// Output:
	// recorded 1 <nil>
	// recorded 1 <nil>
	// recorded 1 <nil>
}

func ExampleProgram_UpdateCoupon() {
	program, _, coupon := newShop()
	ctx := context.Background()
	changed, err := program.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{
		MaxRedemptions: affiliate.Null[int64](), // clears the limit; fields that are not given stay
	})
	if err != nil {
		log.Fatal(err)
	}
	_, limited := changed.MaxRedemptions.Get()
	stored, err := program.Coupon(ctx, affiliate.CouponRef{ID: coupon.ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.Name, limited)
	// Output: Autumn 20 false
}

// Rules of the terms decide about the lines of a sale, also of sales that were recorded
// before there were any.
func ExampleProgram_Simulate() {
	program, _, _ := newShop()
	ctx := context.Background()
	_, err := program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "mara", Email: "tomas@example.net", Name: "Tomas Berg", TotalEarned: affiliate.MustAmount("100"),
		Lines: []affiliate.Line{
			{ProductID: "BEANS", Amount: affiliate.MustAmount("40")},
			{ProductID: "GIFT", Amount: affiliate.MustAmount("60")},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	terms := affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: []affiliate.Rule{
		{Name: "gift cards", When: affiliate.RuleWhen{Products: []string{"GIFT"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
	}}
	for d, err := range program.Simulate(ctx, affiliate.SimulateQuery{Terms: terms}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("it was", d.Was, "and would be", d.Would)
	}
	// Output: it was 10 and would be 4
}

// The program's own terms change at the beginning of a day, and everybody sees it before.
func ExampleProgram_SetTerms() {
	program, _, _ := newShop()
	versions, err := program.SetTerms(context.Background(), affiliate.TermsUpdate{
		Rate: affiliate.Set(affiliate.MustPercent("15")), From: affiliate.Set(affiliate.Day(2099, time.January, 1)),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range versions {
		fmt.Println(v.CommissionRate, "from", v.From, "in force:", v.InForce)
	}
	// Output:
	// 10 from null in force: true
	// 15 from 2099-01-01T00:00:00.000Z in force: false
}

// What a provider reports counts once, whatever it is reported as and how often.
func ExamplePayments_ReportPayment() {
	program, _, _ := newShop()
	ctx := context.Background()
	_, err := program.RecordSale(ctx, affiliate.SaleParams{ // Tomas came by Mara's code
		PromoCode: "MARA20", Email: "tomas@example.com", Name: "Tomas", TotalEarned: affiliate.MustAmount("20"),
	})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) // as the provider sent it
	for range 2 {
		if err := report(ctx, program, at, affiliate.MustAmount("58"), affiliate.MustAmount("8")); err != nil {
			log.Fatal(err)
		}
	}
	sale, err := program.Sale(ctx, 2)
	fmt.Println(sale.Affiliate.Name, sale.CommissionEarned, err)
	// Output:
	// recorded
	// duplicate
	// Mara Lindqvist 5 <nil>
}

// report tells what the provider's event of a payment says.
func report(ctx context.Context, program *tributary.Program, at time.Time, total, tax affiliate.Amount) error {
	res, err := program.Payments().ReportPayment(ctx, affiliate.PaymentFact{
		Provider: "stripe",
		Keys:     []string{"pi_1", "in_1"}, // one payment
		Payer:    affiliate.PayerFact{ID: "cus_T", Email: "tomas@example.com", Name: "Tomas"},
		At:       at,
		Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: total, Tax: tax, ExternalID: "pi_1"},
			Gross:      total,
			Tries:      []affiliate.Credit{{CodeExternalID: "promo_1"}, {ReferralID: "17"}},
		}),
	})
	if err != nil {
		return err // report it again: the same fact changes nothing
	}
	fmt.Println(res.Outcome)
	return nil
}

// Payments of some providers have no email: the customer's own event brings it, before or
// after.
func ExamplePayments_ReportPayer() {
	program, _, _ := newShop()
	ctx := context.Background()
	total := affiliate.MustAmount("58")
	res, err := program.Payments().ReportPayment(ctx, affiliate.PaymentFact{
		Provider: "paddle",
		Keys:     []string{"txn_1"},
		Payer:    affiliate.PayerFact{ID: "ctm_T"}, // whose email is not known yet
		At:       time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC),
		Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: total, ExternalID: "txn_1"}, Gross: total,
			Tries: []affiliate.Credit{{ReferralID: "mara"}},
		}),
	})
	fmt.Println(res.Outcome, err)
	if err := program.Payments().ReportPayer(ctx, "paddle", affiliate.PayerFact{ID: "ctm_T", Email: "tomas@example.com", Name: "Tomas"}); err != nil {
		log.Fatal(err)
	}
	payer, err := program.Payments().Payer(ctx, "paddle", affiliate.PayerFact{ID: "ctm_T"})
	fmt.Println(payer.Referral.Or(affiliate.Referral{}).Email, err)
	// Output:
	// recorded <nil>
	// tomas@example.com <nil>
}

func ExampleProgram_Run() {
	program, _, _ := newShop()
	done, err := retain(context.Background(), program)
	fmt.Println(done.Removed.Events, err)
	// Output: 0 <nil>
}

// retain drops what is needed for a while only. A host calls it once a day.
func retain(ctx context.Context, program *tributary.Program) (affiliate.Progress, error) {
	return program.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{
		Events:     30 * 24 * time.Hour,
		Deliveries: 30 * 24 * time.Hour,
		Receipts:   48 * time.Hour,
		Clicks:     90 * 24 * time.Hour,
		Holds:      30 * 24 * time.Hour,
	}})
}

// keepPosition keeps in the store how far a host has read the events.
func keepPosition(ctx context.Context, program *tributary.Program, event affiliate.Event) error {
	return program.Values("mailer").Change(ctx, "position",
		func(json.RawMessage) (json.RawMessage, error) { return json.Marshal(event.ID) })
}

func ExampleProgram_Values() {
	ctx := context.Background()
	program, _, _ := newShop()
	events, err := program.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	event := events.Items[0]
	if err := keepPosition(ctx, program, event); err != nil {
		log.Fatal(err)
	}
	kept, err := program.Values("mailer").Get(ctx, "position")
	fmt.Println(kept.Name, string(kept.Value) == `"`+event.ID.String()+`"`, err)
	// Output: position true <nil>
}
