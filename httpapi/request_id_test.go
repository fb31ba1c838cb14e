package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
)

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
