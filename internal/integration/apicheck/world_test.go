package apicheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A world is a program and its handler, with a clock that tests set.
type world struct {
	*tributary.Program
	handler http.Handler
	now     time.Time
	check   *checker    // nil: answers are not checked
	header  http.Header // of every request
}

// The keys of the world: one opens the program, the others are refused.
const (
	goodKey   = "good"
	closedKey = "closed" // 403
	narrowKey = "narrow" // 403: its scope has no operation
	goneKey   = "gone"   // 404
)

func newWorld(t testing.TB, change ...func(*tributary.Config)) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)}
	cfg := tributary.Config{
		ID:             uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
		Terms:          affiliate.Terms{Rate: affiliate.MustPercent("20")},
		StoredSettings: true,
		Now:            func() time.Time { return w.now },
		Rand:           rand.NewChaCha8([32]byte{1}),
		Send:           w.send,
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := tributary.New(memstore.New(), cfg)
	if err == nil {
		_, err = p.UpdateSettings(t.Context(), affiliate.SettingsUpdate{
			Name: affiliate.Set("Northwind Beans"), Destinations: affiliate.Set([]string{"https://beans.example/shop"}),
			RefundWindowSeconds: affiliate.Set[int64](60 * 24 * 3600), RefuseSuspended: affiliate.Set(true),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Program = p
	link := &httpapi.PortalLink{Key: bytes.Repeat([]byte("p"), 32), URL: "https://beans.example/partner/"}
	api, err1 := httpapi.NewMulti(w.authenticate, httpapi.Config{Limit: limit, Portal: link})
	bare, err2 := httpapi.NewMulti(w.authenticate, httpapi.Config{Limit: limit}) // it has no partner pages
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	tracking := httpapi.Tracking(w.find, httpapi.Config{Limit: limit})
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { // a ServeMux would redirect unclean paths
		if strings.HasPrefix(r.URL.Path, "/api/affiliates/") {
			tracking.ServeHTTP(rw, r)
			return
		}
		if r.Header.Get("Test-Pages") == "none" {
			bare.ServeHTTP(rw, r)
			return
		}
		api.ServeHTTP(rw, r)
	})
	return w
}

// send is a receiver that accepts every event of the document.
func (w *world) send(_ context.Context, c affiliate.Claim) affiliate.Attempt {
	if w.check != nil {
		w.check.event(c)
	}
	return affiliate.Attempt{
		Delivery: c.Delivery, Token: c.Token, URL: c.URL, Status: http.StatusNoContent, Took: 84 * time.Millisecond,
	}
}

// deliver sends everything that is due; the very first attempt fails.
func (w *world) deliver(t testing.TB) {
	t.Helper()
	for first := true; ; first = false {
		claims, err := w.Webhooks().ClaimDeliveries(t.Context(), 100, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(claims) == 0 {
			return
		}
		var done []affiliate.Attempt
		for i, c := range claims {
			a := w.send(t.Context(), c)
			if first && i == 0 {
				a.Status, a.Err = 0, affiliate.FailedTimeout
			}
			done = append(done, a)
		}
		if err := w.Webhooks().SettleDeliveries(t.Context(), done); err != nil {
			t.Fatal(err)
		}
	}
}

// limit refuses the requests that ask for it.
func limit(r *http.Request) time.Duration {
	switch r.Header.Get("Test-Limit") {
	case "reached":
		return time.Second
	case "broken":
		panic("the limiter is broken")
	}
	return 0
}

func (w *world) authenticate(_ context.Context, key string) (httpapi.Access, error) {
	switch key {
	case goodKey:
		return httpapi.Access{Program: w.Program}, nil
	case closedKey:
		return httpapi.Access{}, httpapi.RefuseAccess()
	case narrowKey:
		return httpapi.Access{Program: w.Program, Scope: "none"}, nil
	case goneKey:
		return httpapi.Access{}, httpapi.RefuseProgram()
	}
	return httpapi.Access{}, httpapi.RefuseToken()
}

func (w *world) find(_ context.Context, id string) (*tributary.Program, error) {
	if id == w.Config().ID.String() {
		return w.Program, nil
	}
	return nil, affiliate.ErrNotFound
}

// A call is a request. A body without a content type is JSON.
type call struct {
	method, target, body string
	key                  string // empty: the valid one; "-": none
	header               http.Header
}

func (c call) String() string { return fmt.Sprintf("%s %s %.200s", c.method, c.target, c.body) }

// An answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	value  any // the decoded body
}

// do sends a call to the handler and checks the request and the answer.
func (w *world) do(t testing.TB, c call) answer {
	t.Helper()
	r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
	if c.body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "-" {
		r.Header.Set("Authorization", "Bearer "+orElse(c.key, goodKey))
	}
	maps.Copy(r.Header, w.header)
	maps.Copy(r.Header, c.header)
	res, err := w.RoundTrip(r)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: body}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &a.value); err != nil {
			t.Errorf("%v: the answer is not JSON: %v", c, err)
		}
	}
	return a
}

// RoundTrip sends a request to the handler and checks it and its answer.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil && r.Body != http.NoBody {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(strings.NewReader(string(sent)))
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	res := rec.Result()
	res.Request = r
	if w.check != nil {
		w.check.exchange(r, sent, res, rec.Body.Bytes())
	}
	return res, nil
}

// ServeHTTP is RoundTrip for a server.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	res, err := w.RoundTrip(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the request was aborted
	}
	maps.Copy(rw.Header(), res.Header)
	rw.WriteHeader(res.StatusCode)
	io.Copy(rw, res.Body)
}

// ok sends a call that must succeed.
func (w *world) ok(t testing.TB, method, path, body string) answer {
	t.Helper()
	a := w.do(t, call{method: method, target: "/api/v1" + path, body: body})
	if a.status != http.StatusOK {
		t.Errorf("%s %s %s: %d %s", method, path, body, a.status, a.body)
	}
	return a
}

// refused sends a call that must be refused with a code.
func (w *world) refused(t testing.TB, code affiliate.Reason, method, path, body string) answer {
	t.Helper()
	a := w.do(t, call{method: method, target: "/api/v1" + path, body: body})
	if got := a.header.Get("Error-Code"); a.status < 400 || got != string(code) {
		t.Errorf("%s %s %s: %d %s %s, want %s", method, path, body, a.status, got, a.body, code)
	}
	return a
}

// text returns a member of the answer as text: of an object, or of the first
// object of a list.
func (a answer) text(name string) string {
	v := a.value
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	object, _ := v.(map[string]any)
	switch v := object[name].(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	return ""
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
