package webhooks_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A gauge is a transport that counts how many requests run at once. Each takes
// as long as wait says; without wait it hangs.
type gauge struct {
	wait              func(*http.Request) time.Duration
	flying, most, all atomic.Int64
}

func (g *gauge) RoundTrip(r *http.Request) (*http.Response, error) {
	g.all.Add(1)
	n := g.flying.Add(1)
	defer g.flying.Add(-1)
	for old := g.most.Load(); n > old && !g.most.CompareAndSwap(old, n); old = g.most.Load() {
	}
	wait := time.Hour
	if g.wait != nil {
		wait = g.wait(r)
	}
	select {
	case <-time.After(wait):
		return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// gauged is a post on the clock of a synctest bubble, without endpoints.
func gauged(t *testing.T, g *gauge, slots int) *post {
	p := newPost(t, func(c *tributary.Config) { c.Now = time.Now })
	p.sender.Now, p.sender.Transport, p.sender.Timeout, p.sender.Slots = time.Now, g, 15*time.Second, slots
	return p
}

// testAll runs the given number of tests at once, over the endpoints in turn,
// and returns how often each class of result occurred.
func (p *post) testAll(tests int, endpoints ...affiliate.IssuedEndpoint) map[string]int {
	var mu sync.Mutex
	out := map[string]int{}
	var wg sync.WaitGroup
	for i := range tests {
		wg.Go(func() {
			got, err := p.Webhooks().TestEndpoint(p.t.Context(), affiliate.EndpointTest{
				WebhookID: endpoints[i%len(endpoints)].ID, Event: affiliate.SaleCreated,
			})
			if err != nil {
				p.t.Error(err)
			}
			class, _ := got.Error.Get()
			mu.Lock()
			defer mu.Unlock()
			out[class]++
		})
	}
	wg.Wait()
	return out
}

// Tests of endpoints take slots: one for each URL, and at most half of all.
func TestSlotsOfTests(t *testing.T) {
	for _, tt := range []struct {
		urls, slots, most int
	}{{1, 64, 1}, {200, 64, 32}, {50, 10, 5}, {50, 1, 1}} {
		t.Run(fmt.Sprintf("%d/%d", tt.urls, tt.slots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g gauge
				p := gauged(t, &g, tt.slots)
				var all []affiliate.IssuedEndpoint
				for i := range min(tt.urls, 49) {
					all = append(all, p.hook(fmt.Sprintf("http://127.0.0.1:8080/%d", i)))
				}
				began := time.Now()
				got := p.testAll(200, all...)
				if most := min(tt.most, len(all)); int(g.most.Load()) != most || time.Since(began) != 15*time.Second {
					t.Errorf("%d requests at once, in %v; want %d in 15 s", g.most.Load(), time.Since(began), most)
				}
				if n := got[affiliate.FailedTimeout]; n != int(g.all.Load()) || n+got[affiliate.FailedBusy] != 200 {
					t.Errorf("%v after %d requests", got, g.all.Load())
				}
			})
		})
	}
}

// A test that waits for its turn gets it.
func TestSlotsOfTestsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gauge{wait: func(*http.Request) time.Duration { return 100 * time.Millisecond }}
		p := gauged(t, &g, 64)
		ep := p.hook("http://127.0.0.1:8080/shop")
		if got := p.testAll(100, ep); got[""] != 100 || g.most.Load() != 1 {
			t.Errorf("%v, %d at once", got, g.most.Load())
		}
	})
}

// Due deliveries are sent while tests hang, and tests run while there is much
// to deliver.
func TestSlotsShared(t *testing.T) {
	for _, slots := range []int{64, 2} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gauge{wait: func(r *http.Request) time.Duration {
					if r.URL.Path == "/" {
						return 10 * time.Millisecond
					}
					return time.Hour
				}}
				p := gauged(t, &g, slots)
				p.hook("http://127.0.0.1:8080/")
				var silent []affiliate.IssuedEndpoint
				for i := range 40 {
					ep := must(p.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
						URL: fmt.Sprintf("http://127.0.0.1:8080/%d", i), Events: []affiliate.EventType{"*"}, Active: affiliate.Set(false),
					}))
					silent = append(silent, ep)
				}
				ended := make(chan map[string]int, 1)
				go func() { ended <- p.testAll(80, silent...) }()
				synctest.Wait()
				began := time.Now()
				p.join(100)
				if n := p.drain(); n != 100 || time.Since(began) > 2*time.Second {
					t.Errorf("%d delivered in %v", n, time.Since(began))
				}
				<-ended
				if int(g.most.Load()) > slots {
					t.Errorf("%d at once", g.most.Load())
				}
				p.join(2000)
				go func() { p.drain(); ended <- nil }()
				synctest.Wait()
				if got := p.testAll(1, silent[0]); got[affiliate.FailedTimeout] != 1 {
					t.Errorf("a test beside deliveries: %v", got)
				}
				<-ended
			})
		})
	}
}

// Two runs of one sender share its slots.
func TestSlotsOfSeveralRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gauge{wait: func(*http.Request) time.Duration { return 10 * time.Millisecond }}
		p := gauged(t, &g, 3)
		p.hook("http://127.0.0.1:8080/")
		p.join(60)
		var wg sync.WaitGroup
		var sent atomic.Int64
		for range 4 {
			wg.Go(func() { sent.Add(int64(p.drain())) })
		}
		wg.Wait()
		if sent.Load() != 60 || g.most.Load() > 3 {
			t.Errorf("%d sent, %d at once", sent.Load(), g.most.Load())
		}
	})
}
