package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A middleware makes a right handler wrong in one way.
type middleware func(next http.Handler) http.Handler

// A brokenServer is a server that is wrong in one way, and prefixes of the names
// of the cases that detect it. The last prefix is the case that must fail; the
// others are run because it judges their answers.
type brokenServer struct {
	flaw   string
	caught []string
	wrong  middleware
}

// sample returns cases with answers of many kinds, for the rules about every
// answer.
func sample() []string {
	return []string{
		"B122 ", "B184 ", "B200 ", "B266 the least", "B305 DELETE twice", "B328 ", "B348 PUT", "B345 ", "B394 the least", "B395 a dup", "B417 ", "B427 one", "B451 the least",
		"B258 a good code", "B459 ", "M OPTIONS ", "P /nothing", "K no Auth", "B120 pages of", "V coupon",
	}
}

// over returns the cases for a rule about every answer.
func over(rule string) []string { return append(sample(), rule) }

func brokenServers() []brokenServer {
	return slices.Concat(brokenAnswers(), brokenRequests(), brokenEffects(), unkeyedServers())
}

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

// brokenAnswers are servers that do the right thing and answer it wrong.
func brokenAnswers() []brokenServer {
	return []brokenServer{
		{"answers a create with 201", over("E05"), answered(func(r *http.Request, a *reply) {
			if r.Method == http.MethodPost && a.status == 200 {
				a.status = http.StatusCreated
			}
		})},
		{"adds a field to the error", over("E07"), answered(func(_ *http.Request, a *reply) {
			if a.status >= 400 {
				a.replace(`^\{`, `{"reason":"x",`)
			}
		})},
		{"answers an error as an object", over("E07"), answered(func(_ *http.Request, a *reply) {
			if a.status >= 400 {
				a.replace(`"error":(".*")`, `"error":{"message":$1}`)
			}
		})},
		{"leaves Cache-Control out", over("E02"), answered(func(_ *http.Request, a *reply) { a.header.Del("Cache-Control") })},
		{"leaves nosniff out", over("E03"), answered(func(_ *http.Request, a *reply) { a.header.Del("X-Content-Type-Options") })},
		{"leaves the charset out", over("E01"), answered(func(_ *http.Request, a *reply) { a.header.Set("Content-Type", "application/json") })},
		{"adds a CORS header", over("E04"), answered(func(_ *http.Request, a *reply) { a.header.Set("Access-Control-Allow-Origin", "*") })},
		{"leaves Error-Code out", over("E08"), answered(func(_ *http.Request, a *reply) { a.header.Del("Error-Code") })},
		{"leaves Error-Field out", over("E09"), answered(func(_ *http.Request, a *reply) { a.header.Del("Error-Field") })},
		{"leaves Error-Reasons out", []string{"B359 promoCode unknown", "E17"}, answered(func(_ *http.Request, a *reply) { a.header.Del("Error-Reasons") })},
		{"has Error-Reasons on every error", over("E17"), answered(func(_ *http.Request, a *reply) {
			if code := a.header.Get("Error-Code"); code != "" {
				a.header.Set("Error-Reasons", `[{"reason":"`+code+`"}]`)
			}
		})},
		{"leaves WWW-Authenticate out", over("E14"), answered(func(_ *http.Request, a *reply) { a.header.Del("Www-Authenticate") })},
		{"leaves Sale-Outcome out", over("E12"), answered(func(_ *http.Request, a *reply) { a.header.Del("Sale-Outcome") })},
		{"says that everything is a repeat", over("E13"), answered(func(_ *http.Request, a *reply) { a.header.Set("Idempotent-Replayed", "true") })},
		{"says that a first answer is a repeat", []string{"B427 POST /coupons"}, answered(func(r *http.Request, a *reply) {
			if r.Header.Get("Idempotency-Key") != "" {
				a.header.Set("Idempotent-Replayed", "true")
			}
		})},
		{"does not say that an answer is a repeat", []string{"B427 POST /coupons"}, answered(func(_ *http.Request, a *reply) { a.header.Del("Idempotent-Replayed") })},
		{"answers 404 as plain text", over("E01"), answered(func(_ *http.Request, a *reply) {
			if a.header.Get("Error-Code") == "not_found" {
				a.header.Set("Content-Type", "text/plain; charset=utf-8")
				a.body = []byte("404 page not found\n")
			}
		})},
		{"leaves HEAD out of Allow", []string{"M OPTIONS /coupons"}, answered(func(_ *http.Request, a *reply) {
			if allow := a.header.Get("Allow"); allow != "" {
				a.header.Set("Allow", strings.ReplaceAll(allow, "HEAD, ", ""))
			}
		})},
		{"leaves Allow out", over("E15"), answered(func(_ *http.Request, a *reply) { a.header.Del("Allow") })},
		{"leaves Link out", []string{"B120 pages of a filtered"}, answered(func(_ *http.Request, a *reply) { a.header.Del("Link") })},
		{"has a Link on the last page", []string{"B120 a page that is just full"}, answered(func(r *http.Request, a *reply) {
			if r.URL.Query().Has("limit") {
				a.header.Set("Link", `<?limit=1&cursor=x>; rel="next"`)
			}
		})},
		{"answers null for a list that finds nothing", []string{"B257 /links"}, answered(func(_ *http.Request, a *reply) { a.replace(`^\[\]$`, "null") })},
		{"answers [] for a look-up that misses", []string{"B111 /coupons"}, answered(func(_ *http.Request, a *reply) { a.replace(`^null$`, "[]") })},
		{"answers 404 for a look-up that misses", []string{"B186", "B289"}, answered(func(r *http.Request, a *reply) {
			if r.Method == http.MethodGet && string(a.body) == "null" {
				a.status, a.body = http.StatusNotFound, []byte(`{"error":"Not found"}`)
				a.header.Set("Error-Code", "not_found")
			}
		})},
		{"answers null for empty arrays", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`"productIds":\[\]`, `"productIds":null`) })},
		{"leaves out what has no value", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`"[a-zA-Z]+":null,`, "") })},
		{"leaves the old name status out", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`"status":"ACTIVE","submissionType"`, `"submissionType"`) })},
		{"words a text in its own way", []string{"B130 percentOff 0"}, answered(func(_ *http.Request, a *reply) { a.replace("must be between 1 and 100", "must be from 1 to 100") })},
		{"ends a text with a full stop", []string{"B278 slug"}, answered(func(_ *http.Request, a *reply) { a.replace(`already in use"`, `already in use."`) })},
		{"writes amounts as strings", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`"(totalEarned|totalRevenue)":([0-9.]+)`, `"$1":"$2"`) })},
		{"writes amounts with two digits", over("E10"), answered(func(_ *http.Request, a *reply) {
			a.replace(`"(totalEarned|totalRevenue)":([0-9]+)([,}])`, `"$1":$2.00$3`)
		})},
		{"rounds to two digits", []string{"B141 percentOff 33.3333"}, answered(func(_ *http.Request, a *reply) { a.replace(`("percentOff":[0-9]+\.[0-9]{2})[0-9]+`, "$1") })},
		{"passes integers through a float", []string{"B163"}, answered(func(_ *http.Request, a *reply) { a.replace("9007199254740993", "9007199254740992") })},
		{"writes dates without milliseconds", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`(T[0-9:]{8})\.[0-9]{3}Z`, "${1}Z") })},
		{"writes ids in upper case", over("E10"), answered(func(_ *http.Request, a *reply) {
			a.body = uuidInBody.ReplaceAllFunc(a.body, bytes.ToUpper)
		})},
		{"shows a password", over("E11"), answered(func(_ *http.Request, a *reply) { a.replace(`^\{"id"`, `{"password":null,"id"`) })},
		{"leaves out what was deleted", over("E10"), answered(func(_ *http.Request, a *reply) { a.replace(`,"deletedCoupon":\{[^}]*\}`, "") })},
		{"sorts lists with the oldest first", []string{"B120 the whole list"}, answered(func(_ *http.Request, a *reply) {
			var list []json.RawMessage
			if json.Unmarshal(a.body, &list) == nil && len(list) > 1 {
				slices.Reverse(list)
				a.body, _ = json.Marshal(list)
			}
		})},
		{"has a body on HEAD", []string{"M HEAD /coupons"}, answered(func(r *http.Request, a *reply) {
			if r.Method == http.MethodHead {
				a.body = []byte("null")
			}
		})},
	}
}

var uuidInBody = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

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

// brokenEffects are servers that do the wrong thing.
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

// A reply is an answer before it is sent.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (a *reply) replace(pattern, with string) {
	a.body = regexp.MustCompile(pattern).ReplaceAll(a.body, []byte(with))
}

// serve runs a handler on a copy of r with another method, target and body, and
// without its idempotency key.
func serve(next http.Handler, r *http.Request, method, target string, body []byte) *reply {
	inner := httptest.NewRequest(method, target, bytes.NewReader(body))
	inner.Header = http.Header{"Authorization": r.Header["Authorization"]}
	if len(body) > 0 {
		inner.Header.Set("Content-Type", "application/json")
	}
	return replyOf(next, inner)
}

func replyOf(next http.Handler, r *http.Request) *reply {
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return &reply{w.Code, w.Header(), w.Body.Bytes()}
}

func (a *reply) send(w http.ResponseWriter) {
	a.header.Del("Content-Length")
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the recorder takes everything
}

// answered changes answers.
func answered(edit func(r *http.Request, a *reply)) middleware {
	return after(func(_ http.Handler, r *http.Request, _ []byte, a *reply) { edit(r, a) })
}

// after does something after the right handler has answered.
func after(do func(next http.Handler, r *http.Request, body []byte, a *reply)) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // it is in memory
			r.Body = io.NopCloser(bytes.NewReader(body))
			a := replyOf(next, r)
			do(next, r, body, a)
			a.send(w)
		})
	}
}

// asked changes requests.
func asked(edit func(r *http.Request, body []byte) []byte) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // it is in memory
			body = edit(r, body)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			next.ServeHTTP(w, r)
		})
	}
}

// queried changes the query of a GET that has a parameter.
func queried(edit func(q url.Values), name string) middleware {
	return asked(func(r *http.Request, body []byte) []byte {
		if q := r.URL.Query(); r.Method == http.MethodGet && q.Has(name) {
			edit(q)
			r.URL.RawQuery = q.Encode()
		}
		return body
	})
}

// retried repeats a refused GET without the parameters.
func retried(names ...string) middleware {
	return after(func(next http.Handler, r *http.Request, _ []byte, a *reply) {
		if a.header.Get("Error-Code") == "invalid_query" && slices.Contains(names, a.header.Get("Error-Field")) {
			q := r.URL.Query()
			for _, name := range names {
				q.Del(name)
			}
			*a = *serve(next, r, r.Method, r.URL.Path+"?"+q.Encode(), nil)
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

// direct is a transport to a handler.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	switch {
	case in.Body == nil:
		in.Body = http.NoBody
	case in.ContentLength == 0:
		in.ContentLength = -1 // not known: to a client that is zero
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}

// rightServer is the handler over a program in memory.
func rightServer(t *testing.T) http.Handler {
	t.Helper()
	return serverWith(t, affiliate.AddressPolicy{})
}

// serverWith is rightServer with a policy for the addresses of endpoints.
func serverWith(t *testing.T, addresses affiliate.AddressPolicy) http.Handler {
	t.Helper()
	p, err := affiliate.New(memstore.New(), affiliate.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/"}},
		Addresses: addresses,
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(p, httpapi.Config{APIKeys: []string{"test-key-of-conformance"}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// judged runs the cases whose names begin with one of the prefixes against a
// server.
func judged(t *testing.T, wrong middleware, prefixes ...string) Report {
	t.Helper()
	return judgedAs(t, Server{HTTP: &http.Client{Transport: direct{wrong(rightServer(t))}}}, prefixes...)
}

// judgedAs is judged for a given Server.
func judgedAs(t *testing.T, s Server, prefixes ...string) Report {
	t.Helper()
	s.URL, s.Key = "http://conform.example", "test-key-of-conformance"
	u, err := newSuite(s)
	if err != nil {
		t.Fatal(err)
	}
	var cases []serverCase
	for _, c := range serverCases() {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.name, p) }) {
			cases = append(cases, c)
		}
	}
	report, err := u.check(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestBrokenServers runs the suite against servers that are wrong in one way
// each. The case that is named last must fail and name its rule.
func TestBrokenServers(t *testing.T) {
	for _, b := range brokenServers() {
		t.Run(b.flaw, func(t *testing.T) {
			t.Parallel()
			last := b.caught[len(b.caught)-1]
			report := judged(t, b.wrong, b.caught...)
			var failed []string
			for _, r := range report.Results {
				if r.Outcome == Failed && strings.HasPrefix(r.Name, last) && r.Rule != "" {
					failed = append(failed, r.Name)
					t.Log(r)
				}
			}
			if len(failed) == 0 {
				t.Errorf("a server that %s passes %s", b.flaw, last)
			}
		})
	}
	if n := len(brokenServers()); n < 20 {
		t.Errorf("%d broken servers only", n)
	}
}

// TestRightServer is the control: the server without a flaw passes everything,
// with the same transport and recorder. No webhook endpoint is left.
func TestRightServer(t *testing.T) {
	server := answered(func(*http.Request, *reply) {})(rightServer(t))
	report := judgedAs(t, Server{HTTP: &http.Client{Transport: direct{server}}}, "")
	if !report.OK() {
		t.Error(report)
	}
	t.Log(report.counts())
	r := httptest.NewRequest(http.MethodGet, "/api/v1/webhooks", nil)
	r.Header.Set("Authorization", "Bearer test-key-of-conformance")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.String() != "[]" {
		t.Errorf("endpoints that are left: %d %s", w.Code, w.Body)
	}
}
