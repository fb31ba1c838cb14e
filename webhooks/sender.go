package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	defaultTimeout = 15 * time.Second
	defaultSlots   = 64
	idlePerHost    = 4                // as many as the engine lets fly to one endpoint
	leaseMargin    = 15 * time.Second // beyond the timeout, to settle in
	pollEvery      = time.Second
)

// An Outbox is where a [Sender] takes its work from. [*affiliate.Program] is
// one.
type Outbox interface {
	ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error)
	SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error
}

// A Sender delivers what a program has to tell: it claims deliveries that are
// due, makes the signed requests, and settles what came of them. Everything
// that must survive is in the store: a Sender can be stopped at any point, and
// any number may work on one store. What was claimed and not settled is sent
// again when its lease ends, under the same webhook-id.
//
// The fields are set before the first use. Only Outbox is required, and not for
// Send and Wake, so that a program and its sender can be given each other.
//
// An endpoint that hangs holds up no other: how the slots are divided is told at
// [affiliate.Program.ClaimDeliveries]. Tests of endpoints take slots too, half
// of them at most, and one for each URL.
//
// A Sender is safe for concurrent use. It starts goroutines only inside Drain
// and Run, and none outlives them. A panic in Transport is a failed attempt of
// the class [affiliate.FailedInternal], and one in the Outbox an error of it;
// the logger is told of both.
//
// Source: docs/webhooks.md 4.2, 4.4.
type Sender struct {
	Outbox    Outbox
	Transport http.RoundTripper       // nil: NewTransport(Addresses)
	Addresses affiliate.AddressPolicy // which URLs and addresses are called; the program's own
	Timeout   time.Duration           // of a whole exchange; zero: 15 s. A lease is 15 s longer
	Slots     int                     // requests at once, of Drain, Run and tests together; zero: 64
	Now       func() time.Time        // of the signatures; nil: time.Now
	Logger    *slog.Logger            // nil: discard. Ids, classes and stacks; never a URL, payload or secret

	setup, wake sync.Once
	transport   http.RoundTripper
	slots       *slots
	agent       string        // User-Agent
	signal      chan struct{} // full: woken
}

// Drain delivers what is due and returns how many attempts it settled, once
// nothing is due and nothing in flight: for tests, and for hosts that run by
// the clock. When ctx ends it claims no more, waits for what is in flight, at
// most the timeout, and settles it.
//
// Errors: those of the Outbox; that of ctx.
//
// Effects: those of [affiliate.Program.SettleDeliveries].
func (s *Sender) Drain(ctx context.Context) (int, error) {
	d, err := s.dispatch()
	if err != nil {
		return 0, err
	}
	err = d.claim(ctx)
	for err == nil && d.inFlight > 0 {
		d.collect(<-d.results)
		if err = d.settle(ctx); err == nil {
			err = d.claim(ctx)
		}
	}
	return d.settled, errors.Join(err, d.finish(ctx))
}

// Run delivers until ctx ends: at once after each Wake, and it looks for what
// has become due once a second. Then it claims no more, waits for what is in
// flight, at most the timeout, settles it and returns nil. An error of the
// Outbox is logged, and the work goes on: what was not settled is tried again
// until its lease ends.
//
// Errors: no Outbox; that of the Outbox when the last attempts cannot be
// settled.
//
// Effects: those of [affiliate.Program.SettleDeliveries].
func (s *Sender) Run(ctx context.Context) error {
	d, err := s.dispatch()
	if err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		d.log(ctx, "claim deliveries", d.claim(ctx))
		select {
		case a := <-d.results:
			d.collect(a)
		case <-s.waker():
		case <-tick.C:
		case <-ctx.Done():
		}
		d.log(ctx, "settle deliveries", d.settle(ctx))
	}
	return d.finish(ctx)
}

// Wake makes a running Run look for work at once. It never blocks. Config.
// OnEvents of a program is this method.
func (s *Sender) Wake() {
	select {
	case s.waker() <- struct{}{}:
	default: // it was woken before and has not looked yet
	}
}

func (s *Sender) waker() chan struct{} {
	s.wake.Do(func() { s.signal = make(chan struct{}, 1) })
	return s.signal
}

// prepare makes what every request shares.
func (s *Sender) prepare() {
	s.agent = userAgent()
	s.slots = newSlots(s.slotCount())
	if s.transport = s.Transport; s.transport == nil {
		s.transport = NewTransport(s.Addresses)
	}
}

func (s *Sender) slotCount() int {
	if s.Slots > 0 {
		return s.Slots
	}
	return defaultSlots
}

func (s *Sender) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

func (s *Sender) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// A dispatch is one run of Drain or Run. One goroutine works on it; those that
// make requests only write to results.
type dispatch struct {
	*Sender
	results  chan affiliate.Attempt // has room for every slot: nobody waits to write
	inFlight int
	done     []affiliate.Attempt // not settled yet
	settled  int
}

func (s *Sender) dispatch() (*dispatch, error) {
	if s.Outbox == nil {
		return nil, errors.New("webhooks: Sender.Outbox is not set")
	}
	s.setup.Do(s.prepare)
	return &dispatch{Sender: s, results: make(chan affiliate.Attempt, s.slotCount())}, nil
}

// claim fills the free slots. A request goes on when ctx ends: the receiver may
// have got it, and what it answers has to be settled.
func (d *dispatch) claim(ctx context.Context) error {
	free := d.slots.take(ctx, d.inFlight == 0)
	if err := ctx.Err(); err != nil || free == 0 {
		d.slots.give(free)
		return err
	}
	var claims []affiliate.Claim
	err := guarded(func() (err error) {
		claims, err = d.Outbox.ClaimDeliveries(ctx, free, d.timeout()+leaseMargin)
		return err
	})
	d.slots.give(free - len(claims))
	d.inFlight += len(claims)
	for _, c := range claims {
		go func() { d.results <- d.exchange(context.WithoutCancel(ctx), c) }()
	}
	return err
}

// collect takes a result and those that come with it. Where the machine is the
// bottleneck it lets requests come to their end first, so that one transaction
// serves many; where the network is, nothing is ready to run and it waits for
// nothing.
func (d *dispatch) collect(a affiliate.Attempt) {
	enough := (d.inFlight + 1) / 2
	d.take(a)
	for n := 0; n < enough; n++ {
		runtime.Gosched()
		if len(d.results) == 0 {
			return
		}
		for len(d.results) > 0 {
			d.take(<-d.results)
			n++
		}
	}
}

func (d *dispatch) take(a affiliate.Attempt) {
	d.done = append(d.done, a)
	d.inFlight--
	d.slots.give(1)
}

// settle settles what was collected. What the Outbox does not take is kept for
// as long as its lease runs.
func (d *dispatch) settle(ctx context.Context) error {
	if len(d.done) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.timeout())
	defer cancel()
	if err := guarded(func() error { return d.Outbox.SettleDeliveries(ctx, d.done) }); err != nil {
		expired := d.now().Add(-d.timeout() - leaseMargin)
		d.done = slices.DeleteFunc(d.done, func(a affiliate.Attempt) bool { return a.At.Before(expired) })
		return err
	}
	d.settled += len(d.done)
	d.done = nil
	return nil
}

// finish waits for what is in flight and settles it.
func (d *dispatch) finish(ctx context.Context) error {
	for d.inFlight > 0 {
		d.collect(<-d.results)
	}
	return d.settle(ctx)
}

// log notes an error that the work goes on after.
func (d *dispatch) log(ctx context.Context, what string, err error) {
	if err == nil || d.Logger == nil || ctx.Err() != nil {
		return
	}
	attrs := []any{"error", err}
	if p, ok := errors.AsType[*PanicError](err); ok {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	d.Logger.ErrorContext(ctx, "webhooks: "+what, attrs...)
}
