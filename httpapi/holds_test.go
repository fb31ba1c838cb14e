package httpapi_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// TestHolds: a hold is made, priced anew, confirmed by the sale that names it, and released;
// a date without a time is the end of that day. Only a key of the scope full says what a
// currency is worth.
func TestHolds(t *testing.T) {
	w := newWorld(t, withScopes)
	w.fill()
	auth := func(scope string) string { return "Authorization: Bearer " + scope + "-key-of-this-suite" }
	full := auth("full")
	held := w.ok("POST", "/api/v1/holds", `{"id":"c1","code":"ada20","subtotal":50,"until":"2026-03-11"}`, full)
	equal(t, any("2026-03-11T23:59:59.999Z"), held["until"])
	equal(t, any(40.0), held["total"])
	again := w.ok("POST", "/api/v1/holds", `{"id":"c1","promoCode":"ADA20","subtotal":100,"until":"2026-03-11T10:00:00Z"}`, full)
	equal(t, any(80.0), again["total"])
	equal(t, held["createdAt"], again["createdAt"])
	w.refuses("400 invalid_field: until must be after now, and at most 24 hours later [until]", "POST", "/api/v1/holds", `{"id":"c2","promoCode":"ADA20","until":"2026-03-10"}`, full)
	w.refuses("400 missing_field: Hold ID is required [id]", "GET", "/api/v1/holds", "", full)
	equal(t, "null", w.do("GET", "/api/v1/holds?id=none", "", full).body)

	sold := w.ok("POST", "/api/v1/sales", `{"holdId":"c1","email":"kim@example.net","totalEarned":80}`, full)
	equal(t, any(100.0), sold["subtotal"])
	equal(t, any("CONFIRMED"), w.ok("GET", "/api/v1/holds?id=c1", "", auth("read"))["state"])
	w.refuses("400 hold_confirmed: Hold was already confirmed by a sale", "DELETE", "/api/v1/holds", `{"id":"c1"}`, full)

	w.ok("POST", "/api/v1/holds", `{"id":"c3","promoCode":"ADA20","code":"NOPE","until":"2026-03-11T10:00:00Z"}`, auth("integration"))
	equal(t, any("RELEASED"), w.ok("DELETE", "/api/v1/holds", `{"id":"c3"}`, auth("integration"))["state"])
	w.refuses(tooNarrow, "POST", "/api/v1/holds", `{"id":"c4","promoCode":"ADA20","until":"2026-03-11T10:00:00Z","currency":"EUR","exchangeRate":1.5}`, auth("integration"))
	w.refuses(tooNarrow, "DELETE", "/api/v1/holds", `{"id":"c3"}`, auth("read"))
}

// TestHouseCodes: an order by a code without an affiliate that credits nobody is answered null, and the
// header says that the code was redeemed. Its redemption is given back by the id of the order.
func TestHouseCodes(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.engine.HouseCodes = true })
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Launch", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon.ID.String()+`","code":"LAUNCH"}`)
	order := `{"promoCode":"LAUNCH","email":"lee@example.net","totalEarned":90,"subtotal":100,"externalId":"o1"}`
	for _, outcome := range []string{"redeemed", "duplicate"} {
		got := w.do("POST", "/api/v1/sales", order)
		equal(t, [2]string{"null", outcome}, [2]string{got.body, got.header.Get("Sale-Outcome")})
	}
	first := w.do("POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90,"externalId":"o2"}`, idem+"o2")
	w.now = w.now.Add(time.Minute)
	again := w.do("POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90,"externalId":"o2"}`, idem+"o2")
	equal(t, first.header.Get("Sale-Outcome"), again.header.Get("Sale-Outcome"))
	w.refuses("400 missing_field: External ID is required [externalId]", "POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90}`)

	count := func() int64 { return must(w.Coupon(t.Context(), affiliate.CouponRef{ID: coupon.ID})).TimesRedeemed }
	equal(t, int64(2), count())
	w.ok("POST", "/api/v1/sales/restore-redemption", `{"externalId":"o1"}`)
	equal(t, int64(1), count())
}
