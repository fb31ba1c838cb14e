package httpapi_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestBasket: checks 32–34 of docs/money.md over the wire.
func TestBasket(t *testing.T) {
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})).ID.String()
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+ada+`","minimumAmount":50}`)
	preview := func(member string) []any {
		seen := w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ada20"`+member+`}`)
		return []any{seen["valid"], seen["discount"], seen["total"]}
	}
	const sales = "/api/v1/sales"
	t.Run("32", func(t *testing.T) {
		equal(t, []any{true, 11.0, 44.0}, preview(`,"subtotal":55`))
		sale := w.ok("POST", sales, `{"promoCode":"ada20","totalEarned":44,"subtotal":55}`)
		equal(t, []any{44.0, 55.0, 8.8}, []any{sale["totalEarned"], sale["subtotal"], sale["commissionEarned"]})
		w.refuses("400 below_minimum: Order does not reach the minimum amount for this promo code", "POST", sales, `{"promoCode":"ada20","totalEarned":44}`)
	})
	t.Run("33", func(t *testing.T) {
		equal(t, []any{true, 11.0, 44.0}, preview(`,"totalEarned":55`))
		equal(t, []any{false, 10.0, 39.99}, preview(`,"subtotal":49.99`))
		low := w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ada20","subtotal":49.99}`)["reasons"].([]any)
		equal[any](t, "below_minimum", low[0].(map[string]any)["reason"])
		equal(t, 1, len(low))
		equal(t, []any{true, nil, nil}, preview(``))
	})
	t.Run("34", func(t *testing.T) {
		w.refuses("400 invalid_field: Subtotal must not be less than the total amount earned without tax and shipping [subtotal]",
			"POST", sales, `{"promoCode":"ada20","totalEarned":60,"subtotal":50}`)
		equal[any](t, 50.0, w.ok("POST", sales, `{"promoCode":"ada20","totalEarned":60,"subtotal":50,"tax":10}`)["subtotal"])
		w.refuses("400 invalid_field: Subtotal must be greater than zero [subtotal]", "POST", sales, `{"promoCode":"ada20","totalEarned":60,"subtotal":0}`)
	})
	w.verify()
}
