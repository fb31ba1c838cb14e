package engine_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestEvaluateCodes: several codes of one order are judged as each by itself is, and the best is a valid one that takes
// most off.
func TestEvaluateCodes(t *testing.T) {
	w := scene.New(t)
	ada := w.Join("ada")
	code := func(text string, c affiliate.CouponParams, k affiliate.CodeParams) {
		t.Helper()
		c.Name, k.Code, k.AffiliateID = text, text, ada.ID
		k.CouponID = scene.Must(w.CreateCoupon(t.Context(), c)).ID
		scene.Must(w.CreateCode(t.Context(), k))
	}
	percent := func(p string) affiliate.CouponParams {
		return affiliate.CouponParams{PercentOff: affiliate.Set(affiliate.MustPercent(p))}
	}
	once := percent("40")
	once.MaxRedemptionsPerCustomer = affiliate.Set(int64(1))
	code("TEN", percent("10"), affiliate.CodeParams{})
	code("FIVE", affiliate.CouponParams{CouponType: affiliate.CouponFlat, AmountOff: maybeSum("5"), Currency: affiliate.Set(affiliate.Currency("USD"))}, affiliate.CodeParams{})
	code("FIRST", percent("50"), affiliate.CodeParams{FirstTimeOrder: true})
	code("FIRSTTOO", percent("30"), affiliate.CodeParams{FirstTimeOrder: true})
	code("ONCE", once, affiliate.CodeParams{})
	code("ALSOTEN", percent("10"), affiliate.CodeParams{})
	codes := []string{"alsoten", "TEN", "five ", "FIRST", "FIRSTTOO", "ONCE", "NONE"}

	best := func(o affiliate.Order) string {
		t.Helper()
		seen := scene.Must(w.EvaluateCodes(t.Context(), affiliate.CodesOrder{Order: o, PromoCodes: codes}))
		for i, o := 0, o; i < len(codes); i++ {
			o.PromoCode = codes[i]
			scene.Equal(t, scene.Must(w.Evaluate(t.Context(), o)), seen.Evaluations[i])
		}
		k, _ := seen.Best.Get()
		return k.Code
	}
	tomas := affiliate.Order{Email: "tomas@example.net", Subtotal: maybeSum("40")}
	scene.Equal(t, "FIRST", best(tomas))
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "TEN", Email: tomas.Email, TotalEarned: affiliate.MustAmount("36")}))
	scene.Equal(t, "ONCE", best(tomas))
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ONCE", Email: tomas.Email, TotalEarned: affiliate.MustAmount("24")}))
	scene.Equal(t, "FIVE", best(tomas))
	tomas.Subtotal = maybeSum("50")
	scene.Equal(t, "ALSOTEN", best(tomas)) // of equals the first
	tomas.Subtotal = maybeSum("")
	scene.Equal(t, "", best(tomas)) // nothing can be compared

	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprint("C", i)
	}
	for want, in := range map[string]affiliate.CodesOrder{
		"Promo codes are required":                {},
		"promoCodes must not be empty":            {PromoCodes: []string{"TEN", " "}},
		"promoCodes must have distinct entries":   {PromoCodes: []string{"TEN", " ten"}},
		"promoCodes must have at most 20 entries": {PromoCodes: many},
		"promoCode must not be sent":              {PromoCodes: codes, Order: affiliate.Order{PromoCode: "TEN"}},
	} {
		_, err := w.EvaluateCodes(t.Context(), in)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEvaluateCodesReadsOnce: what another code of the same customer asks for is not read again.
func TestEvaluateCodesReadsOnce(t *testing.T) {
	w := scene.New(t)
	ada := w.Join("ada")
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxRedemptionsPerCustomer: affiliate.Set(int64(9)),
	}))
	var codes []string
	for i := range 20 {
		codes = append(codes, fmt.Sprint("CODE", i))
		scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: codes[i], AffiliateID: ada.ID, FirstTimeOrder: i > 0}))
	}
	for range 8 {
		scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: codes[0], Email: "tomas@example.net", TotalEarned: affiliate.MustAmount("10")}))
	}
	read := func(n int) int64 {
		looked, _ := look(w.Probe, func() {
			scene.Must(w.EvaluateCodes(t.Context(), affiliate.CodesOrder{PromoCodes: codes[:n], Order: affiliate.Order{Email: "tomas@example.net"}}))
		})
		return looked
	}
	scene.Equal(t, 18*4, read(20)-read(2)) // the code, its coupon, and its affiliate to name and to judge
}
