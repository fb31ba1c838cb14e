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

	"github.com/tributary-go/tributary/affiliate"
)

// hungCases are numbers of endpoints of 50 that hang.
var hungCases = []int{1, 16, 49}

// A silence is since when the endpoints that hang do.
type silence string

const (
	ever     silence = "NeverAnswered"
	suddenly silence = "FellSilent" // they had answered a moment ago, all of them
)

// An arena is a post with 50 endpoints, of which so many hang once they are told
// to. The last one is the good one that is watched.
type arena struct {
	*post
	hung    atomic.Bool
	arrived chan struct{} // one for each delivery to the good one
}

// goodPath is where the good one is.
const goodPath = "/49"

func newArena(t testing.TB, url string, now func() time.Time) *arena {
	t.Helper()
	a := &arena{arrived: make(chan struct{}, 100)}
	a.post = newPost(t, func(c *affiliate.Config) { c.Now, c.OnNotice = now, nil })
	a.sender.Now, a.sender.Timeout = now, 15*time.Second
	for i := range 50 {
		a.hook(fmt.Sprintf("%s/%d", url, i))
	}
	return a
}

// hangs tells whether a request gets no answer where the first n hang.
func (a *arena) hangs(r *http.Request, n int) bool {
	var i int
	fmt.Sscanf(r.URL.Path, "/%d", &i)
	return a.hung.Load() && i < n
}

// settleIn lets an event be sent to all, so that it is known who answers, and
// silences those that hang.
func (a *arena) settleIn(when silence) {
	a.hung.Store(when == ever)
	a.join(1)
	a.drain()
	a.hung.Store(true)
	for len(a.arrived) > 0 {
		<-a.arrived
	}
}

// deliver is how long it takes until 40 events have arrived at the good one.
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

// Endpoints that hang do not keep those that answer waiting (P22). On the fake
// clock an answer takes 10 ms and all else nothing: what is measured is who is
// sent to, and when.
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
// at the good one of 50 endpoints, of which the others may hang. ratio is that
// time in those of the undisturbed case.
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
