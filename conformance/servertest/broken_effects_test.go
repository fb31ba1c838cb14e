package servertest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// brokenEffects returns servers that act wrong.
func brokenEffects() []brokenServer {
	return []brokenServer{
		{"answers a duplicate coupon with the one there is", []string{"B181"}, after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if a.header.Get("Error-Code") == "coupon_external_id_taken" {
				var sent struct{ ExternalID string }
				_ = json.Unmarshal(body, &sent)
				*a = *serve(next, r, http.MethodGet, "/api/v1/coupons?externalId="+url.QueryEscape(sent.ExternalID), nil)
			}
		})},
		{"answers a duplicate sale with the earlier one", []string{"B395"}, after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if a.header.Get("Sale-Outcome") != "duplicate" {
				return
			}
			var sent struct{ ExternalID string }
			_ = json.Unmarshal(body, &sent)
			list := serve(next, r, http.MethodGet, "/api/v1/sales?saleExternalId="+url.QueryEscape(sent.ExternalID), nil)
			a.body = []byte(strings.Trim(string(list.body), "[]"))
		})},
		{"refuses the affiliate of a code as an unknown field", []string{"B254 PUT no affiliate"}, after(func(_ http.Handler, r *http.Request, body []byte, a *reply) {
			var sent struct{ AffiliateID json.RawMessage }
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/promotional-codes") && json.Unmarshal(body, &sent) == nil && sent.AffiliateID != nil {
				a.status, a.body = http.StatusBadRequest, []byte(`{"error":"Unknown field: affiliateId"}`)
				a.header.Set("Error-Code", "unknown_field")
			}
		})},
		{"counts a preview", []string{"B258 a preview counts nothing"}, after(func(next http.Handler, r *http.Request, body []byte, _ *reply) {
			if strings.HasSuffix(r.URL.Path, "/validate") {
				serve(next, r, http.MethodPost, "/api/v1/sales", body)
			}
		})},
		{"answers a delete of nothing with 404", []string{"B354"}, after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/referrals") && strings.Contains(string(body), "not an id") {
				a.status, a.body = http.StatusNotFound, []byte(`{"error":"Referral not found"}`)
				a.header.Set("Error-Code", "referral_not_found")
			}
		})},
		{"shows the secret of an endpoint in GET", []string{"B459"}, secrets()},
		{"fires an event for a change of nothing", []string{"V coupon"}, after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/coupons") && a.status == 200 {
				var sent struct{ CouponID string }
				_ = json.Unmarshal(body, &sent)
				for _, valid := range []string{"false", "true"} {
					serve(next, r, http.MethodPut, r.URL.Path, []byte(`{"couponId":"`+sent.CouponID+`","valid":`+valid+`}`))
				}
			}
		})},
		{"replays a key whatever the body", []string{"B428 other bytes"}, after(func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if a.header.Get("Error-Code") == "idempotency_key_reused" {
				*a = *serve(next, r, http.MethodPost, r.URL.Path, []byte(`{"name":"x","percentOff":10}`))
			}
		})},
		{"replays a key whatever the query", []string{"B429 DELETE by another query"}, after(func(_ http.Handler, r *http.Request, body []byte, a *reply) {
			if r.Method == http.MethodDelete && len(body) == 0 && a.header.Get("Error-Code") == "idempotency_key_reused" {
				a.status, a.body = http.StatusOK, []byte(`{"message":"Coupon deleted successfully"}`)
			}
		})},
		{"carries a repeat out again", []string{"B437 a refund in part"}, after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if a.header.Get("Idempotent-Replayed") == "true" && r.Method != http.MethodPost {
				serve(next, r, r.Method, r.URL.Path, body)
			}
		})},
		{"refuses a key that is malformed on a GET", []string{"B437 on GET"}, after(func(_ http.Handler, r *http.Request, _ []byte, a *reply) {
			if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Idempotency-Key"), " ") {
				a.status, a.body = http.StatusBadRequest, []byte(`{"error":"Idempotency-Key is invalid"}`)
				a.header.Set("Error-Code", "idempotency_key_invalid")
			}
		})},
		{"gives a code back when its sale is deleted", []string{"B375 by code"}, restored()},
		{"counts revenue that was refunded", []string{"B417 statistics"}, gross()},
		{"moves updatedAt when nothing changes", []string{"B202 PUT that changes nothing"}, after(func(_ http.Handler, r *http.Request, _ []byte, a *reply) {
			if r.Method == http.MethodPut {
				a.replace(`"updatedAt":"[^"]*"`, `"updatedAt":"2099-01-01T00:00:00.000Z"`)
			}
		})},
		{"lets a code of a deleted coupon live", []string{"B207 DELETE twice"}, after(func(_ http.Handler, r *http.Request, _ []byte, a *reply) {
			if a.header.Get("Error-Code") == "promotional_code_not_found" {
				a.status, a.body = http.StatusOK, []byte(`null`)
			}
		})},
	}
}

// restored takes one redemption off the count of a code, beginning with the
// first DELETE of a sale.
func restored() middleware {
	var mu sync.Mutex
	deleted := false
	return answered(func(r *http.Request, a *reply) {
		mu.Lock()
		defer mu.Unlock()
		deleted = deleted || r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/sales")
		if deleted && r.URL.Query().Has("id") {
			a.replace(`"timesRedeemed":1`, `"timesRedeemed":0`)
		}
	})
}

// gross always shows the revenue from before the first refund.
func gross() middleware {
	var mu sync.Mutex
	before, refunded := map[string]string{}, false
	revenue := regexp.MustCompile(`"totalRevenue":[0-9.]+`)
	return answered(func(r *http.Request, a *reply) {
		mu.Lock()
		defer mu.Unlock()
		refunded = refunded || r.Method == http.MethodPatch
		if r.Method != http.MethodGet {
			return
		}
		if !refunded {
			before[r.URL.String()] = string(revenue.Find(a.body))
		} else if was := before[r.URL.String()]; was != "" {
			a.replace(revenue.String(), was)
		}
	})
}

// secrets remembers secrets and shows them.
func secrets() middleware {
	var mu sync.Mutex
	known := map[string]string{}
	return answered(func(r *http.Request, a *reply) {
		mu.Lock()
		defer mu.Unlock()
		var endpoint struct{ ID, Secret string }
		if json.Unmarshal(a.body, &endpoint) != nil {
			return
		}
		if endpoint.Secret != "" {
			known[endpoint.ID] = endpoint.Secret
		} else if secret := known[endpoint.ID]; r.Method == http.MethodGet && secret != "" {
			a.replace(`"secretHint"`, `"secret":"`+secret+`","secretHint"`)
		}
	})
}

// edited changes the members of a JSON object.
func edited(body []byte, edit func(m map[string]json.RawMessage)) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil || m == nil {
		return body
	}
	edit(m)
	out, _ := json.Marshal(m) // its values were JSON
	return out
}
