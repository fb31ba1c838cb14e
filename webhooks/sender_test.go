package webhooks_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// Drain sends everything that is due once, signed and with the bytes of the
// event, and returns when nothing is left.
func TestDrain(t *testing.T) {
	for name, store := range map[string]record.Store{"memstore": memstore.New(), "Rerun": conformance.Rerun(memstore.New())} {
		t.Run(name, func(t *testing.T) {
			p := newPostOn(t, store)
			s := newSink(t, nil)
			ep := p.hook(s.URL)
			p.join(200)
			if n := p.drain(); n != 200 || s.count() != 200 {
				t.Errorf("%d settled, %d requests, want 200", n, s.count())
			}
			v := &webhooks.Verifier{Secrets: []affiliate.Secret{ep.Secret}, Now: p.now}
			seen := map[string]bool{}
			for i, r := range s.got {
				proof, err := v.Verify(r.Header, s.body[i])
				event, parseErr := webhooks.Parse(s.body[i])
				if err != nil || parseErr != nil || event.ID != proof.ID || seen[proof.ID] {
					t.Fatalf("request %d: %v, %v, id %s", i, err, parseErr, proof.ID)
				}
				seen[proof.ID] = true
			}
			for _, d := range p.deliveries() {
				if d.State != affiliate.DeliveryDelivered || !seen[d.EventID] || d.AttemptCount != 1 {
					t.Errorf("%+v", d)
				}
			}
			if n := p.drain(); n != 0 {
				t.Errorf("%d more", n)
			}
			p.verify()
		})
	}
}

func TestDrainErrors(t *testing.T) {
	if _, err := (&webhooks.Sender{}).Drain(t.Context()); err == nil {
		t.Error("no outbox: no error")
	}
	if err := (&webhooks.Sender{}).Run(t.Context()); err == nil {
		t.Error("no outbox: no error")
	}
	p := newPost(t)
	s := newSink(t, nil)
	p.hook(s.URL)
	p.join(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.sender.Drain(ctx); !errors.Is(err, context.Canceled) || s.count() > 0 {
		t.Errorf("ended context: %v, %d requests", err, s.count())
	}
}

// When several senders work on one store while it changes, each event arrives
// once (W059).
func TestDrainSeveral(t *testing.T) {
	p := newPost(t)
	sinks := []*sink{newSink(t, nil), newSink(t, nil), newSink(t, nil)}
	for _, s := range sinks {
		p.hook(s.URL)
	}
	const events = 150
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		other := &webhooks.Sender{Outbox: p.Webhooks(), Addresses: loopback(), Now: p.now}
		wg.Go(func() {
			for {
				if _, err := other.Drain(t.Context()); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					if n, err := other.Drain(t.Context()); n == 0 || err != nil {
						return
					}
				default:
				}
			}
		})
	}
	p.join(events)
	close(done)
	wg.Wait()
	p.drain()
	for _, s := range sinks {
		seen := map[string]int{}
		for _, r := range s.got {
			seen[r.Header.Get("Webhook-Id")]++
		}
		if len(seen) != events || s.count() != events {
			t.Errorf("%d events in %d requests, want %d", len(seen), s.count(), events)
		}
	}
	p.verify()
}

// A receiver that hangs takes one slot and does not delay the deliveries of
// others (W062, SEC46).
func TestDrainHanging(t *testing.T) {
	release := make(chan struct{})
	var flying, most atomic.Int64
	hanging := newSink(t, func(http.ResponseWriter, *http.Request) {
		n := flying.Add(1)
		defer flying.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-release
	})
	healthy := newSink(t, nil)
	p := newPost(t)
	p.sender.Timeout = time.Minute
	p.hook(hanging.URL)
	p.hook(healthy.URL)
	p.join(300)
	finished := make(chan int)
	go func() { finished <- p.drain() }()
	for deadline := time.Now().Add(20 * time.Second); healthy.count() < 300; {
		if time.Now().After(deadline) {
			t.Fatalf("the healthy receiver got %d of 300", healthy.count())
		}
		runtime.Gosched()
	}
	select {
	case <-finished:
		t.Error("the hanging receiver was not waited for")
	default:
	}
	if hanging.count() > 1 {
		t.Errorf("%d requests hang, want one", hanging.count())
	}
	close(release)
	if n := <-finished; n != 600 || most.Load() > 4 {
		t.Errorf("%d settled; %d at once to one endpoint", n, most.Load())
	}
	p.verify()
}

// Slots limits how many requests run at once over all endpoints.
func TestDrainSlots(t *testing.T) {
	var flying, most atomic.Int64
	p := newPost(t)
	p.sender.Slots = 3
	for range 3 {
		p.hook(newSink(t, func(w http.ResponseWriter, _ *http.Request) {
			n := flying.Add(1)
			defer flying.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			w.WriteHeader(204)
		}).URL)
	}
	p.join(30)
	if n := p.drain(); n != 90 || most.Load() > 3 {
		t.Errorf("%d settled, %d at once", n, most.Load())
	}
}

// No goroutine of Drain is left when it returns.
func TestDrainLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // synctest fails when a goroutine is left
		p := bubble(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
		p.join(20)
		if n := p.drain(); n != 20 {
			t.Errorf("%d settled", n)
		}
	})
}

// handlerTransport is a transport to a handler in this process, for tests on the fake
// clock: it makes no connection.
type handlerTransport struct{ http.Handler }

func (m handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	done := make(chan *http.Response, 1)
	go func() {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		done <- w.Result()
	}()
	select {
	case res := <-done:
		return res, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// bubble is a post on the clock of a synctest bubble.
func bubble(t *testing.T, h http.HandlerFunc) *post {
	p := newPost(t, func(c *tributary.Config) { c.Now = time.Now })
	p.sender.Now, p.sender.Transport, p.sender.Timeout = time.Now, handlerTransport{h}, 15*time.Second
	p.hook("http://127.0.0.1:8080/")
	return p
}

// Run follows the whole schedule: ten attempts over 75 hours, each at its time
// (W067, G17).
func TestRunSchedule(t *testing.T) {
	atlength.Only(t, "lasts 84 hours in a bubble")
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		began := time.Now()
		p := bubble(t, func(w http.ResponseWriter, _ *http.Request) {
			at = append(at, time.Since(began))
			w.WriteHeader(500)
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.sender.Run(ctx) }()
		p.join(1)
		time.Sleep(84 * time.Hour)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		steps := []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		if len(at) != len(steps) {
			t.Fatalf("%d attempts: %v", len(at), at)
		}
		last := time.Duration(0)
		for i, step := range steps {
			if wait, room := at[i]-last, max(2*time.Second, step/10)+time.Second; wait < step || wait > step+room {
				t.Errorf("attempt %d after %v, want %v to %v", i+1, wait, step, step+room)
			}
			last = at[i]
		}
		if d := p.only(); d.State != affiliate.DeliveryFailed {
			t.Errorf("%+v", d)
		}
	})
}

// Run works at once when it is woken, and otherwise looks for work once a
// second.
func TestRunWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan time.Time, 10)
		p := bubble(t, func(w http.ResponseWriter, _ *http.Request) { got <- time.Now(); w.WriteHeader(204) })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go p.sender.Run(ctx)
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		at := time.Now()
		p.join(1)
		if woken := <-got; !woken.Equal(at) {
			t.Errorf("woken after %v", woken.Sub(at))
		}
		synctest.Wait()
		at = time.Now()
		p.joinQuietly()
		if found := (<-got).Sub(at); found <= 0 || found > time.Second {
			t.Errorf("found after %v", found)
		}
		cancel()
		synctest.Wait()
	})
}

// joinQuietly commits an event without waking the sender, as another process
// does.
func (p *post) joinQuietly() {
	p.t.Helper()
	cfg := p.Config()
	cfg.OnEvents, cfg.Rand = nil, nil
	other := must(tributary.New(p.store, cfg))
	must(other.CreateAffiliate(p.t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "quiet@example.org"}))
}

// When Run ends, it claims no more, waits for the running requests and settles
// them. A delivery is never marked as delivered when it was not (W072).
func TestRunShutdown(t *testing.T) {
	for name, answers := range map[string]bool{"Answered": true, "NeverAnswered": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				close(release)
				served := 0
				var mu sync.Mutex
				p := bubble(t, func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-release:
						mu.Lock()
						defer mu.Unlock()
						served++
						w.WriteHeader(204)
					case <-r.Context().Done():
					}
				})
				for range 30 {
					p.hook("http://127.0.0.1:8080/")
				}
				p.join(1)
				answered := p.drain() // so that the endpoints get more than one slot
				release, served = make(chan struct{}), 0
				p.join(4) // 124 deliveries for 64 slots
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- p.sender.Run(ctx) }()
				synctest.Wait()
				cancel()
				synctest.Wait()
				select {
				case <-ended:
					t.Error("it did not wait for what is in flight")
				default:
				}
				began := time.Now()
				if answers {
					close(release)
				}
				if err := <-ended; err != nil || time.Since(began) > 15*time.Second {
					t.Errorf("ended after %v: %v", time.Since(began), err)
				}
				delivered, tried := 0, 0
				for _, d := range p.deliveries() {
					tried += int(d.AttemptCount)
					if d.State == affiliate.DeliveryDelivered {
						delivered++
					}
				}
				tried, delivered = tried-answered, delivered-answered
				if tried != 64 || delivered != served || answers != (delivered == 64) {
					t.Errorf("%d attempts, %d delivered, %d served", tried, delivered, served)
				}
				p.verify()
			})
		})
	}
}

// An attempt sends the payload from the memory of its claim, so its allocations
// do not grow with the payload.
func TestSendCopiesNothing(t *testing.T) {
	s := newSender()
	s.Transport = handlerTransport{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(204)
	})}
	payload := make([]byte, 8<<20)
	send := func() {
		a := sendTo(t, s, "http://127.0.0.1:8080/", func(c *affiliate.Claim) { c.Payload = payload })
		if a.Status != 204 {
			t.Fatalf("%+v", a)
		}
	}
	send()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		send()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 10; n > 64<<10 {
		t.Errorf("%d bytes are allocated to send %d", n, len(payload))
	}
}

// An outbox that fails for a while is tried again, and the requests of that
// time are settled within their lease.
func TestRunOutboxFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		p := bubble(t, func(w http.ResponseWriter, _ *http.Request) { sent++; w.WriteHeader(204) })
		var log strings.Builder
		flaky := &flakyOutbox{Outbox: p.Webhooks(), claims: 3, settles: 3}
		p.sender.Outbox, p.sender.Logger = flaky, slog.New(slog.NewTextHandler(&log, nil))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.sender.Run(ctx) }()
		p.join(1)
		time.Sleep(20 * time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if d := p.only(); d.State != affiliate.DeliveryDelivered || sent != 1 {
			t.Errorf("%d requests, %+v", sent, d)
		}
		if n := strings.Count(log.String(), "down"); n != 6 {
			t.Errorf("%d errors are logged, want 6:\n%s", n, &log)
		}
	})
}

// A settlement that never succeeds is given up when its lease has ended.
func TestRunOutboxDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		p := bubble(t, func(w http.ResponseWriter, _ *http.Request) { sent++; w.WriteHeader(204) })
		flaky := &flakyOutbox{Outbox: p.Webhooks(), settles: 40}
		p.sender.Outbox = flaky
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.sender.Run(ctx) }()
		p.join(1)
		time.Sleep(2 * time.Minute)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if d := p.only(); d.State != affiliate.DeliveryDelivered || sent != 2 || d.AttemptCount != 1 {
			t.Errorf("%d requests, %+v", sent, d)
		}
	})
}

// flakyOutbox is an outbox whose first calls fail.
type flakyOutbox struct {
	webhooks.Outbox
	claims, settles int
}

var errDown = errors.New("down")

func (f *flakyOutbox) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error) {
	if f.claims--; f.claims >= 0 {
		return nil, errDown
	}
	return f.Outbox.ClaimDeliveries(ctx, n, lease)
}

func (f *flakyOutbox) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error {
	if f.settles--; f.settles >= 0 {
		return errDown
	}
	return f.Outbox.SettleDeliveries(ctx, done)
}

// Drain returns the errors of its outbox after it has waited for the running
// requests.
func TestDrainOutboxFails(t *testing.T) {
	for name, f := range map[string]*flakyOutbox{"claim": {claims: 1}, "settle": {settles: 1}} {
		p := newPost(t)
		s := newSink(t, nil)
		p.hook(s.URL)
		p.join(1)
		f.Outbox = p.Webhooks()
		p.sender.Outbox = f
		if _, err := p.sender.Drain(t.Context()); !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
		if d := p.only(); (d.State == affiliate.DeliveryDelivered) != (s.count() == 1) {
			t.Errorf("%s: %d requests, %+v", name, s.count(), d)
		}
	}
}

// A test sends one signed request, even to a disabled endpoint that does not
// subscribe to the type (W079).
func TestTestEndpoint(t *testing.T) {
	p := newPost(t)
	s := newSink(t, nil)
	ep := must(p.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
		URL: s.URL, Events: []affiliate.EventType{affiliate.SaleCreated}, Active: affiliate.Set(false),
	}))
	for i, typ := range affiliate.EventTypes() {
		got, err := p.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: typ})
		if err != nil || !got.Delivered || got.StatusCode != affiliate.Set[int64](204) {
			t.Errorf("%s: %+v, %v", typ, got, err)
		}
		v := &webhooks.Verifier{Secrets: []affiliate.Secret{ep.Secret}, Now: p.now}
		if _, err := v.Verify(s.got[i].Header, s.body[i]); err != nil {
			t.Error(err)
		}
		event, err := webhooks.Parse(s.body[i])
		if err != nil || !event.Test || event.Revision != 0 || event.Type != typ || event.ID != got.EventID {
			t.Errorf("%s: %+v, %v", typ, event, err)
		}
	}
	if n := len(p.deliveries()); n != 0 || s.count() != 15 {
		t.Errorf("%d deliveries, %d requests", n, s.count())
	}
}

// A 410 while other requests run, over HTTP: there is one notice, and no
// request after it (W054).
func TestDrainGone(t *testing.T) {
	p := newPost(t)
	s := newSink(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410); io.WriteString(w, "moved away") })
	p.hook(s.URL)
	p.join(50)
	p.drain()
	disabled := 0
	for _, n := range p.notices {
		if n.Kind == affiliate.NoticeDisabled {
			disabled++
		}
	}
	if disabled != 1 || s.count() > 4 {
		t.Errorf("%d notices after %d requests", disabled, s.count())
	}
	for _, d := range p.deliveries() {
		if d.State != affiliate.DeliveryCanceled {
			t.Errorf("%+v", d)
		}
	}
	p.verify()
}

// A send that is slower than its lease is sent again, and settles once.
func TestDrainSlow(t *testing.T) {
	p := newPost(t)
	release := make(chan struct{})
	s := newSink(t, func(w http.ResponseWriter, _ *http.Request) { <-release; w.WriteHeader(204) })
	p.hook(s.URL)
	p.join(1)
	first := make(chan int)
	go func() { first <- p.drain() }()
	for s.count() < 1 {
		runtime.Gosched()
	}
	p.pass(time.Hour) // by the clock of the program the lease has ended
	second := make(chan int)
	go func() { second <- p.drain() }()
	for s.count() < 2 {
		runtime.Gosched()
	}
	close(release)
	<-first
	<-second
	if d := p.only(); d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 || s.count() != 2 {
		t.Errorf("%d requests, %+v", s.count(), d)
	}
	p.verify()
}

// A slowOutbox is an Outbox whose calls take a second. It checks what may run at once.
type slowOutbox struct {
	webhooks.Outbox
	t     *testing.T
	slots int

	mu         sync.Mutex
	claiming   bool
	settling   bool
	unsettled  int // claimed and not settled yet
	overlapped int // claims that ran while attempts were settled
	counts     []int
}

// turn runs a call, of which only one may run at once, and notes overlaps.
func (s *slowOutbox) turn(mine, other *bool, call func()) {
	s.mu.Lock()
	if *mine {
		s.t.Error("two claims, or two settlements, run at once")
	}
	if *mine = true; *other {
		s.overlapped++
	}
	s.mu.Unlock()
	call()
	s.mu.Lock()
	*mine = false
	s.mu.Unlock()
}

func (s *slowOutbox) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) (claims []affiliate.Claim, err error) {
	s.turn(&s.claiming, &s.settling, func() {
		s.mu.Lock()
		if n+s.unsettled > s.slots {
			s.t.Errorf("%d more are claimed while %d are not settled, of %d slots", n, s.unsettled, s.slots)
		}
		s.mu.Unlock()
		time.Sleep(time.Second)
		claims, err = s.Outbox.ClaimDeliveries(ctx, n, lease)
		s.mu.Lock()
		s.unsettled += len(claims)
		s.mu.Unlock()
	})
	return claims, err
}

func (s *slowOutbox) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) (err error) {
	s.turn(&s.settling, &s.claiming, func() {
		time.Sleep(time.Second)
		err = s.Outbox.SettleDeliveries(ctx, done)
		s.mu.Lock()
		s.unsettled -= len(done)
		s.counts = append(s.counts, len(done))
		s.mu.Unlock()
	})
	return err
}

// TestDrainOverlaps: while some attempts are settled, the next deliveries are
// claimed. Slots stay taken until their attempts are settled.
func TestDrainOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64 // the handlers run at once
		p := bubble(t, func(w http.ResponseWriter, r *http.Request) {
			if sent.Add(1)%2 == 0 {
				time.Sleep(1500 * time.Millisecond)
			}
			w.WriteHeader(http.StatusNoContent)
		})
		p.hook("http://127.0.0.1:8080/b")
		outbox := &slowOutbox{Outbox: p.Webhooks(), t: t, slots: 6}
		p.sender.Outbox, p.sender.Slots = outbox, outbox.slots
		p.join(1)
		p.drain()
		outbox.overlapped = 0
		p.join(20)
		if n := p.drain(); n != 40 || sent.Load() != 42 {
			t.Errorf("%d settled, %d requests", n, sent.Load())
		}
		if outbox.overlapped < 5 {
			t.Errorf("%d calls overlapped: settlements of %v", outbox.overlapped, outbox.counts)
		}
		if outbox.unsettled != 0 {
			t.Errorf("%d were claimed and not settled", outbox.unsettled)
		}
	})
}
