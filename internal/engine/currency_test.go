package engine_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// 20 % of EUR 100 at 1.0842 is 21.684: rounded once.
func TestSaleInAnotherCurrency(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("120"), Tax: scene.Sum("20"), Currency: "eur"})
	is := func(earned, revenue, refunded string) {
		t.Helper()
		got := scene.Must(s.Sale(ctx, sale.ID))
		ref := scene.Must(s.Referral(ctx, s.Tomas.ID.String()))
		scene.Equal(t, scene.Sum(earned), got.CommissionEarned)
		scene.Equal(t, scene.Sum(revenue), ref.TotalRevenue)
		scene.Equal(t, scene.Sum(refunded), got.RefundedAmount)
		s.Verifies()
	}
	is("21.68", "130.1", "0")
	charged, _ := sale.Charged.Get()
	scene.Equal(t, affiliate.Charge{
		Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.0842"), TotalEarned: scene.Sum("120"), TaxAmount: scene.Sum("20"), Subtotal: affiliate.Null[affiliate.Amount](),
	}, charged)
	scene.Equal(t, scene.Sum("21.68"), sale.TaxAmount)

	part := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("30")), Currency: "EUR"}
	scene.Must(s.RefundSale(ctx, part))
	is("16.26", "97.57", "32.53") // 75 × 0.2 × 1.0842 = 16.263; 130.1 − 32.53
	for _, c := range []affiliate.Currency{"", "USD"} {
		part.Currency = c
		if _, err := s.RefundSale(ctx, part); !refusedAs(err, affiliate.InvalidField, "currency") {
			t.Errorf("a refund in %q: %v", c, err)
		}
	}
	e := scene.Must(s.ExplainSale(ctx, sale.ID))
	if e.Arithmetic.Exact != "16263/1000" || e.Base.Kept != scene.Sum("90") || e.Base.Currency != "EUR" || e.Base.ExchangeRate != charged.ExchangeRate {
		t.Errorf("explained: %+v %+v", e.Base, e.Arithmetic)
	}
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("220")), Currency: "EUR"}))
	is("37.45", "205.99", "32.53") // 200 × 190/220 × 0.2 × 1.0842 = 37.4542
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	is("0", "0", "238.52")
}

func refusedAs(err error, reason affiliate.Reason, field string) bool {
	refused, ok := errors.AsType[*affiliate.Error](err)
	return ok && refused.Reason == reason && refused.Field == field
}

func TestRateOfSale(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	in := affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100")}
	for _, tt := range []struct {
		name   string
		c      affiliate.Currency
		rate   string
		total  string
		reason affiliate.Reason
		field  string
	}{
		{"no rate", "GBP", "", "100", affiliate.MissingField, "exchangeRate"},
		{"no currency", "XQX", "1", "100", affiliate.InvalidField, "currency"},
		{"a rate of the program's", "USD", "1", "100", affiliate.InvalidField, "exchangeRate"},
		{"a rate without a currency", "", "1", "100", affiliate.InvalidField, "exchangeRate"},
		{"nothing in the program's", "JPY", "0.0001", "1", affiliate.InvalidField, "totalEarned"},
		{"too much in the program's", "KWD", "3000000", "1000000", affiliate.InvalidField, "totalEarned"},
	} {
		in := in
		in.Currency, in.TotalEarned = tt.c, scene.Sum(tt.total)
		if tt.rate != "" {
			in.ExchangeRate = affiliate.MustExchangeRate(tt.rate)
		}
		_, err := s.RecordSale(ctx, in)
		if !refusedAs(err, tt.reason, tt.field) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	in.Currency, in.ExchangeRate = "EUR", affiliate.MustExchangeRate("1.1")
	if sale := s.Sell(in); sale.CommissionEarned != scene.Sum("22") {
		t.Errorf("the given rate: %v", sale.CommissionEarned)
	}
	s.Verifies()
}

// A FLAT coupon takes its amount off orders of its currency. Where there is no order, as with
// a referral, it refuses nothing.
func TestFlatCouponOfAnotherCurrency(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "5", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(scene.Sum("5")), Currency: affiliate.Set(affiliate.Currency("EUR"))}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FIVE", AffiliateID: s.Person.ID}))
	sale := affiliate.SaleParams{PromoCode: "FIVE", TotalEarned: scene.Sum("45"), Subtotal: affiliate.Set(scene.Sum("50")), Currency: "EUR"}
	order := affiliate.Order{PromoCode: "FIVE", Subtotal: sale.Subtotal, Currency: "EUR"}
	if e := scene.Must(s.Evaluate(ctx, order)); !e.Valid || e.Discount != affiliate.Set(scene.Sum("5")) || e.Total != affiliate.Set(scene.Sum("45")) {
		t.Errorf("in euros: %+v", e)
	}
	s.Sell(sale)
	order.Currency, sale.Currency = "", ""
	if e := scene.Must(s.Evaluate(ctx, order)); e.Valid || e.Reasons[0].Reason != affiliate.CouponOtherCurrency || e.Reasons[0].Currency != "EUR" || !e.Discount.IsNull() {
		t.Errorf("in dollars: %+v", e)
	}
	if _, err := s.RecordSale(ctx, sale); !refusedAs(err, affiliate.CouponOtherCurrency, "") {
		t.Errorf("a sale in dollars: %v", err)
	}
	if e := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "FIVE"})); !e.Valid || len(e.Unverified) != 1 || e.Unverified[0] != affiliate.CouponOtherCurrency {
		t.Errorf("without an amount: %+v", e)
	}
	scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{PromoCode: "FIVE", Email: "leo@example.net", Name: "Leo", ReferredUserExternalID: "leo"}))
	s.Verifies()
}

// A preview of an order that is worth nothing in the program's currency answers its discount;
// what its sale would earn is not known, because that is refused.
func TestPreviewWorthNothing(t *testing.T) {
	s := scene.NewShop(t)
	got, err := s.Evaluate(t.Context(), affiliate.Order{
		PromoCode: "ADA20", Subtotal: scene.Amount("1"), Currency: "JPY", ExchangeRate: affiliate.MustExchangeRate("0.0001"), Commission: true,
	})
	if err != nil || !got.Valid || got.Total != scene.Amount("1") || !got.Commission.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
}
