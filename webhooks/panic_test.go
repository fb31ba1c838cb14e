package webhooks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// badBody panics when it is read.
type badBody struct{}

func (badBody) Read([]byte) (int, error) { panic("read") }
func (badBody) Close() error             { return nil }

// A panic in the transport is a failed attempt, also in a test of an endpoint.
// The sender continues, and the log has the stack but not the text of the
// panic.
func TestTransportPanics(t *testing.T) {
	for name, trip := range map[string]roundTrip{
		"Value":    func(r *http.Request) (*http.Response, error) { panic("cannot call " + r.URL.String()) },
		"Error":    func(*http.Request) (*http.Response, error) { panic(errors.New("s3cret")) },
		"Runtime":  func(*http.Request) (*http.Response, error) { return nil, []error{}[len("s3cret")-6] },
		"NoAnswer": func(*http.Request) (*http.Response, error) { return nil, nil },
		"Body": func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: badBody{}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var good atomic.Int64
				p := gauged(t, &gauge{}, 0)
				p.sender.Logger = slog.New(slog.NewTextHandler(&log, nil))
				p.sender.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/good" {
						good.Add(1)
						return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
					}
					return trip(r)
				})
				bad := p.hook("http://127.0.0.1:8080/s3cret")
				p.hook("http://127.0.0.1:8080/good")
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- p.sender.Run(ctx) }()
				p.join(3)
				synctest.Wait()
				if good.Load() != 3 {
					t.Errorf("%d of 3 arrived at the good one", good.Load())
				}
				got, err := p.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: bad.ID, Event: affiliate.SaleCreated})
				if want := affiliate.Set(affiliate.FailedInternal); err != nil || got.Delivered || got.Error != want {
					t.Errorf("the test: %+v, %v", got, err)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				failed := 0
				for _, d := range p.deliveries() {
					if d.WebhookID == bad.ID && d.State == affiliate.DeliveryPending && d.AttemptCount == 1 &&
						d.Attempts[0].Error == affiliate.Set(affiliate.FailedInternal) {
						failed++
					}
				}
				if failed != 3 {
					t.Errorf("%d of 3 attempts count as failed", failed)
				}
				if lines := log.String(); strings.Count(lines, "request panicked") != 4 || !strings.Contains(lines, "panic_test.go") && name != "NoAnswer" || strings.Contains(lines, "s3cret") {
					t.Errorf("the log: %s", lines)
				}
				p.verify()
			})
		})
	}
}

// A panickyOutbox Outbox panics in its first calls.
type panickyOutbox struct {
	webhooks.Outbox
	claims, settles atomic.Int64 // how many calls still panic
}

func (o *panickyOutbox) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error) {
	if o.claims.Add(-1) >= 0 {
		panic("claim")
	}
	return o.Outbox.ClaimDeliveries(ctx, n, lease)
}

func (o *panickyOutbox) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error {
	if o.settles.Add(-1) >= 0 {
		panic("settle")
	}
	return o.Outbox.SettleDeliveries(ctx, done)
}

// A panic in the Outbox is treated as its error: Run logs it and continues, and
// Drain returns it.
func TestOutboxPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := gauged(t, &gauge{wait: func(*http.Request) time.Duration { return 0 }}, 0)
		p.hook("http://127.0.0.1:8080/")
		outbox := &panickyOutbox{Outbox: p.Webhooks()}
		p.sender.Outbox, p.sender.Logger = outbox, slog.New(slog.NewTextHandler(&log, nil))
		outbox.claims.Store(1)
		outbox.settles.Store(2)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		p.join(5)
		go func() { ended <- p.sender.Run(ctx) }()
		time.Sleep(10 * time.Second)
		for _, d := range p.deliveries() {
			if d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
				t.Errorf("%+v", d)
			}
		}
		cancel()
		<-ended
		if lines := log.String(); strings.Count(lines, "panic: ") != 3 || !strings.Contains(lines, "panic_test.go") {
			t.Errorf("the log: %s", lines)
		}
		outbox.claims.Store(1)
		_, err := p.sender.Drain(t.Context())
		if panicked, ok := errors.AsType[*webhooks.PanicError](err); !ok || panicked.Value != "claim" {
			t.Errorf("Drain: %v", err)
		}
	})
}

// A panic in OnNotice stops neither deliveries nor other notices.
func TestOnNoticePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told atomic.Int64
		p := newPost(t, func(c *tributary.Config) {
			c.Now, c.Logger = time.Now, slog.New(slog.NewTextHandler(&log, nil))
			c.OnNotice = func(affiliate.Notice) {
				told.Add(1)
				panic("no pager")
			}
		})
		p.sender.Now, p.sender.Logger = time.Now, slog.New(slog.NewTextHandler(io.Discard, nil))
		p.sender.Transport = &gauge{wait: func(*http.Request) time.Duration { return 0 }}
		p.hook("http://127.0.0.1:8080/")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.sender.Run(ctx) }()
		p.join(5)
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for _, d := range p.deliveries() {
			if d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
				t.Errorf("%+v", d)
			}
		}
		if lines := log.String(); told.Load() != 5 || strings.Count(lines, "no pager") != 5 || !strings.Contains(lines, "panic_test.go") {
			t.Errorf("%d notices; the log: %s", told.Load(), lines)
		}
	})
}

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
