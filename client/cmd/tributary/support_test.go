package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

const testKey = "tk_4f9c1d7e8a01b2c3d4e5f60718293a4b"

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// A world is a program with a fixed clock and fixed ids, and its server.
type world struct {
	*tributary.Program
	t     testing.TB
	store record.Store
	api   http.Handler
	wrap  atomic.Pointer[func(http.Handler) http.Handler] // nil: the server answers as it should
	url   string
	now   time.Time
	args  [][]string // of the commands so far
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, store: memstore.New(), now: time.Date(2026, 3, 11, 9, 24, 18, 442e6, time.UTC)}
	w.Program = must(tributary.New(w.store, tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return w.now }, Rand: rand.NewChaCha8([32]byte{1}),
		Schedule: []time.Duration{0},
	}))
	w.api = must(httpapi.New(w.Program, httpapi.Config{APIKeys: []string{testKey}}))
	w.url = serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if wrap := w.wrap.Load(); wrap != nil {
			(*wrap)(w.api).ServeHTTP(rw, r)
			return
		}
		w.api.ServeHTTP(rw, r)
	}))
	return w
}

// serve starts a server.
func serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// A result is what a command line did.
type result struct {
	code     int
	out, err string
}

// environ is an environment.
func environ(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

// env is the environment of a command line for a server.
func env(url string) func(string) string {
	return environ(map[string]string{"TRIBUTARY_URL": url, "TRIBUTARY_KEY": testKey, "TZ": "UTC"})
}

// at runs a command line for a server.
func at(t testing.TB, url string, stdin io.Reader, args ...string) result {
	var out, err bytes.Buffer
	code := run(t.Context(), args, env(url), stdin, &out, &err)
	for _, s := range append(args, out.String(), err.String()) {
		if strings.Contains(s, testKey) {
			t.Errorf("tributary %.80q: the key is shown", args)
		}
	}
	return result{code, out.String(), err.String()}
}

// cli runs a command line without anybody to ask.
func (w *world) cli(args ...string) result {
	w.t.Helper()
	w.args = append(w.args, args)
	return at(w.t, w.url, strings.NewReader(""), args...)
}

// ok runs a command line that must succeed, and returns what it printed.
func (w *world) ok(args ...string) string {
	w.t.Helper()
	got := w.cli(args...)
	if got.code != 0 {
		w.t.Fatalf("tributary %s: %d\n%s%s", strings.Join(args, " "), got.code, got.out, got.err)
	}
	return got.out
}

// ada is an affiliate with a referral.
func (w *world) ada() affiliate.Affiliate {
	w.t.Helper()
	a := must(w.CreateAffiliate(w.t.Context(), affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Okafor", Email: "ada@example.com",
	}))
	must(w.CreateReferral(w.t.Context(), affiliate.ReferralParams{
		AffiliateEmail: "ada@example.com", Email: "kim@example.com", Name: "Kim", ReferredUserExternalID: "cus_1",
	}))
	return a
}

// sell records a sale to the referral.
func (w *world) sell(ctx context.Context, total string) affiliate.Sale {
	w.t.Helper()
	r := must(w.RecordSale(ctx, affiliate.SaleParams{Email: "kim@example.com", TotalEarned: affiliate.MustAmount(total)}))
	sale, ok := r.Sale.Get()
	if !ok {
		w.t.Fatalf("no sale: %s", r.Outcome)
	}
	return sale
}

// answers makes the server answer through a handler of the test's.
func (w *world) answers(wrap func(http.Handler) http.Handler) { w.wrap.Store(&wrap) }
