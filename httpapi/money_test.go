package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// TestPagesOfAHundred is money check 49: lists of money come in pages, which have 100 records and
// a Link when no limit is sent.
func TestPagesOfAHundred(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	var ada affiliate.AffiliateRef
	for i := range 101 {
		a := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.org", i)}))
		ada.ID = a.ID
		bonus := affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1"), Reason: "r"}
		must(w.RecordAdjustment(ctx, bonus))
		must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
		must(w.RecordAdjustment(ctx, bonus))
		must(w.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: fmt.Sprint("run-", i), AffiliateIDs: []uuid.UUID{uuid.Max}}))
	}
	must(w.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "all"}))
	for range 100 {
		must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1"), Reason: "r"}))
	}
	for target, key := range map[string]string{
		"payouts": `"id"`, "payouts?status=PENDING": `"id"`, "adjustments": `"id"`, "balances": `"affiliateId"`, "movements": `"affiliateId"`,
		"payouts/runs": `"externalId"`, "payouts/lines?externalId=all": `"skipped"`, "movements?cause=ADJUSTMENT": `"affiliateId"`,
		"statements?from=2026-03-01&to=2026-03-31&affiliateId=" + ada.ID.String(): `"number"`,
	} {
		first := w.do("GET", "/api/v1/"+target, "")
		if n := strings.Count(first.body, key); n != 100 || !strings.Contains(first.header.Get("Link"), "limit=100&cursor=") {
			t.Errorf("%s: %d records, Link %q", target, n, first.header.Get("Link"))
		}
		if all := w.pages(target, "100"); !strings.HasPrefix(target, "statements") && all != w.pages(target, "7") {
			t.Errorf("%s: its pages of 7 are others than those of 100", target)
		}
	}
	page := w.ok("POST", "/api/v1/payouts/preview", `{}`)
	if n := len(page["lines"].([]any)); n != 100 || page["next"] == nil {
		t.Errorf("a page of the preview has %d lines, next %v", n, page["next"])
	}
}

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

// TestFieldsOfTheFullScope: what an affiliate earns, whom a sale or a customer credits, when a
// payment was made (a code that has expired works as of paidAt) and what a currency is worth are
// the owner's to say and to know: a key of a shop is refused with the field, and not without it.
func TestFieldsOfTheFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	bob := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "L", Email: "bob@example.org"})).ID.String()
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
	ref := must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: ada.ID.String(), Email: "c@example.org", Name: "C", ReferredUserExternalID: "c"})).ID.String()
	sale, _ := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ref, TotalEarned: affiliate.MustAmount("10")})).Sale.Get()
	at, day := w.now.Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z"), w.now.AddDate(0, 0, -1).UTC().Format(time.DateOnly)
	const order, preview = `"promoCode":"ADA20","totalEarned":10`, "POST promotional-codes/validate"
	for _, c := range []struct{ op, body, field, answered string }{
		{"PUT sales", fmt.Sprintf(`"saleId":%d,"name":"D"`, sale.ID), `"affiliateId":"` + bob + `"`, `"affiliateId":"` + bob + `"`},
		{"PUT referrals", `"referralId":"` + ref + `","name":"D"`, `"affiliateId":"` + bob + `"`, `"affiliateId":"` + bob + `"`},
		{"POST sales", order, `"paidAt":"` + at + `"`, `"paidAt":"` + at + `"`},
		{"POST sales", order, `"paidAt":"` + day + `"`, `"paidAt":"` + day + `T00:00:00.000Z"`},
		{"POST sales", order, `"currency":"EUR","exchangeRate":1.5`, `"exchangeRate":1.5`},
		{preview, order, `"currency":"EUR","exchangeRate":1.5`, `"total":8`},
		{preview, order, `"commission":true`, `"commission":`},
		{"POST holds", `"id":"h","promoCode":"ADA20","subtotal":10,"until":"2026-03-11"`, `"currency":"EUR","exchangeRate":1.5`, `"currency":"EUR"`},
	} {
		send := func(scope httpapi.Scope, more string) answer {
			method, path, _ := strings.Cut(c.op, " ")
			return w.send(request(method, "/api/v1/"+path, `{`+c.body+more+`}`, "Authorization: Bearer "+scoped[scope]))
		}
		without := send(httpapi.ScopeIntegration, "")
		got := []any{send(httpapi.ScopeIntegration, ","+c.field).refusal(), without.refusal(), strings.Contains(send(httpapi.ScopeFull, ","+c.field).body, c.answered)}
		if diff := cmp.Diff([]any{tooNarrow, "200", true}, got); diff != "" {
			t.Errorf("%s with %s (-want +got):\n%s", c.op, c.field, diff)
		}
		if c.op != preview && strings.HasPrefix(c.op, "POST") || c.field == `"commission":true` {
			equal(t, false, strings.Contains(without.body, c.answered))
		}
	}
	equal(t, "200", w.send(request("POST", "/api/v1/promotional-codes/validate", `{`+order+`,"commission":false}`, "Authorization: Bearer "+scoped[httpapi.ScopeIntegration])).refusal())
	w.verify()
}
