package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// gives makes a program with the code GIFT, which takes off everything, and the
// code FIRST for first orders.
func gives(t *testing.T, free bool, limit string) *world {
	w := newWorld(t, func(s *setup) { s.engine.FreeOrders = free })
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "all", PercentOff: affiliate.Set(affiliate.MustPercent("100"))})).ID.String()
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"GIFT","affiliateId":"`+ada+`"`+limit+`}`)
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"FIRST","affiliateId":"`+ada+`","firstTimeOrder":true}`)
	return w
}

// events are the types of all events, oldest first.
func (w *world) events() (types []string) {
	for _, e := range must(w.Program.Events(w.t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		types = append(types, string(e.Type))
	}
	slices.Reverse(types)
	return types
}

// TestFreeOrders: money checks 35–37 over the wire.
func TestFreeOrders(t *testing.T) {
	const (
		order    = `{"promoCode":"gift","email":"t@x.example","totalEarned":0,"free":true,"subtotal":30}`
		required = "400 missing_field: Total Amount Earned is required [totalEarned]"
	)
	t.Run("35", func(t *testing.T) {
		gives(t, false, "").refuses(required, "POST", "/api/v1/sales", order)
		w := gives(t, true, "")
		before := len(w.events())
		seen := w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"gift","subtotal":30}`)
		equal(t, []any{true, 30.0, 0.0}, []any{seen["valid"], seen["discount"], seen["total"]})
		for _, body := range []string{order, strings.Replace(order, `"totalEarned":0,`, "", 1)} {
			sale := w.ok("POST", "/api/v1/sales", body)
			equal(t, []any{0.0, 30.0, 0.0, []any{}}, []any{sale["totalEarned"], sale["subtotal"], sale["commissionEarned"], sale["commissions"]})
		}
		equal(t, []string{"referral.created", "sale.created", "sale.created"}, w.events()[before:])
		code := w.ok("GET", "/api/v1/promotional-codes?code=GIFT", "")
		equal(t, []any{2.0, 2.0}, []any{code["timesRedeemed"], code["coupon"].(map[string]any)["timesRedeemed"]})
		w.refuses(required, "POST", "/api/v1/sales", strings.Replace(order, `"promoCode":"gift"`, `"referralId":"ada","name":"T"`, 1))
		w.refuses(required, "POST", "/api/v1/sales", strings.Replace(order, `,"subtotal":30`, "", 1))
		w.refuses("400 invalid_field: free must not be true when an amount was earned [free]", "POST", "/api/v1/sales", strings.Replace(order, `:0,`, `:5,`, 1))
		w.refuses("400 invalid_field: free must be a boolean [free]", "POST", "/api/v1/sales", `{"promoCode":"gift","totalEarned":5,"free":"yes"}`)
		w.verify()
	})
	t.Run("36", func(t *testing.T) {
		w := gives(t, true, `,"maxRedemptions":1`)
		var wg sync.WaitGroup
		answers := make([]string, 2)
		for i := range answers {
			wg.Go(func() { answers[i] = w.do("POST", "/api/v1/sales", order).refusal() })
		}
		wg.Wait()
		slices.Sort(answers)
		equal(t, []string{"200", "400 code_exhausted: Promo code has reached its redemption limit"}, answers)
		w.refuses("400 not_first_order: Promo code is only valid for a first order", "POST", "/api/v1/sales", strings.Replace(order, "gift", "first", 1))
		w.verify()
	})
	t.Run("37", func(t *testing.T) {
		w := gives(t, true, "")
		id := fmt.Sprint(w.ok("POST", "/api/v1/sales", order)["id"])
		w.refuses("400 refund_exceeds_sale: Refund amount exceeds the amount left on the sale [amount]", "PATCH", "/api/v1/sales", `{"saleId":`+id+`,"amount":1}`)
		before := len(w.events())
		equal(t, `{"success":true,"alreadyRefunded":false,"reason":"refunded"}`, w.do("PATCH", "/api/v1/sales", `{"saleId":`+id+`}`).body)
		equal(t, []string{"sale.deleted"}, w.events()[before:])
		sale := w.ok("GET", "/api/v1/sales?id="+id, "")
		equal(t, []any{"REFUNDED", 0.0}, []any{sale["status"], sale["refundedAmount"]})
		w.verify()
	})
}
