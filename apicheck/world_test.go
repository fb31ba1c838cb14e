package apicheck_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A world is a program behind the handler, with a clock that tests move.
type world struct {
	*affiliate.Program
	handler http.Handler
	now     time.Time
	check   *checker // nil: answers are not checked
}

// The keys of the world: one opens the program, the others are refused.
const (
	goodKey   = "good"
	closedKey = "closed" // 403
	goneKey   = "gone"   // 404
	brokenKey = "broken" // 500
)

func newWorld(t testing.TB, change ...func(*affiliate.Config)) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)}
	cfg := affiliate.Config{
		ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		RefundWindow: 60 * 24 * time.Hour,
		Now:          func() time.Time { return w.now },
		Rand:         rand.NewChaCha8([32]byte{1}),
		Send:         delivered,
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := affiliate.New(memstore.New(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Program = p
	api, err := httpapi.NewMulti(w.authenticate, httpapi.Config{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", api)
	mux.Handle("/api/affiliates/", httpapi.Tracking(w.find, httpapi.Config{Limit: limit}))
	w.handler = mux
	return w
}

// delivered is a receiver that takes everything.
func delivered(context.Context, affiliate.Claim) affiliate.Attempt {
	return affiliate.Attempt{Status: http.StatusNoContent, Took: 84 * time.Millisecond}
}

// limit refuses the requests that ask for it.
func limit(r *http.Request) time.Duration {
	if r.Header.Get("Test-Limit") != "" {
		return time.Second
	}
	return 0
}

func (w *world) authenticate(_ context.Context, key string) (*affiliate.Program, error) {
	switch key {
	case goodKey:
		return w.Program, nil
	case closedKey:
		return nil, affiliate.Refuse(affiliate.NoAPIAccess)
	case goneKey:
		return nil, affiliate.Refuse(affiliate.ProgramNotFound)
	case brokenKey:
		return nil, errors.New("the keys cannot be read")
	}
	return nil, affiliate.Refuse(affiliate.InvalidToken)
}

func (w *world) find(_ context.Context, id string) (*affiliate.Program, error) {
	switch id {
	case w.Config().ID.String():
		return w.Program, nil
	case brokenKey:
		return nil, errors.New("the programs cannot be read")
	}
	return nil, affiliate.ErrNotFound
}

// A call is a request. A body without a content type is JSON.
type call struct {
	method, target, body string
	key                  string // empty: the good one; "-": none
	header               http.Header
}

func (c call) String() string { return fmt.Sprintf("%s %s %.200s", c.method, c.target, c.body) }

// An answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	value  any // of the body
}

// do sends a call through the handler and checks both ways.
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
	for name, values := range c.header {
		r.Header[name] = values
	}
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

// text is a member of the answer as text: of an object, or of the first object
// of a list.
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
