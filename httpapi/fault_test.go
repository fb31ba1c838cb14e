package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/refusal"
)

// marker is a text that must not reach a client.
const marker = "pq: relation /srv/secret.go"

var errMarked = errors.New(marker)

// A breaker is a store whose n-th transaction does not run. The count starts at
// 1 when the store is made.
type breaker struct {
	record.Store
	n, calls int
	fault    func() error
}

func (b *breaker) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if b.calls++; b.calls == b.n {
		return b.fault()
	}
	return b.Store.View(ctx, id, fn)
}

func (b *breaker) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if b.calls++; b.calls == b.n {
		return b.fault()
	}
	return b.Store.Update(ctx, id, fn)
}

// faults are the ways in which the n-th step of a store goes wrong.
var faults = map[string]func(s record.Store, n int) record.Store{
	"error": func(s record.Store, n int) record.Store {
		return &breaker{Store: s, n: n, fault: func() error { return errMarked }}
	},
	"panic": func(s record.Store, n int) record.Store {
		return &breaker{Store: s, n: n, fault: func() error { panic(marker) }}
	},
	"cancelled": func(s record.Store, n int) record.Store {
		return &breaker{Store: s, n: n, fault: func() error { return fmt.Errorf("%w: %w", errMarked, context.Canceled) }}
	},
	"error of a call":       func(s record.Store, n int) record.Store { return conformance.FailAt(s, n) },
	"errors from a call on": func(s record.Store, n int) record.Store { return conformance.FailFrom(s, n) },
	"panic of a call":       func(s record.Store, n int) record.Store { return conformance.PanicAt(s, n) },
}

// TestBrokenStore: every operation on a store that goes wrong at its first step,
// then at its second and so on, answers 500 with the fixed text and has changed
// nothing; the next request works (G10, SEC15, SEC16, SEC19).
func TestBrokenStore(t *testing.T) {
	sampled := atlength.Every(17)
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		if testing.Short() && strings.HasPrefix(name, "error") {
			continue
		}
		fault := faults[name]
		for i := range (stock{}).operations() {
			for _, key := range []string{"X-A: b", idem + "k"} {
				if !sampled() {
					continue // every operation and every fault in turn
				}
				w := newWorld(t)
				op := w.fill().operations()[i]
				before := w.dump()
				for n := 1; ; n++ {
					step := fault(w.store.Store, n)
					w.store.broken(func(record.Store) record.Store { return step })
					got := w.do(op.method, op.target, op.body, key)
					w.store.broken(nil)
					if got.status == 200 {
						break // it went through
					}
					if got.refusal() != internal || strings.Contains(got.body+fmt.Sprint(got.header), "pq:") {
						t.Fatalf("%s, %s at %d: %d %s", op, name, n, got.status, got.body)
					}
					if op.path() == "/api/v1/payouts/run" || strings.HasSuffix(op.path(), "/erase") {
						continue // it keeps what it has done, and the next call goes on
					}
					if diff := cmp.Diff(before, w.dump()); diff != "" {
						t.Fatalf("%s, %s at %d changed records:\n%s", op, name, n, diff)
					}
				}
				w.verify()
			}
		}
	}
}

// TestLogOfFaults: only the log says what went wrong and where; for a panic it
// has the stack.
func TestLogOfFaults(t *testing.T) {
	for name, want := range map[string]string{
		"error": `level=ERROR msg="request failed" operation="GET /api/v1/affiliates" cause="` + marker + `"`,
		"panic": `level=ERROR msg="request panicked" operation="GET /api/v1/affiliates" cause="` + marker + `" stack="goroutine `,
	} {
		w := newWorld(t)
		step := faults[name](w.store.Store, 1)
		w.store.broken(func(record.Store) record.Store { return step })
		w.refuses(internal, "GET", "/api/v1/affiliates?email=somebody@example.com", "")
		lines := strings.Join(w.logs.lines(), "\n")
		if !strings.Contains(lines, want) || strings.Contains(lines, "somebody") || strings.Contains(lines, testKey) {
			t.Errorf("log:\n%s\nwant %s", lines, want)
		}
	}
}

// TestCallerLeft: a caller who disconnected is not an error of the server.
func TestCallerLeft(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/affiliates", nil)
	r.Header.Set("Authorization", "Bearer "+testKey)
	answer := httptest.NewRecorder()
	w.api.ServeHTTP(answer, r)
	lines := strings.Join(w.logs.lines(), "\n")
	if answer.Code != 500 || strings.Contains(lines, "level=ERROR") || !strings.Contains(lines, "status=500") {
		t.Errorf("%d, log:\n%s", answer.Code, lines)
	}
}

// TestPanics: a panic in limiter, authenticator or clock is a 500 like any other,
// over a real connection that stays open.
func TestPanics(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"limiter": func(s *setup) {
			s.api.Limit = func(r *http.Request) time.Duration {
				if r.Header.Get("X-Panic") != "" {
					panic(errMarked)
				}
				return 0
			}
		},
		"authority": func(s *setup) {
			s.auth = func(ctx context.Context, key string) (httpapi.Access, error) {
				if key == "panic" {
					var p *tributary.Program
					return httpapi.Access{Program: p.From("")}, nil // a nil pointer
				}
				return httpapi.Access{}, refusal.RefuseToken.Err()
			}
		},
		"clock": func(s *setup) {
			now, calls := s.engine.Now, 0
			s.engine.Now = func() time.Time {
				if calls++; calls == 1 {
					panic(marker)
				}
				return now()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, change)
			srv := w.serve()
			client := srv.Client()
			after := map[string]int{"limiter": 200, "authority": 401, "clock": 200}
			for i, want := range []int{500, after[name]} {
				r := must(http.NewRequest("POST", srv.URL+couponsPath, strings.NewReader(fullBody)))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+testKey)
				if i == 0 && name == "limiter" {
					r.Header.Set("X-Panic", "1")
				}
				if i == 0 && name == "authority" {
					r.Header.Set("Authorization", "Bearer panic")
				}
				resp := must(client.Do(r))
				body := string(must(io.ReadAll(resp.Body)))
				resp.Body.Close()
				got := answer{resp.StatusCode, resp.Header, body}
				got.check(t, "POST "+couponsPath)
				if got.status != want || strings.Contains(body, "pq:") {
					t.Errorf("request %d: %d %s, want %d", i, got.status, body, want)
				}
			}
		})
	}
}

// TestAbort: the handler passes a panic with http.ErrAbortHandler on to the
// server.
func TestAbort(t *testing.T) {
	w := newWorld(t, func(s *setup) {
		s.api.Limit = func(*http.Request) time.Duration { panic(http.ErrAbortHandler) }
	})
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recovered %v", v)
		}
	}()
	w.api.ServeHTTP(httptest.NewRecorder(), request("GET", couponsPath, ""))
	t.Error("no panic")
}

// bigCoupon makes a coupon with 3,000 codes: six pieces of 512.
func (w *world) bigCoupon() uuid.UUID {
	w.t.Helper()
	ctx := context.Background()
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "big", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.GenerateCodes(ctx, affiliate.CodesParams{Count: 3000, CodeParams: affiliate.CodeParams{
		CouponID: coupon.ID, AffiliateID: ada.ID, Prefix: "PRE", RandomCharsLength: affiliate.Set(int64(12)),
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}))
	return coupon.ID
}

// TestHalfAnAnswer: when an answer fails after its status line was sent, the
// connection is closed, so that no client takes half an answer for a whole one.
// The next request works.
func TestHalfAnAnswer(t *testing.T) {
	w := newWorld(t)
	coupon := w.bigCoupon()
	srv := w.serve()
	get := func() (status int, body []byte, err error) {
		r := must(http.NewRequest("GET", srv.URL+couponsPath+"?id="+coupon.String(), nil))
		r.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := srv.Client().Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer resp.Body.Close()
		body, err = io.ReadAll(resp.Body)
		return resp.StatusCode, body, err
	}
	status, whole, err := get()
	if status != 200 || err != nil || !json.Valid(whole) || strings.Count(string(whole), `"PRE`) != 3000 {
		t.Fatalf("whole: %d, %d bytes, %v", status, len(whole), err)
	}
	for _, how := range []string{"error", "panic"} {
		for n := 1; n <= 6; n++ { // 512 codes are read at a time
			step := faults[how](w.store.Store, n)
			w.store.broken(func(record.Store) record.Store { return step })
			status, body, err := get()
			w.store.broken(nil)
			switch {
			case n == 1 && status == 500 && err == nil:
			case n > 1 && err != nil && !json.Valid(body) && len(body) < len(whole):
			default:
				t.Errorf("%s at %d: %d, %d bytes, %v", how, n, status, len(body), err)
			}
		}
	}
	if status, body, err := get(); status != 200 || err != nil || len(body) != len(whole) {
		t.Errorf("afterwards: %d, %d bytes, %v", status, len(body), err)
	}
	if log := strings.Join(w.logs.lines(), "\n"); !strings.Contains(log, `msg="answer broke off"`) || !strings.Contains(log, `msg="request panicked"`) {
		t.Errorf("the log does not tell: %s", log)
	}
}

// TestGoneCaller: a long answer ends early when its caller has disconnected.
func TestGoneCaller(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	coupon := w.bigCoupon()
	w.store.broken(nil)
	rec := &leaver{ResponseRecorder: httptest.NewRecorder(), leave: cancel}
	defer func() {
		if v := recover(); v != http.ErrAbortHandler || w.store.calls > 3 {
			t.Errorf("recovered %v after %d transactions", v, w.store.calls)
		}
	}()
	w.api.ServeHTTP(rec, request("GET", couponsPath+"?id="+coupon.String(), "").WithContext(ctx))
	t.Error("no panic")
}

// A leaver is a caller who disconnects after the first write.
type leaver struct {
	*httptest.ResponseRecorder
	leave func()
}

// Write leaves.
func (l *leaver) Write(p []byte) (int, error) {
	l.leave()
	return l.ResponseRecorder.Write(p)
}

// TestQuietHandler: without a logger nothing is logged and everything works; at
// level Error there is no line for a request.
func TestQuietHandler(t *testing.T) {
	var log strings.Builder
	for _, logger := range []*slog.Logger{nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))} {
		w := newWorld(t, func(s *setup) { s.api.Logger = logger })
		w.ok("GET", couponsPath, "")
		if log.Len() > 0 {
			t.Errorf("log: %s", log.String())
		}
		w.store.broken(func(record.Store) record.Store { return &breaker{n: 1, fault: func() error { panic(marker) }} })
		w.refuses(internal, "POST", couponsPath, fullBody)
	}
	if !strings.Contains(log.String(), marker) {
		t.Errorf("log: %s", log.String())
	}
}

// TestLogLines: each request has one line, whatever its caller sent. The line
// names the operation, and never the path, a key, an email or a body.
func TestLogLines(t *testing.T) {
	w := newWorld(t)
	ops := w.fill().operations()
	for _, op := range ops {
		w.do(op.method, op.target, op.body)
	}
	w.do("GET", "/api/v1/ada@example.com%0alevel=ERROR", "")
	w.do("BREW", couponsPath, "")
	w.do("PUT", couponsPath, `{"couponId":"x","level=ERROR\n":1}`)
	if n := len(w.logs.lines()); n != len(ops)+3 {
		t.Errorf("%d lines for %d requests", n, len(ops)+3)
	}
	last := w.logs.lines()[len(ops):]
	for i, want := range []string{"operation=none status=404 code=not_found", "operation=none status=405 code=method_not_allowed", "operation=\"PUT /api/v1/coupons\" status=400 code=unknown_field"} {
		if !strings.Contains(last[i], want) {
			t.Errorf("line %s, want %s", last[i], want)
		}
	}
}

// TestKeptBuffers: the next requests reuse the memory of a long body, and
// nothing of that body is in their answers.
func TestKeptBuffers(t *testing.T) {
	w := newWorld(t)
	for i := range 200 {
		n := strconv.Itoa(i)
		name := strings.Repeat("n"+n, 60)
		got := w.ok("POST", couponsPath, `{"name":"`+name+`","percentOff":10,"x":"`+strings.Repeat("y", i*500)+`"}`)
		if got["name"] != name {
			t.Fatalf("%d: %v", i, got["name"])
		}
		equal(t, needsName, w.do("POST", couponsPath, "{}").refusal())
	}
}
