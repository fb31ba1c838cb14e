package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	defaultTimeout = 15 * time.Second
	defaultSlots   = 64
	idlePerHost    = 4                // how many requests to one endpoint the engine allows at once
	leaseMargin    = 15 * time.Second // time after the timeout to settle the attempt
	pollEvery      = time.Second
)

// An Outbox is the source of the work of a [Sender]. [*tributary.Program]
// implements it.
type Outbox interface {
	ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error)
	SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error
}

// A Sender delivers the events of a program: it claims the deliveries that are
// due, makes the signed requests, and settles the results. It claims the next
// deliveries while it settles earlier ones. All state that must survive is in the
// store. So a Sender can be stopped at any point, and any number of them may work
// on one store. A delivery that was claimed and not settled is sent again when
// its lease ends, with the same webhook-id.
//
// Set the fields before the first use. Only Outbox is required. Send and Wake
// work without it, so that a program and its sender can refer to each other.
//
// An endpoint that hangs does not delay the others:
// [tributary.Webhooks.ClaimDeliveries] says how the slots are divided. Tests of
// endpoints take slots too: at most half of them, and one for each URL.
//
// A Sender is safe for concurrent use. It starts goroutines only inside Drain
// and Run, and they end before Drain and Run return. A panic in Transport is a
// failed attempt of the class [affiliate.FailedInternal]. A panic in the Outbox
// is treated as its error. Both are logged.
//
// Source: docs/webhooks.md 4.2, 4.4.
type Sender struct {
	Outbox    Outbox
	Transport http.RoundTripper       // nil: NewTransport(Addresses)
	Addresses affiliate.AddressPolicy // which URLs and addresses may be called; the same as the program's
	Timeout   time.Duration           // for a request with its answer; zero: 15 s. A lease is 15 s longer
	Slots     int                     // how many requests of Drain, Run and tests may run at once; zero: 64
	Now       func() time.Time        // the time of the signatures; nil: time.Now
	Logger    *slog.Logger            // gets ids, classes and stacks; never a URL, payload or secret; nil: nothing is logged

	setup, wake sync.Once
	transport   http.RoundTripper
	slots       *slots
	agent       string        // User-Agent
	signal      chan struct{} // has one element after Wake
}

// Drain delivers everything that is due. It returns how many attempts it
// settled, when nothing is due and no request is running. It is for tests and
// for hosts that run on a schedule. When ctx ends, Drain claims no more, waits
// for the running requests, at most the timeout, and settles them.
//
// Errors: those of the Outbox; the error of ctx.
//
// Effects: those of [tributary.Webhooks.SettleDeliveries].
func (s *Sender) Drain(ctx context.Context) (int, error) {
	d, err := s.dispatch()
	if err != nil {
		return 0, err
	}
	for err = ctx.Err(); err == nil && d.start(ctx); {
		_, err = d.next(ctx, nil, nil)
	}
	return d.settled, errors.Join(err, d.finish(ctx))
}

// Run delivers until ctx ends. It looks for due deliveries after each Wake, and
// once a second. When ctx ends, Run claims no more, waits for the running
// requests, at most the timeout, settles them and returns nil. An error of the
// Outbox is logged, and Run continues: it tries to settle the same attempts
// again until their lease ends.
//
// Errors: Outbox is nil; the error of the Outbox when the last attempts cannot
// be settled.
//
// Effects: those of [tributary.Webhooks.SettleDeliveries].
func (s *Sender) Run(ctx context.Context) error {
	d, err := s.dispatch()
	if err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		d.start(ctx)
		what, err := d.next(ctx, s.waker(), tick.C)
		d.log(ctx, what, err)
	}
	return d.finish(ctx)
}

// Wake makes a running Run look for work at once. It never blocks. Set
// Config.OnEvents of a program to this method.
func (s *Sender) Wake() {
	select {
	case s.waker() <- struct{}{}:
	default: // an earlier Wake has not been handled yet
	}
}

func (s *Sender) waker() chan struct{} {
	s.wake.Do(func() { s.signal = make(chan struct{}, 1) })
	return s.signal
}

// prepare creates the values that all requests share.
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
