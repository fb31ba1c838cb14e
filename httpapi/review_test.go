package httpapi_test

import (
	"log/slog"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// reviewed makes a program with review rules, its affiliate and the code ADA20.
func reviewed(t *testing.T, email string, rules ...affiliate.ReviewRule) *world {
	w := newWorld(t, func(s *setup) { s.engine.Review, s.engine.Logger = rules, slog.New(slog.DiscardHandler) })
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"`+email+`","affiliateLink":"ada"}`)
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon.ID.String()+`","code":"ADA20","affiliateId":"`+ada["id"].(string)+`"}`)
	return w
}

// buys records a sale to a customer and returns what the review left on its
// commission.
func (w *world) buys(email, total string) []any {
	sale := w.ok("POST", "/api/v1/sales", `{"referralId":"ada","email":"`+email+`","name":"T","totalEarned":`+total+`}`)
	entry := sale["commissions"].([]any)[0].(map[string]any)
	return []any{sale["email"], entry["approvalStatus"], entry["holdReason"], entry["riskReasons"]}
}

// TestReview: checks 41, 42 and 44 of docs/money.md over the wire.
func TestReview(t *testing.T) {
	list := func(reasons ...any) []any { return append([]any{}, reasons...) }
	big := affiliate.ReviewRule{Reason: "big_order", Holds: func(e affiliate.Evidence) bool { return e.Total.Cmp(affiliate.MustAmount("1000")) >= 0 }}
	self := affiliate.SelfReferral()
	const preview = `{"promoCode":"ada20","email":"ada+shop@example.org"}`

	t.Run("41 Held", func(t *testing.T) {
		w := reviewed(t, "ada@example.org", self)
		equal(t, list("ada+shop@example.org", "ON_HOLD", "FRAUD_PREVENTION", list("self_referral")), w.buys("ada+shop@example.org", "100"))
		balance := w.ok("GET", "/api/v1/balances?affiliateEmail=ada@example.org", "")
		equal(t, list(20.0, 0.0, 20.0), list(balance["held"], balance["payable"], balance["earned"]))
		seen := w.ok("POST", "/api/v1/promotional-codes/validate", preview)
		equal(t, list(true, list("self_referral")), list(seen["valid"], seen["risks"]))
		w.verify()
	})
	t.Run("41 Nil", func(t *testing.T) {
		w := reviewed(t, "ada@example.org")
		equal(t, list("ada+shop@example.org", "ACCEPTED", nil, list()), w.buys("ada+shop@example.org", "100"))
		seen := w.ok("POST", "/api/v1/promotional-codes/validate", preview)
		equal(t, list(true, list()), list(seen["valid"], seen["risks"]))
	})
	t.Run("42 Gmail", func(t *testing.T) {
		w := reviewed(t, "a.da@gmail.com", self)
		equal(t, list("ada@googlemail.com", "ON_HOLD", "FRAUD_PREVENTION", list("self_referral")), w.buys("ada@googlemail.com", "100"))
		equal(t, "a.da@gmail.com", w.ok("GET", "/api/v1/affiliates?email=a.da@gmail.com", "")["email"].(string))
	})
	t.Run("42 Dots", func(t *testing.T) {
		w := reviewed(t, "a.da@example.com", self)
		equal(t, list("ada@example.com", "ACCEPTED", nil, list()), w.buys("ada@example.com", "100"))
	})
	t.Run("44 Rules", func(t *testing.T) {
		w := reviewed(t, "ada@example.org", big, self)
		equal(t, list("ada+x@example.org", "ON_HOLD", "FRAUD_PREVENTION", list("big_order", "self_referral")), w.buys("ada+x@example.org", "1000"))
		equal(t, list("ada+x@example.org", "ON_HOLD", "FRAUD_PREVENTION", list("self_referral")), w.buys("ada+x@example.org", "999.99"))
	})
	t.Run("44 Panic", func(t *testing.T) {
		w := reviewed(t, "ada@example.org", affiliate.ReviewRule{Reason: "boom", Holds: func(affiliate.Evidence) bool { panic("boom") }})
		before := must(w.Events(t.Context(), affiliate.EventFilter{}, affiliate.Page{})).Items
		w.refuses("500 internal_error: Internal server error", "POST", "/api/v1/sales", `{"promoCode":"ADA20","email":"t@x.example","totalEarned":10}`)
		w.refuses("500 internal_error: Internal server error", "POST", "/api/v1/promotional-codes/validate", preview)
		equal(t, before, must(w.Events(t.Context(), affiliate.EventFilter{}, affiliate.Page{})).Items)
		equal(t, "[]", w.do("GET", "/api/v1/sales", "").body)
		equal(t, "[]", w.do("GET", "/api/v1/referrals", "").body)
	})
}
