package httpapi_test

import (
	"strings"
	"testing"
)

// TestMisspeltParameters: what is nearly the name of a parameter that is not sent is refused, and does not list
// everything; what resembles none, or one that is sent, is ignored. A DELETE names what it needs.
func TestMisspeltParameters(t *testing.T) {
	w := newWorld(t)
	w.fill()
	for _, target := range []string{
		"coupons?couponid=x", "coupons?external_id=x", "sales?affiliateid=x", "sales?saleExternalID=x", "referrals?external-id=x",
		"links?affiliateEmial=x", "promotional-codes?couponID=x", "sales?Limit=5", "affiliates?curser=x", "affiliates?emali=x&limit=1",
	} {
		_, query, _ := strings.Cut(target, "?")
		name, _, _ := strings.Cut(query, "=")
		want := "400 invalid_query: Unknown query parameter: " + name + " [" + name + "]"
		if got := w.do("GET", "/api/v1/"+target, "").refusal(); got != want {
			t.Errorf("GET /%s: %s", target, got)
		}
	}
	for _, target := range []string{"coupons?couponIds=x", "sales?ref=x&utm_source=y", "affiliates?Id=x", "referrals?externalId=cust-1&externalid=x", "sales?page=2"} {
		w.ok("GET", "/api/v1/"+target, "")
	}
	for path, want := range map[string]string{
		`coupons {"couponid":"x"}`:    "400 missing_field: Coupon ID is required [couponId]",
		`referrals {"referalId":"x"}`: "400 missing_field: Referral ID is required [referralId]",
		`holds {"ID":"x"}`:            "400 missing_field: Hold ID is required [id]",
	} {
		path, body, _ := strings.Cut(path, " ")
		w.refuses(want, "DELETE", "/api/v1/"+path, body)
	}
}
