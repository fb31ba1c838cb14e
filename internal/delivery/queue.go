package delivery

import (
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
