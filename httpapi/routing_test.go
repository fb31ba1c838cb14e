package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/httpapi"
)

// strayPaths are unknown paths at or below /api/v1.
var strayPaths = []string{
	"/api/v1", "/api/v1/", "/api/v1/nope", "/api/v1/coupons/", "/api/v1/coupons/0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01",
	"/api/v1/Coupons", "/api/v1/COUPONS", "/API/V1/coupons", "/api/v2/coupons", "/api/v1/coupon", "/api/v1/couponss",
	"/api%2Fv1/coupons", "/api/v1%2Fcoupons", "/api/v1/c%6Fupons", "/api/v1/coupons%20", "/api/v1/coupons%00", "/api/v1/%63oupons",
	"//api/v1//coupons", "//api/v1/coupons", "/api/v1//coupons", "/api/v1/x/../coupons", "/api/v1/./coupons", "/api/v1/coupons/..",
	"/api/v1/coupons/.", "/../api/v1/coupons", "/api/v1/%2e/coupons", "/api/v1/x/%2e%2e/coupons", "/api/v1/coupons;v=1", "/api/v1/coupons.json",
	"/api/v1/webhooks/", "/api/v1/webhooks/nope", "/api/v1/promotional-codes/validate/", "/api/v1/promotional_codes", "/", "/coupons", "/v1/coupons",
	`/api/v1\coupons`, "/api/v1/coupon?s", "*",
}

// TestStrayPaths: an unknown path is 404 for every method, with or without a
// key, and is never redirected.
func TestStrayPaths(t *testing.T) {
	w := newWorld(t)
	for _, path := range strayPaths {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			for _, key := range []string{"Authorization:", "Authorization: Bearer " + testKey} {
				got := w.do(method, path, "", key)
				if got.refusal() != "404 not_found: Not found" || got.header.Get("Allow") != "" {
					t.Errorf("%s %s: %s", method, path, got.refusal())
				}
			}
		}
	}
}

// mountings are the ways in which a host may mount the handler, with the prefix
// that callers then put before a path.
func mountings(api *httpapi.Handler) map[string]struct {
	prefix string
	host   http.Handler
} {
	host := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	beside := func(patterns ...string) http.Handler {
		mux := http.NewServeMux()
		for _, p := range patterns {
			mux.Handle(p, host)
		}
		api.Register(mux)
		return mux
	}
	subtree := http.NewServeMux()
	subtree.Handle("/api/v1/", api)
	subtree.Handle("/", host)
	partners := http.NewServeMux()
	partners.Handle("/partners/", http.StripPrefix("/partners", api))
	return map[string]struct {
		prefix string
		host   http.Handler
	}{
		"the server's own handler":     {"", api},
		"subtree of a mux":             {"", subtree},
		"StripPrefix":                  {"/partners", partners},
		"wildcard of a router":         {"", wildcards{"/api/": api, "/": host}},
		"Register alone":               {"", beside()},
		"Register beside GET /":        {"", beside("GET /")},
		"Register beside /":            {"", beside("/")},
		"Register beside GET /{p...}":  {"", beside("GET /{p...}")},
		"Register beside /api/":        {"", beside("/api/")},
		"Register beside /api/v1/":     {"", beside("/api/v1/")},
		"Register beside /api/v1/{r}":  {"", beside("/api/v1/{r}")},
		"Register beside GET /{a}/...": {"", beside("GET /{a}/{b}/{c}")},
		"Register beside {v}":          {"", beside("/api/{v}/coupons", "GET /api/{v}/links")},
		"Register beside many":         {"", beside("GET /", "POST /api/", "GET /api/v1/{r}", "OPTIONS /")},
	}
}

// wildcards is a router that strips nothing from a path: the longest prefix
// wins.
type wildcards map[string]http.Handler

func (m wildcards) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	best := ""
	for prefix := range m {
		if strings.HasPrefix(r.URL.Path, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	m[best].ServeHTTP(w, r)
}

// TestMountings: however it is mounted, the API answers every operation, and
// its own 405 for every other method of its paths.
func TestMountings(t *testing.T) {
	for name := range mountings(newWorld(t).api) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.fill()
			m := mountings(w.api)[name]
			for _, op := range s.operations() {
				if got := w.doWith(m.host, op.method, m.prefix+op.target, op.body); got.status != 200 {
					t.Errorf("%s: %s", op, got.refusal())
				}
			}
			for path, allow := range httpapi.Paths() {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
					if slices.Contains(strings.Split(allow, ", "), method) {
						continue
					}
					got := w.doWith(m.host, method, m.prefix+path, "")
					if got.status != 405 || got.header.Get("Allow") != allow {
						t.Errorf("%s %s: %d, Allow %q", method, path, got.status, got.header.Get("Allow"))
					}
				}
			}
		})
	}
}

// TestBeforeMux: a ServeMux treats a path as the package documentation says
// before the handler sees it, when the handler is mounted and when it is
// registered. A handler before the mux answers 404.
func TestBeforeMux(t *testing.T) {
	w := newWorld(t)
	mounted, registered := http.NewServeMux(), http.NewServeMux()
	mounted.Handle("/api/v1/", w.api)
	w.api.Register(registered)
	before := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/") {
			w.api.ServeHTTP(rw, r)
			return
		}
		mounted.ServeHTTP(rw, r)
	})
	for path, location := range map[string]string{
		"/api/v1//coupons": "/api/v1/coupons", "/api/v1/./coupons": "/api/v1/coupons", "/api/v1/x/../coupons": "/api/v1/coupons",
		"/api/v1/..//v1/coupons?id=x": "/api/v1/coupons?id=x",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			for name, mux := range map[string]http.Handler{"mounted": mounted, "registered": registered} {
				if got := goesTo(mux, method, path); got != location {
					t.Errorf("%s: %s %s goes to %q", name, method, path, got)
				}
			}
			if got := w.doWith(before, method, path, ""); got.refusal() != "404 not_found: Not found" {
				t.Errorf("before the mux: %s %s: %s", method, path, got.refusal())
			}
		}
	}
	if got := goesTo(mounted, "GET", "/api/v1"); got != "/api/v1/" {
		t.Errorf("/api/v1 goes to %q", got)
	}
}

// goesTo is the path to which a handler redirects a request with its body;
// empty when it does not.
func goesTo(h http.Handler, method, path string) string {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, request(method, path, ""))
	if rec.Code != http.StatusTemporaryRedirect {
		return ""
	}
	return rec.Header().Get("Location")
}

// TestRegisterClash: Register panics when a pattern is registered already. A
// pattern with a host name wins.
func TestRegisterClash(t *testing.T) {
	w := newWorld(t)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/coupons", func(http.ResponseWriter, *http.Request) {})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic for a pattern that is there already")
			}
		}()
		w.api.Register(mux)
	}()

	mux = http.NewServeMux()
	mux.HandleFunc("example.com/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	w.api.Register(mux)
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, request("GET", "/api/v1/coupons", "")) // httptest asks example.com
	if rec.Code != http.StatusTeapot {
		t.Errorf("a pattern with a host name gave %d", rec.Code)
	}
}

// TestNoGoroutines: a handler starts none, neither when it is made nor when it
// is registered nor when it serves.
func TestNoGoroutines(t *testing.T) {
	w := newWorld(t)
	ops := w.fill().operations()
	before := runtime.NumGoroutine()
	for range 100 {
		api := must(httpapi.New(w.Program, httpapi.Config{APIKeys: []string{testKey}}))
		api.Register(http.NewServeMux())
	}
	for _, op := range ops {
		w.ok(op.method, op.target, op.body)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
