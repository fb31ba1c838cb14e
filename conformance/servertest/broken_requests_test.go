package servertest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// unkeyedServers read Idempotency-Key only on a POST. There is one server for
// each case that must detect it.
func unkeyedServers() []brokenServer {
	var servers []brokenServer
	for _, caught := range []string{
		"B427 PUT /affiliates", "B427 PUT /coupons", "B427 DELETE /coupons", "B427 PATCH /sales", "B427 PUT /webhooks", "B432 a refused DELETE",
		"B437 a code that was switched off again", "B437 a successor of the affiliate", "B437 a successor of the customer",
		"B437 a link with the slug", "B437 a refund in part", "B429 DELETE by another query",
	} {
		servers = append(servers, brokenServer{"reads Idempotency-Key of a POST only: " + caught, []string{caught}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method != http.MethodPost {
				r.Header.Del("Idempotency-Key")
			}
			return body
		})})
	}
	return servers
}

// brokenRequests are servers that misread a request.
func brokenRequests() []brokenServer {
	return []brokenServer{
		{"ignores unknown fields on PUT", []string{"B200 PUT percentof"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodPut {
				return edited(body, func(m map[string]json.RawMessage) { delete(m, "percentof") })
			}
			return body
		})},
		{"lets the last of two equal keys win", []string{"B068"}, asked(func(_ *http.Request, body []byte) []byte {
			return edited(body, func(map[string]json.RawMessage) {})
		})},
		{"matches keys without their letter case", []string{"B071"}, asked(func(_ *http.Request, body []byte) []byte {
			return edited(body, func(m map[string]json.RawMessage) {
				if v, there := m["NAME"]; there {
					m["name"] = v
				}
			})
		})},
		{"ignores what follows the object", []string{"B061 POST /coupons"}, asked(func(_ *http.Request, body []byte) []byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(body)).Decode(&first) == nil {
				return first
			}
			return body
		})},
		{"replaces invalid UTF-8", []string{"B079 POST /coupons"}, asked(func(_ *http.Request, body []byte) []byte {
			return bytes.ToValidUTF8(body, []byte("\ufffd"))
		})},
		{"takes null for absent on PUT", []string{"B197", "B195"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method != http.MethodPut {
				return body
			}
			return edited(body, func(m map[string]json.RawMessage) {
				maps.DeleteFunc(m, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
			})
		})},
		{"takes an empty object for an empty body", []string{"B205"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodDelete && string(body) == "{}" {
				return nil
			}
			return body
		})},
		{"ignores the content type", []string{"B085 POST /coupons"}, asked(func(r *http.Request, body []byte) []byte {
			if len(body) > 0 {
				r.Header.Set("Content-Type", "application/json")
			}
			return body
		})},
		{"reads Idempotency-Key not at all", []string{"B427 POST /coupons"}, asked(func(r *http.Request, body []byte) []byte {
			r.Header.Del("Idempotency-Key")
			return body
		})},
		{"keeps the affiliate of a code for ever", []string{"B254 PUT another"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/promotional-codes") {
				return edited(body, func(m map[string]json.RawMessage) { delete(m, "affiliateId"); delete(m, "affiliateEmail") })
			}
			return body
		})},
		{"takes a sale of any size", []string{"B387 totalEarned 100000000000.0001"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodPost {
				return edited(body, func(m map[string]json.RawMessage) {
					if strings.HasPrefix(string(m["totalEarned"]), "100000000000") {
						m["totalEarned"] = json.RawMessage("100000000000")
					}
				})
			}
			return body
		})},
		{"reads the key in the query", []string{"K the key in the query"}, asked(func(r *http.Request, body []byte) []byte {
			if key := r.URL.Query().Get("api_key"); key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			return body
		})},
		{"takes the key without a scheme", []string{"K the key without"}, asked(func(r *http.Request, body []byte) []byte {
			if auth := r.Header.Get("Authorization"); auth != "" && !strings.Contains(auth, " ") {
				r.Header.Set("Authorization", "Bearer "+auth)
			}
			return body
		})},
		{"honours X-HTTP-Method-Override", []string{"P X-HTTP"}, asked(func(r *http.Request, body []byte) []byte {
			if method := r.Header.Get("X-Http-Method-Override"); method != "" {
				r.Method = method
			}
			return body
		})},
		{"draws random characters of any letter case by default", []string{"B249 random"}, asked(func(r *http.Request, body []byte) []byte {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/promotional-codes") || strings.Contains(string(body), "randomCharsCase") {
				return body
			}
			return edited(body, func(m map[string]json.RawMessage) { m["randomCharsCase"] = json.RawMessage(`"mixed"`) })
		})},
		{"serves a path with a slash at its end", []string{"P /coupons/"}, asked(func(r *http.Request, body []byte) []byte {
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
			return body
		})},
		{"serves a path in any letter case", []string{"P /Coupons"}, asked(func(r *http.Request, body []byte) []byte {
			r.URL.Path = strings.ToLower(r.URL.Path)
			return body
		})},
		{"finds an id in any letter case", []string{"B187"}, queried(func(q url.Values) { q.Set("id", strings.ToLower(q.Get("id"))) }, "id")},
		{"takes the last of two equal parameters", []string{"B108 /coupons id"}, queried(func(q url.Values) { q.Set("id", q["id"][len(q["id"])-1]) }, "id")},
		{"takes a limit that is too large for the largest", []string{"B116 /coupons limit 1001"}, queried(func(q url.Values) {
			if q.Get("limit") == "1001" {
				q.Set("limit", "1000")
			}
		}, "limit")},
		{"ignores a cursor that it does not know", []string{"B118 /coupons"}, retried("cursor")},
		{"ignores an empty parameter", []string{"B109 /coupons"}, retried("id", "couponId", "externalId", "name")},
		{"asks for the key before it looks at the path", []string{"B096"}, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" {
					r.URL.Path = "/api/v1/coupons"
					r.Method = http.MethodGet
				}
				next.ServeHTTP(w, r)
			})
		}},
	}
}
