package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// The checks of the administration over HTTP, by the numbers of its list.

const (
	unknownFieldX = "400 unknown_field: Unknown field: x [x]"
	nobody        = "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"
)

// TestBulkLimit: the host may allow less than 1,000 at once.
func TestBulkLimit(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Limits.Bulk = 1 })
	k.no("400 bulk_limit_exceeded: The call is for more objects than the program allows at once", "POST", "/affiliates/tier-exempt",
		`{"affiliateIds":["`+k.ada+`","`+k.bo+`"],"exempt":true}`)
}

// TestProgramSettings: GET /program shows the configuration.
func TestProgramSettings(t *testing.T) {
	k := newTill(t, func(s *setup) {
		s.engine.Destinations[0].Params = map[string][]string{"utm_source": {"partner"}}
		s.engine.Terms = affiliate.Terms{Rate: affiliate.MustPercent("12.5"), MaxPayments: 3, HoldDays: 14}
		s.engine.Schedule = []time.Duration{0, 5 * time.Second}
	})
	equal(t, object{
		"id": k.Config().ID.String(), "name": "Northwind Beans", "currency": "USD", "timeZone": "UTC", "urlModifier": "ref", "cookieDuration": 60.0,
		"destinations": []any{object{"url": "https://beans.example/shop", "params": object{"utm_source": []any{"partner"}}}},
		"terms":        object{"commissionType": "PERCENTAGE", "commissionRate": 12.5, "numberOfPayments": 3.0, "numberOfMonths": nil, "holdDays": 14.0},
		"autoApprove":  true, "commissionOnTax": false, "commissionOnShipping": false, "refundWindowSeconds": nil, "cascadeEvents": false,
		"deliverySchedule": []any{0.0, 5.0},
	}, k.ask("GET", "/program", ""))
	k.no("400 invalid_query: Unknown query parameter: id [id]", "GET", "/program?id=1", "")
	k.no("400 invalid_query: Unknown query parameter: limit [limit]", "GET", "/program?limit=1", "")
}

// Check 12: ten thousand codes in one call, each with its event.
func TestGenerateMany(t *testing.T) {
	k := newTill(t)
	coupon := k.id("POST", "/coupons", `{"name":"Many","percentOff":5}`)
	k.fired()
	body := func(more string) string {
		return `{"couponId":"` + coupon + `","affiliateId":"` + k.ada + `","codeStructure":{"firstName":true,"randomChars":true},"randomCharsLength":7,"count":10000` + more + `}`
	}
	const target = "/promotional-codes/generate"
	before := k.dump()
	equal(t, object{"count": 10_000.0, "keySpace": "8031810176", "codes": []any{}}, k.ask("POST", target, body(`,"checkOnly":true`)))
	equal(t, before, k.dump())
	made := k.ask("POST", target, body(""))
	codes, texts := made["codes"].([]any), map[any]bool{}
	for _, item := range codes {
		code := item.(object)
		texts[code["code"]] = true
		if code["affiliateId"] != k.ada || !strings.HasPrefix(code["code"].(string), "ADA") || len(code) != 3 {
			t.Fatalf("a code: %v", code)
		}
	}
	equal(t, []any{10_000, 10_000, 10_000.0, "8031810176", 10_000}, []any{len(codes), len(texts), made["count"], made["keySpace"], len(k.fired())})
	k.verify()
}
