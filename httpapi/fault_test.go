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

// TestRequestID is console check 71: a valid id is echoed and another one
// replaced, on every status; it is the same in the answer, in the log and in the
// context that the engine gets.
func TestRequestID(t *testing.T) {
	var inEngine string
	w := newWorld(t, func(s *setup) {
		s.engine.Observer.Begin = func(ctx context.Context, _ affiliate.Operation) context.Context {
			inEngine = httpapi.RequestID(ctx)
			return ctx
		}
	})
	for _, row := range []struct {
		sent string
		kept bool
	}{
		{"a", true}, {"Req-1.2_3", true}, {strings.Repeat("x", 64), true},
		{strings.Repeat("x", 65), false}, {"", false}, {"two\nlines", false}, {"two words", false}, {"é", false}, {"a,b", false},
	} {
		for _, call := range []struct {
			status int
			method string
			path   string
			header string
			engine bool
		}{
			{200, "GET", "/api/v1/affiliates", "", true},
			{401, "GET", "/api/v1/affiliates", "Authorization: Bearer wrong-key-of-this-suite", false},
			{404, "GET", "/api/v1/unknown", "", false},
			{405, "PATCH", "/api/v1/affiliates", "", false},
			{400, "POST", "/api/v1/affiliates", "", false},
			{500, "GET", "/api/v1/affiliates", "", true},
		} {
			inEngine = ""
			w.store.broken(nil)
			if call.status == 500 {
				w.store.broken(func(s record.Store) record.Store { return faults["error"](s, 1) })
			}
			r := request(call.method, call.path, "")
			if call.header != "" {
				name, value, _ := strings.Cut(call.header, ": ")
				r.Header.Set(name, value)
			}
			r.Header["X-Request-Id"] = []string{row.sent}
			got := w.send(r)
			id := got.header.Get("X-Request-Id")
			if got.status != call.status || (id == row.sent) != row.kept {
				t.Errorf("%s %s with %q: status %d, id %q", call.method, call.path, row.sent, got.status, id)
			}
			if call.engine && inEngine != id {
				t.Errorf("the engine gets %q, the answer %q", inEngine, id)
			}
			line := w.logs.lines()[len(w.logs.lines())-1]
			if !strings.Contains(line, "request_id="+id+" ") {
				t.Errorf("the log line has not %q: %s", id, line)
			}
		}
	}
	if id := httpapi.RequestID(t.Context()); id != "" {
		t.Errorf("a context without a request has the id %q", id)
	}
}

// Made ids differ, and a host can make them; what no header may hold is
// replaced. Two ids in one request count as none.
func TestNewRequestID(t *testing.T) {
	const unwanted = "X-Request-Id: not one"
	n := 0
	w := newWorld(t, func(s *setup) {
		s.api.NewRequestID = func() string { n++; return fmt.Sprintf("own-%d", n) }
	})
	for i := range 2 {
		if got := w.do("GET", "/api/v1/affiliates", "", unwanted).header.Get("X-Request-Id"); got != fmt.Sprintf("own-%d", i+1) {
			t.Errorf("the id is %q", got)
		}
	}
	r := request("GET", "/api/v1/affiliates", "")
	r.Header["X-Request-Id"] = []string{"one", "two"}
	if got := w.send(r).header.Get("X-Request-Id"); got != "own-3" {
		t.Errorf("the id is %q", got)
	}
	bad := newWorld(t, func(s *setup) { s.api.NewRequestID = func() string { return "no good\r\n" } })
	first := bad.do("GET", "/api/v1/affiliates", "", unwanted).header.Get("X-Request-Id")
	if second := bad.do("GET", "/api/v1/affiliates", "", unwanted).header.Get("X-Request-Id"); len(first) != 32 || first == second {
		t.Errorf("the ids are %q and %q", first, second)
	}
	panics := newWorld(t, func(s *setup) { s.api.NewRequestID = func() string { panic("no id") } })
	if got := panics.do("GET", "/api/v1/affiliates", "", unwanted); got.status != 200 || len(got.header.Get("X-Request-Id")) != 32 {
		t.Errorf("a panic makes %d with the id %q", got.status, got.header.Get("X-Request-Id"))
	}
}

// A valid traceparent is in the log, another one is not.
func TestTraceID(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	w := newWorld(t)
	for parent, want := range map[string]bool{
		"00-" + trace + "-00f067aa0ba902b7-01":                      true,
		"01-" + trace + "-00f067aa0ba902b7-01-more":                 true,
		"00-" + trace + "-00f067aa0ba902b7-01-more":                 false,
		"ff-" + trace + "-00f067aa0ba902b7-01":                      false,
		"00-" + trace + "-0000000000000000-01":                      false,
		"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01":    false,
		"00-" + strings.ToUpper(trace) + "-00f067aa0ba902b7-01":     false,
		"00-" + trace + "-00f067aa0ba902b7":                         false,
		"00-4bf92f3577b34da6 level=ERROR736-00f067aa0ba902b7-01":    false,
		"00-" + trace[:16] + "zz" + trace[18:] + "-00f067aa0ba9-01": false,
	} {
		w.do("GET", "/api/v1/affiliates", "", "Traceparent: "+parent)
		line := w.logs.lines()[len(w.logs.lines())-1]
		if strings.Contains(line, "trace_id="+trace) != want || strings.Contains(line, "trace_id") != want {
			t.Errorf("%s: %s", parent, line)
		}
	}
}

// fewestAllocs is how many allocations fn needs when every pool has what it asks
// for: the race detector empties pools at random.
func fewestAllocs(fn func()) float64 {
	fewest := testing.AllocsPerRun(1, fn)
	for range 200 {
		fewest = min(fewest, testing.AllocsPerRun(1, fn))
	}
	return fewest
}

// Check 66: an id costs at most three allocations, and a request that brings one
// costs no more than that.
func TestRequestIDAllocations(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.api.Logger = nil })
	r := httptest.NewRequest(http.MethodGet, "/api/v1/unknown", nil)
	rec := httptest.NewRecorder()
	request := func() { clear(rec.Header()); rec.Body.Reset(); w.api.ServeHTTP(rec, r) }
	made := fewestAllocs(request)
	r.Header.Set("X-Request-Id", "abc")
	brought := fewestAllocs(request)
	if made > brought+2 { // one more under the race detector
		t.Errorf("a made id costs %v allocations, one that was brought %v", made, brought)
	}
	t.Logf("%v, %v", made, brought)
}

// A trial that only looks for the first error of an input is no operation.
func TestTrialIsNotObserved(t *testing.T) {
	var seen []string
	w := newWorld(t, func(s *setup) {
		s.engine.Observer.End = func(_ context.Context, op affiliate.Operation, res affiliate.Result) {
			seen = append(seen, fmt.Sprint(op.Name, " ", res.Outcome))
		}
	})
	if got := w.do("POST", "/api/v1/coupons", `{"name": 5}`); got.status != 400 {
		t.Fatalf("status %d", got.status)
	}
	if len(seen) != 0 {
		t.Errorf("seen: %v", seen)
	}
	w.do("POST", "/api/v1/coupons", `{"name": 5}`, "Idempotency-Key: k1")
	if fmt.Sprint(seen) != "[CreateCoupon refused]" {
		t.Errorf("seen with a key: %v", seen)
	}
}

// TestErrorReasons: when a code is refused, the header lists every rule that
// fails, with its data, as the preview does. The body has a single field. A
// repeat with the same key says the same, whatever happened to the code since.
// Every answer of the tests is checked for this: only such a refusal has the
// header.
func TestErrorReasons(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","active":false,"expiresAt":"2026-01-01","maxRedemptions":1,"minimumAmount":50}`)
	for _, op := range []operation{
		{"POST", "/api/v1/sales", `{"promoCode":"ADA20","totalEarned":5}`},
		{"POST", "/api/v1/referrals", `{"promoCode":"ADA20","name":"N","email":"n@example.net","referredUserExternalId":"n"}`},
	} {
		first := w.do(op.method, op.target, op.body, idem+"k"+op.target)
		equal(t, "400 code_inactive: Promo code is not active", first.refusal())
		preview := w.do("POST", "/api/v1/promotional-codes/validate", op.body)
		var want struct{ Reasons json.RawMessage }
		must(0, json.Unmarshal([]byte(preview.body), &want))
		equal(t, string(want.Reasons), first.header.Get("Error-Reasons"))
		w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","expiresAt":null}`)
		w.replays(first, op, idem+"k"+op.target)
		w.receiptsThroughJSON()
		w.replays(first, op, idem+"k"+op.target)
		w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","expiresAt":"2026-01-01"}`)
	}
}

// checkReasons is part of the check of every answer.
func (a answer) checkReasons(t testing.TB, what string) {
	t.Helper()
	lines := a.header.Values("Error-Reasons")
	e := affiliate.Error{Reason: affiliate.Reason(a.code())}
	if !e.CodeRefused() {
		if len(lines) > 0 {
			t.Errorf("%s: %s with Error-Reasons %q", what, e.Reason, lines)
		}
		return
	}
	if len(lines) != 1 {
		t.Errorf("%s: %s with %d Error-Reasons", what, e.Reason, len(lines))
		return
	}
	for _, c := range []byte(lines[0]) {
		if c < ' ' || c > '~' {
			t.Errorf("%s: Error-Reasons holds the byte %q", what, c)
		}
	}
	var failures []affiliate.Failure
	if err := json.Unmarshal([]byte(lines[0]), &failures); err != nil || len(failures) == 0 || failures[0].Reason != e.Reason {
		t.Errorf("%s: %s with Error-Reasons %s, %v", what, e.Reason, lines[0], err)
	}
}
