package servertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// brokenAnswers returns servers that act right and answer wrong.
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
		{"writes an amount that few coupons have as a string", []string{adminCase + "H3 at most so much off", "E10"}, answered(func(_ *http.Request, a *reply) {
			a.replace(`"maxDiscount":([0-9.]+)`, `"maxDiscount":"$1"`)
		})},
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
