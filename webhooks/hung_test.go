package webhooks_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary"
)

// hungCases are how many of 50 endpoints hang.
var hungCases = []int{1, 16, 49}

// A silence is when the hanging endpoints began to hang.
type silence string

const (
	ever     silence = "NeverAnswered"
	suddenly silence = "FellSilent" // all of them answered until a moment ago
)

// An arena is a post with 50 endpoints, some of which hang when the test says
// so. The last one is the good one that is watched.
type arena struct {
	*post
	hung    atomic.Bool
	arrived chan struct{} // one for each delivery to the good one
}

// goodPath is the path of the good endpoint.
const goodPath = "/49"

func newArena(t testing.TB, url string, now func() time.Time) *arena {
	t.Helper()
	a := &arena{arrived: make(chan struct{}, 100)}
	a.post = newPost(t, func(c *tributary.Config) { c.Now, c.OnNotice = now, nil })
	a.sender.Now, a.sender.Timeout = now, 15*time.Second
	for i := range 50 {
		a.hook(fmt.Sprintf("%s/%d", url, i))
	}
	return a
}

// hangs reports whether a request gets no answer when the first n endpoints
// hang.
func (a *arena) hangs(r *http.Request, n int) bool {
	var i int
	fmt.Sscanf(r.URL.Path, "/%d", &i)
	return a.hung.Load() && i < n
}

// settleIn sends an event to all endpoints, so that the engine knows which of
// them answer, and then silences those that hang.
func (a *arena) settleIn(when silence) {
	a.hung.Store(when == ever)
	a.join(1)
	a.drain()
	a.hung.Store(true)
	for len(a.arrived) > 0 {
		<-a.arrived
	}
}

// deliver is the time until 40 events have arrived at the good endpoint.
func (a *arena) deliver(now func() time.Time) time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	began := now()
	go func() { ended <- a.sender.Run(ctx) }()
	a.join(40)
	for range 40 {
		<-a.arrived
	}
	took := now().Sub(began)
	cancel()
	a.hung.Store(false)
	<-ended
	return took
}

// Endpoints that hang do not delay those that answer (P22). On the fake clock
// an answer takes 10 ms and everything else takes no time, so the test measures
// only the order of the requests.
func TestHungEndpoints(t *testing.T) {
	for _, when := range []silence{ever, suddenly} {
		for _, n := range hungCases {
			t.Run(fmt.Sprintf("%s/%d", when, n), func(t *testing.T) {
				undisturbed, disturbed := hungOnClock(t, 0, when), hungOnClock(t, n, when)
				ratio := float64(disturbed) / float64(undisturbed)
				if ratio > 1.5 {
					t.Errorf("%v, undisturbed %v: %.2f times", disturbed, undisturbed, ratio)
				}
			})
		}
	}
}

func hungOnClock(t *testing.T, n int, when silence) (took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		a := newArena(t, "http://127.0.0.1:8080", time.Now)
		a.sender.Transport = &gauge{wait: func(r *http.Request) time.Duration {
			if a.hangs(r, n) {
				return time.Hour
			}
			if r.URL.Path == goodPath {
				a.arrived <- struct{}{}
			}
			return 10 * time.Millisecond
		}}
		a.settleIn(when)
		took = a.deliver(time.Now)
	})
	return took
}

// BenchmarkHung is gate P22 on loopback: the time until 40 events have arrived
// at the good one of 50 endpoints, while others hang. ratio is that time
// divided by the time when none hangs.
func BenchmarkHung(b *testing.B) {
	for _, when := range []silence{ever, suddenly} {
		for _, n := range hungCases {
			b.Run(fmt.Sprintf("%s/%d", when, n), func(b *testing.B) {
				var undisturbed, disturbed time.Duration
				for b.Loop() {
					undisturbed += hungOnLoopback(b, 0, when)
					disturbed += hungOnLoopback(b, n, when)
				}
				b.ReportMetric(float64(disturbed)/float64(undisturbed), "ratio")
			})
		}
	}
}

func hungOnLoopback(b *testing.B, n int, when silence) time.Duration {
	var a *arena
	ready, release := make(chan struct{}), make(chan struct{})
	url := newPlainServer(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-ready
		io.Copy(io.Discard, r.Body)
		if a.hangs(r, n) {
			select {
			case <-r.Context().Done():
			case <-release:
			}
			return
		}
		if r.URL.Path == goodPath {
			a.arrived <- struct{}{}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	a = newArena(b, url, time.Now)
	a.sender.Timeout = time.Second
	close(ready)
	a.settleIn(when)
	defer close(release)
	return a.deliver(time.Now)
}
