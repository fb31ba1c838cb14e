package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The queue has two lanes. The first one has deliveries that wait for a time:
// the next attempt of a schedule, a replay, the end of a lease. Their ids begin
// with that time. The second lane has first attempts, which do not wait, in the
// order in which their events were committed. They are always due, so a clock
// that goes back neither delays them nor changes their order.

// promptLane returns an id just before the second lane. The times of the first
// lane do not reach it until the year 6429.
func promptLane() uuid.UUID { return uuid.UUID{engine.PromptBit} }

const numberBits = 0x3f // in the last byte; there is room for maxEndpoints

// Prompt reports whether the entry stands in the second lane.
func Prompt(r record.Queue) bool { return r.ID[0]&engine.PromptBit != 0 }

// QueueOf reports whether an entry in the second lane is an event's.
func QueueOf(r record.Queue, event uuid.UUID) bool {
	r.ID[15] &^= numberBits
	return r.ID == engine.PromptID(event, 0)
}

// dueAt reports whether an attempt may be made at a moment.
func dueAt(r record.Queue, now affiliate.Instant) bool {
	return Prompt(r) || !engine.DueAt(r).After(now)
}

// AgainAt reports whether the next attempt is another than the first of the
// schedule.
func AgainAt(r record.Queue) bool { return r.Tried || r.Manual }

// precedes reports whether r must start before q, of the same object.
func precedes(r record.Queue, q record.Queue) bool {
	return !AgainAt(r) && !AgainAt(q) && r.Revision < q.Revision
}

// expect tells the store that deliveries will be read, and then their events.
func expect(o *engine.Op, deliveries []uuid.UUID) error {
	if o.Tx.Soon == nil {
		return nil
	}
	for _, id := range deliveries {
		o.Soon("deliveries", record.Key{ID: id})
	}
	for _, id := range deliveries {
		d, err := o.Tx.Deliveries.Get(id)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return refusal.Internal("read delivery", err)
		}
		if err == nil {
			o.Soon("events", record.Key{ID: d.EventID})
		}
	}
	return nil
}

// enqueue adds entries to the queue. It announces all of them to the store
// first, so that the store can look up all their places together.
func enqueue(o *engine.Op, entries []record.Queue) error {
	for _, q := range entries {
		o.Soon("queue", record.Key{ID: q.ID})
		o.Soon("queue", record.Key{Index: record.ByDelivery, ID: q.DeliveryID})
	}
	for _, q := range entries {
		if err := o.Tx.Queue.Insert(q); err != nil {
			return refusal.Internal("queue", err)
		}
	}
	return nil
}

// wholeMillis rounds up to the resolution of a place in the queue.
func wholeMillis(t affiliate.Instant) affiliate.Instant {
	return t.Add(time.Millisecond - time.Microsecond).Truncate(time.Millisecond)
}

// The pending deliveries of a disabled or deleted endpoint are settled without
// being sent. There may be many, and one transaction for all of them would delay
// every sale. So the transaction that disables the endpoint settles the first
// few and stores with the endpoint the state for the rest. More transactions
// follow until none is left. When the process ends before that, ClaimDeliveries
// continues when the next delivery is due.

const (
	clearBatch  = 20  // deliveries of one transaction
	clearRounds = 500 // transactions after one settlement: the dispatcher waits for them
)

// clearIn settles the first pending deliveries of an endpoint with a state. It
// sets in ep whether more are left; the caller stores ep.
func clearIn(o *engine.Op, ep *record.Endpoint, state affiliate.DeliveryState) error {
	waiting, err := engine.Gather(o.Tx.Queue,
		record.Query{Key: record.Key{Index: record.OfEndpoint, ID: ep.ID}, Limit: clearBatch + 1})
	if err != nil {
		return refusal.Internal("list queue", err)
	}
	ep.Clearing = ""
	if len(waiting) > clearBatch {
		ep.Clearing, waiting = state, waiting[:clearBatch]
	}
	for _, q := range waiting {
		o.Soon("deliveries", record.Key{ID: q.DeliveryID})
	}
	for _, q := range waiting {
		if err := dequeue(o, q, state); err != nil {
			return refusal.Internal("settle delivery", err)
		}
	}
	return nil
}

// clearAll settles every pending delivery of an endpoint.
func clearAll(o *engine.Op, ep *record.Endpoint) error {
	for ep.Clearing != "" {
		if err := clearIn(o, ep, ep.Clearing); err != nil {
			return err
		}
	}
	return nil
}

// dequeue settles a pending delivery.
func dequeue(o *engine.Op, q record.Queue, state affiliate.DeliveryState) error {
	d, err := o.Tx.Deliveries.Get(q.DeliveryID)
	if err != nil {
		return err
	}
	d.State, d.NextAttemptAt, d.UpdatedAt = state, affiliate.Instant{}, engine.Later(o.Now, d.UpdatedAt)
	if err := o.Tx.Deliveries.Replace(d); err != nil {
		return err
	}
	return o.Tx.Queue.Delete(q.ID)
}

// clearRest settles the remaining deliveries of a disabled endpoint, in at most
// that many transactions of its own. It returns no error: the endpoint is
// disabled, and ClaimDeliveries does what is not done here.
func clearRest(ctx context.Context, p *engine.Program, endpoint uuid.UUID, rounds int) {
	for range rounds {
		o := p.Op(ctx)
		more, err := engine.Update(o, func() (bool, error) {
			ep, err := o.Tx.Endpoints.Get(endpoint)
			if err != nil || ep.Clearing == "" {
				return false, err
			}
			return true, clearMore(o, ep)
		})
		if err != nil || !more {
			return
		}
	}
}

// clearBefore settles the pending deliveries of an endpoint that is about to be
// deleted, except for the last few. When there are more, it disables the
// endpoint first.
//
// Errors: those of the store. What earlier transactions did stays.
func clearBefore(ctx context.Context, p *engine.Program, endpoint uuid.UUID) error {
	for {
		o := p.Op(ctx)
		more, err := engine.Update(o, func() (bool, error) {
			ep, err := o.Tx.Endpoints.Get(endpoint)
			if errors.Is(err, affiliate.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, refusal.Internal("read endpoint", err)
			}
			if many, err := manyWait(o, endpoint); !many || err != nil {
				return false, err
			}
			if ep.Active {
				disable(&ep, affiliate.DisabledManual, o.Now)
				ep.UpdatedAt = engine.Later(o.Now, ep.UpdatedAt)
			}
			if err := clearIn(o, &ep, affiliate.DeliveryCanceled); err != nil {
				return false, err
			}
			return true, o.Tx.Endpoints.Replace(ep)
		})
		if err != nil || !more {
			return err
		}
	}
}

// clearMore continues what another call left undone.
func clearMore(o *engine.Op, ep record.Endpoint) error {
	if err := clearIn(o, &ep, ep.Clearing); err != nil {
		return err
	}
	return o.Tx.Endpoints.Replace(ep)
}

// manyWait reports whether more waits for an endpoint than one transaction
// settles.
func manyWait(o *engine.Op, endpoint uuid.UUID) (bool, error) {
	n, err := engine.CountUpTo(o.Tx.Queue, record.Key{Index: record.OfEndpoint, ID: endpoint}, clearBatch+1)
	if err != nil {
		return false, refusal.Internal("list queue", err)
	}
	return n > clearBatch, nil
}

// Backlog implements tributary.Webhooks.Backlog.
func Backlog(ctx context.Context, p *engine.Program) (oldest time.Duration, err error) {
	defer p.Begin(&ctx, "Backlog", engine.Reads).End(&err)
	now := p.Now()
	defer func() { p.Polled(ctx, oldest == 0) }()
	return engine.View(ctx, p, func(o *engine.Op) (oldest time.Duration, err error) {
		for _, lane := range []uuid.UUID{uuid.Nil, promptLane()} {
			q, err := engine.Head(o.Tx.Queue, record.Query{After: lane})
			if errors.Is(err, affiliate.ErrNotFound) {
				break
			}
			if err != nil {
				return 0, refusal.Internal("read queue", err)
			}
			due, err := dueSince(o, q)
			if err != nil {
				return 0, refusal.Internal("read delivery", err)
			}
			oldest = max(oldest, now.Sub(due))
		}
		return oldest, nil
	})
}

// dueSince returns when an entry of the queue became due. For a first attempt its
// place in the queue does not say so, because it is made of the event's id, which may
// be the host's.
func dueSince(o *engine.Op, q record.Queue) (affiliate.Instant, error) {
	if !Prompt(q) {
		return engine.DueAt(q), nil
	}
	d, err := o.Tx.Deliveries.Get(q.DeliveryID)
	return nextAttempt(&d), err
}
