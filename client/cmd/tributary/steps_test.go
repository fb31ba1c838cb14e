package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// TestSteps: a job is done to its end, with a key of its own for each step but the
// first, whose key is the command's; what was done is added up.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	tier := must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "All"}))
	w.ada()
	for i := range 2_100 {
		must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i), CommissionPlanID: uuid.Nil}))
	}
	var mu sync.Mutex
	keys := map[string]int{}
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			keys[r.Header.Get("Idempotency-Key")]++
			mu.Unlock()
			h.ServeHTTP(rw, r)
		})
	})
	out := w.ok("tiers", "assign", "--json", "--idempotency-key", "first-step")
	if out != `{"changed":2101,"done":true,"looked":2101}`+"\n" {
		t.Errorf("got %s", out)
	}
	if len(keys) != 2 || keys["first-step"] != 1 || keys[""] > 0 {
		t.Errorf("the keys are %v", keys)
	}
	if a := must(w.Affiliate(t.Context(), "a0@example.com")); a.CommissionTierID.Or(uuid.Nil) != tier.ID {
		t.Errorf("the first affiliate is in %v", a.CommissionTierID)
	}
	if table := w.ok("tiers", "assign"); !strings.Contains(table, "looked   2101") || !strings.Contains(table, "changed  0") {
		t.Errorf("got %s", table)
	}
	if got := w.cli("sales", "recalculate"); got.code != 1 || !strings.Contains(got.err, "Affiliate ID, affiliate email, referral ID, or all is required") {
		t.Errorf("got %+v", got)
	}
	w.ok("sales", "recalculate", "--all")
}

// TestFollow: events are printed as they come, a line of JSON each, until the
// command is interrupted.
func TestFollow(t *testing.T) {
	w := newWorld(t)
	w.ada()
	if events := w.ok("events", "list"); strings.Count(events, "\n") != 3 || !strings.Contains(events, "referral.created") {
		t.Errorf("got %s", events)
	}
	ctx, stop := newInterrupt(t)
	out := &lines{}
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"events", "follow"}, env(w.url), nil, out, out)
	}()
	time.Sleep(50 * time.Millisecond) // the newest event is asked for
	w.sell(t.Context(), "100")
	for n := 0; n < 200 && out.count() < 1; n++ {
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	if code := <-done; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	var e struct{ Event, ObjectID string }
	first, _, _ := strings.Cut(out.text(), "\n")
	if err := json.Unmarshal([]byte(first), &e); err != nil || e.Event != "sale.created" {
		t.Errorf("%v: %s", err, out.text())
	}
	past := &lines{}
	ctx, stop = newInterrupt(t)
	time.AfterFunc(200*time.Millisecond, stop)
	run(ctx, []string{"events", "follow", "--after", "start"}, env(w.url), nil, past, past)
	if n := strings.Count(past.text(), `"eventId"`); n < 3 {
		t.Errorf("%d events from the start: %s", n, past.text())
	}
}

// lines is an output that is read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }
func (l *lines) count() int   { return strings.Count(l.text(), "\n") }
