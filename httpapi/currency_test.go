package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// TestCurrencyOfAmounts: every request with an amount may name its currency, which is the
// program's. That of a sale and of a preview may be another one that has a rate.
func TestCurrencyOfAmounts(t *testing.T) {
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := w.ok("POST", "/api/v1/coupons", `{"name":"20","percentOff":20}`)["id"].(string)
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+ada+`"}`)
	w.ok("POST", "/api/v1/sales", `{"promoCode":"ADA20","totalEarned":100,"externalId":"o-1"}`)
	for _, rq := range []struct{ method, path, body string }{
		{"POST", "/sales", `{"promoCode":"ADA20","totalEarned":5000,"currency":"?"}`},
		{"PUT", "/sales", `{"saleId":1,"totalEarned":50,"currency":"?"}`},
		{"PATCH", "/sales", `{"saleId":1,"amount":5,"currency":"?"}`},
		{"POST", "/promotional-codes/validate", `{"promoCode":"ADA20","totalEarned":5000,"currency":"?"}`},
		{"POST", "/adjustments", `{"affiliateId":"` + ada + `","kind":"BONUS","amount":500,"reason":"thanks","currency":"?"}`},
		{"POST", "/payouts/preview", `{"minimum":1,"currency":"?"}`},
		{"POST", "/payouts/run", `{"externalId":"r1","minimum":1000,"currency":"?"}`},
		{"POST", "/payouts", `{"affiliateId":"` + ada + `","minimum":1,"currency":"?"}`},
	} {
		t.Run(rq.method+rq.path, func(t *testing.T) {
			priced := strings.Contains(rq.body, "5000")
			for _, other := range []string{"JPY", "eur", "XYZ", "$", "USD "} {
				want := "400 invalid_field: currency must be the currency of the program [currency]"
				switch known := len(other) == 3 && other != "XYZ"; {
				case priced && known:
					want = "400 missing_field: exchangeRate is required: the program has no rate for " + strings.ToUpper(other) + " [exchangeRate]"
				case !known && (priced || rq.path == "/sales"):
					want = "400 invalid_field: Currency must be an ISO 4217 code [currency]"
				}
				w.refuses(want, rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", other, 1))
			}
			w.refuses("400 invalid_field: currency must not be empty [currency]",
				rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", "", 1))
			w.refuses("400 invalid_field: currency must be a string [currency]",
				rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, `"?"`, "840", 1))
			w.ok(rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", "uSd", 1))
		})
	}
	w.verify()
}

// TestMoveNeedsFullScope: whom a sale or a customer credits is the owner's to say.
func TestMoveNeedsFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	bob := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "L", Email: "bob@example.org"}))
	ref := must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: ada.ID.String(), Email: "c@example.org", Name: "C", ReferredUserExternalID: "c"}))
	sale, _ := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ref.ID.String(), TotalEarned: affiliate.MustAmount("10")})).Sale.Get()
	for path, target := range map[string]string{"sales": fmt.Sprintf(`"saleId":%d`, sale.ID), "referrals": `"referralId":"` + ref.ID.String() + `"`} {
		send := func(scope httpapi.Scope, member string) answer {
			return w.send(request("PUT", "/api/v1/"+path, `{`+target+member+`}`, "Authorization: Bearer "+scoped[scope]))
		}
		to := `,"affiliateId":"` + bob.ID.String() + `"`
		equal(t, tooNarrow, send(httpapi.ScopeIntegration, to).refusal())
		equal(t, "200", send(httpapi.ScopeIntegration, `,"name":"D"`).refusal())
		equal(t, true, strings.Contains(send(httpapi.ScopeFull, to).body, `"affiliateId":"`+bob.ID.String()+`"`))
	}
	w.verify()
}

// TestPaidAtNeedsFullScope: a code that has expired works as of paidAt, so a key of
// a shop cannot send it.
func TestPaidAtNeedsFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	aff := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: aff.ID}))
	send := func(scope httpapi.Scope, member string) answer {
		return w.send(request("POST", "/api/v1/sales", `{"promoCode":"ADA20","totalEarned":10`+member+`}`, "Authorization: Bearer "+scoped[scope]))
	}
	at := w.now.Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
	equal(t, tooNarrow, send(httpapi.ScopeIntegration, `,"paidAt":"`+at+`"`).refusal())
	equal(t, "200", send(httpapi.ScopeIntegration, "").refusal())
	equal(t, true, strings.Contains(send(httpapi.ScopeFull, `,"paidAt":"`+at+`"`).body, `"paidAt":"`+at+`"`))
	equal(t, false, strings.Contains(send(httpapi.ScopeFull, "").body, "paidAt"))
	day := w.now.AddDate(0, 0, -1).UTC().Format(time.DateOnly)
	equal(t, true, strings.Contains(send(httpapi.ScopeFull, `,"paidAt":"`+day+`"`).body, `"paidAt":"`+day+`T00:00:00.000Z"`))
}

// TestCommissionNeedsFullScope: what an affiliate earns is not for shops.
func TestCommissionNeedsFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	aff := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: aff.ID}))
	send := func(scope httpapi.Scope, member string) answer {
		return w.send(request("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ADA20","totalEarned":10`+member+`}`, "Authorization: Bearer "+scoped[scope]))
	}
	equal(t, tooNarrow, send(httpapi.ScopeIntegration, `,"commission":true`).refusal())
	equal(t, "200", send(httpapi.ScopeIntegration, `,"commission":false`).refusal())
	equal(t, true, strings.Contains(send(httpapi.ScopeFull, `,"commission":true`).body, `"commission":`))
	equal(t, false, strings.Contains(send(httpapi.ScopeFull, "").body, `"commission":`))
}

// TestRateNeedsFullScope: a key that a browser or an integration has does not say what a
// currency is worth.
func TestRateNeedsFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
	for path, answered := range map[string]string{"sales": `"exchangeRate":1.5`, "promotional-codes/validate": `"total":8`} {
		send := func(scope httpapi.Scope) answer {
			body := `{"promoCode":"ADA20","totalEarned":10,"currency":"EUR","exchangeRate":1.5}`
			return w.send(request("POST", "/api/v1/"+path, body, "Authorization: Bearer "+scoped[scope]))
		}
		equal(t, tooNarrow, send(httpapi.ScopeIntegration).refusal())
		equal(t, true, strings.Contains(send(httpapi.ScopeFull).body, answered))
	}
	w.verify()
}
