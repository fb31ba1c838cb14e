package httpapi_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The fuzz targets of the resources: any method, query and body, with and
// without a key for idempotency.
//
// For any request: the answer is not 5xx. A request that is answered 400 or
// above has changed nothing, and the answer has the form of an error (every
// answer of the tests is checked for that). GET and HEAD have changed nothing.
// The books hold.

func FuzzHandlerAffiliates(f *testing.F)  { fuzzHandler(f, "/affiliates") }
func FuzzHandlerLinks(f *testing.F)       { fuzzHandler(f, "/links") }
func FuzzHandlerCoupons(f *testing.F)     { fuzzHandler(f, "/coupons") }
func FuzzHandlerCodes(f *testing.F)       { fuzzHandler(f, "/promotional-codes") }
func FuzzHandlerReferrals(f *testing.F)   { fuzzHandler(f, "/referrals") }
func FuzzHandlerSales(f *testing.F)       { fuzzHandler(f, "/sales") }
func FuzzHandlerPayouts(f *testing.F)     { fuzzHandler(f, "/payouts") }
func FuzzHandlerStatements(f *testing.F)  { fuzzHandler(f, "/statements") }
func FuzzHandlerAdjustments(f *testing.F) { fuzzHandler(f, "/adjustments") }
func FuzzHandlerWebhooks(f *testing.F)    { fuzzHandler(f, "/webhooks") }

// fuzzHandler fuzzes what is at or below a path.
func fuzzHandler(f *testing.F, path string) {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
	seed := func(op operation, key string) {
		rest, ok := strings.CutPrefix(op.target, "/api/v1"+path)
		if !ok {
			return
		}
		tail, query, _ := strings.Cut(rest, "?")
		for i, m := range methods {
			if m == op.method {
				f.Add(uint8(i), tail, query, op.body, key)
			}
		}
	}
	for _, op := range newWorld(f).fill().probes() {
		seed(op, "")
		seed(op, "k")
	}
	var w *world // the same one until a request changes it
	var before map[string][]string
	f.Fuzz(func(t *testing.T, method uint8, tail, query, body, key string) {
		if w == nil {
			w = newWorld(t)
			w.fill()
			before = w.dump()
		}
		w.t = t
		r := request(methods[int(method)%len(methods)], "/api/v1"+path, body)
		r.URL = &url.URL{Path: "/api/v1" + path + tail, RawQuery: query}
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
		got := w.send(r)
		if got.status >= 500 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if got.status >= 400 && (got.header.Get("Sale-Outcome") != "" || got.header.Get("Link") != "") {
			t.Fatalf("%s with headers %v", got.refusal(), got.header)
		}
		if got.status >= 400 || r.Method == "GET" || r.Method == "HEAD" {
			if after := w.dump(); !maps.EqualFunc(before, after, slices.Equal) {
				t.Fatalf("%s: records changed (-before +after):\n%s", got.refusal(), cmp.Diff(before, after))
			}
			if key == "" {
				return
			}
		}
		w.verify()
		w = nil
	})
}
