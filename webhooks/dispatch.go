package webhooks

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A dispatch is one run of Drain or Run. Only one goroutine uses it. The requests
// and the calls of the Outbox run in other goroutines, which only write to its
// channels. At most one claim and one settlement run at once: while some attempts
// are settled, the next deliveries are claimed, and requests go on meanwhile.
type dispatch struct {
	*Sender
	results  chan affiliate.Attempt // has room for every slot, so that a write never blocks
	claims   chan claimAnswer
	outcomes chan error // of settlements

	inFlight int                 // requests
	done     []affiliate.Attempt // attempts that wait for a settlement
	batch    []affiliate.Attempt // attempts that are being settled
	settled  int                 // how many were settled
	claiming bool
	settling bool
	look     bool // something may be due that was not before the last claim
	stalled  bool // the last settlement failed, and nothing has happened since
}

// A claimAnswer is the answer to a claim for some free slots.
type claimAnswer struct {
	claims []affiliate.Claim
	free   int
	err    error
}

func (s *Sender) dispatch() (*dispatch, error) {
	if s.Outbox == nil {
		return nil, errors.New("webhooks: Sender.Outbox is not set")
	}
	s.setup.Do(s.prepare)
	return &dispatch{
		Sender: s, results: make(chan affiliate.Attempt, s.slotCount()),
		claims: make(chan claimAnswer, 1), outcomes: make(chan error, 1), look: true,
	}, nil
}

// start starts a settlement and a claim, if there is something to settle and
// something may be due. It reports whether anything runs.
func (d *dispatch) start(ctx context.Context) bool {
	if len(d.done) > 0 && !d.settling && !d.stalled {
		d.settling, d.batch, d.done = true, d.done, nil
		go func() { d.outcomes <- d.settle(ctx, d.batch) }()
	}
	if d.look && !d.claiming {
		d.claiming, d.look = true, false
		wait := d.inFlight+len(d.done)+len(d.batch) == 0
		go func() { d.claims <- d.claim(ctx, wait) }()
	}
	return d.claiming || d.settling || d.inFlight > 0
}

// next waits until something has happened. It returns the error of a call of the
// Outbox, and what the call was to do.
func (d *dispatch) next(ctx context.Context, wake <-chan struct{}, tick <-chan time.Time) (what string, err error) {
	select {
	case a := <-d.results:
		d.collect(a)
		d.stalled = false
	case c := <-d.claims:
		d.claiming = false
		d.send(ctx, c)
		return "claim deliveries", c.err
	case err := <-d.outcomes:
		d.settling = false
		d.ended(err)
		return "settle deliveries", err
	case <-wake:
		d.look, d.stalled = true, false
	case <-tick:
		d.look, d.stalled = true, false
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return "", nil
}

// claim claims deliveries for the free slots. With wait it waits for a slot when
// none is free.
func (d *dispatch) claim(ctx context.Context, wait bool) (c claimAnswer) {
	c.free = d.slots.take(ctx, wait)
	if c.err = ctx.Err(); c.err != nil || c.free == 0 {
		return c
	}
	c.err = guarded(func() (err error) {
		c.claims, err = d.Outbox.ClaimDeliveries(ctx, c.free, d.timeout()+leaseMargin)
		return err
	})
	return c
}

// send starts the requests of claims. A request continues when ctx ends, because
// the receiver may have got it, and its answer must be settled.
func (d *dispatch) send(ctx context.Context, c claimAnswer) {
	d.slots.give(c.free - len(c.claims))
	d.inFlight += len(c.claims)
	for _, claim := range c.claims {
		go func() { d.results <- d.exchange(context.WithoutCancel(ctx), claim) }()
	}
}

// collect takes a result and the results that are ready soon after. When the
// processor is the bottleneck, it lets other requests finish first, so that one
// transaction settles many. When the network is the bottleneck, no other
// goroutine is ready and collect does not wait.
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
}

// settle settles attempts.
func (d *dispatch) settle(ctx context.Context, batch []affiliate.Attempt) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.timeout())
	defer cancel()
	return guarded(func() error { return d.Outbox.SettleDeliveries(ctx, batch) })
}

// ended ends the settlement of the batch. Settled attempts give their slots back,
// because the engine counts them as in flight until then. When the Outbox has
// failed, attempts are kept until their lease ends.
func (d *dispatch) ended(err error) {
	batch, n := d.batch, len(d.batch)
	if d.batch = nil; err == nil {
		d.slots.give(n)
		d.settled += n
		d.look = true
		return
	}
	expired := d.now().Add(-d.timeout() - leaseMargin)
	kept := slices.DeleteFunc(batch, func(a affiliate.Attempt) bool { return a.At.Before(expired) })
	d.slots.give(n - len(kept))
	d.done, d.stalled = append(kept, d.done...), true
}

// finish waits for everything that runs, and settles the last attempts.
func (d *dispatch) finish(ctx context.Context) error {
	for d.claiming || d.settling || d.inFlight > 0 {
		_, _ = d.next(context.WithoutCancel(ctx), nil, nil) // what failed is tried again below
	}
	if len(d.done) == 0 {
		return nil
	}
	d.batch, d.done = d.done, nil
	err := d.settle(ctx, d.batch)
	d.ended(err)
	d.slots.give(len(d.done))
	return err
}

// log logs an error after which the work continues.
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
