package affiliate

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// The queue has two lanes. The first one has deliveries that wait for a time:
// the next attempt of a schedule, a replay, the end of a lease. Their ids begin
// with that time. The second lane has first attempts, which do not wait, in the
// order in which their events were committed. They are always due, so a clock
// that goes back neither delays them nor changes their order.

// promptLane is before the first place of the second lane. The moments of the
// first lane do not reach it until the year 6429.
func promptLane() uuid.UUID { return uuid.UUID{promptBit} }

const (
	promptBit  = 0x80 // in the first byte
	numberBits = 0x3f // in the last byte; there is room for maxEndpoints
)

// prompt reports whether the entry stands in the second lane.
func (r QueueRecord) prompt() bool { return r.ID[0]&promptBit != 0 }

// due is the moment that the place in the queue stands for. In the second lane
// it is that of the event, as far as the host's ids begin with one.
func (r QueueRecord) due() Instant {
	ms := int64(r.ID[0] &^ promptBit)
	for _, b := range r.ID[1:6] {
		ms = ms<<8 | int64(b)
	}
	return InstantOf(time.UnixMilli(ms))
}

// of reports whether an entry in the second lane is an event's.
func (r QueueRecord) of(event uuid.UUID) bool {
	r.ID[15] &^= numberBits
	return r.ID == promptID(event, 0)
}

// dueAt reports whether an attempt may be made at a moment.
func (r QueueRecord) dueAt(now Instant) bool { return r.prompt() || !r.due().After(now) }

// again reports whether the next attempt is another than the first of the
// schedule.
func (r QueueRecord) again() bool { return r.Tried || r.Manual }

// precedes reports whether r must start before q, of the same object.
func (r QueueRecord) precedes(q QueueRecord) bool {
	return !r.again() && !q.again() && r.Revision < q.Revision
}

// queueID is the place in the queue of what is due at a moment. The stamp is
// put on every id: a host's own ids need not begin with a time.
func (o *op) queueID(due Instant) uuid.UUID { return uuid7.Stamp(o.newID(), due.Time()) }

// promptID is the place in the queue of a first attempt that waits for nothing:
// the id of its event without version and variant, which are the same in all,
// and in their place at the end the number of the endpoint among those that get
// the event. So places are in the order of the events, and none is taken twice.
func promptID(event uuid.UUID, endpoint int) uuid.UUID {
	high, low := binary.BigEndian.Uint64(event[:8]), binary.BigEndian.Uint64(event[8:])
	high = high>>16<<12 | high&0x0fff
	low &= 1<<62 - 1
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], high<<4|low>>58)
	binary.BigEndian.PutUint64(id[8:], low<<6|uint64(endpoint))
	id[0] |= promptBit
	return id
}

// expect tells the store that deliveries will be read, and then their events.
func (o *op) expect(deliveries []uuid.UUID) error {
	if o.tx.Soon == nil {
		return nil
	}
	for _, id := range deliveries {
		o.soon("deliveries", Key{ID: id})
	}
	for _, id := range deliveries {
		d, err := o.tx.Deliveries.Get(id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return internal("read delivery", err)
		}
		if err == nil {
			o.soon("events", Key{ID: d.EventID})
		}
	}
	return nil
}

// enqueue adds entries to the queue. The store is told of all of them first, so
// that it can look for all their places together.
func (o *op) enqueue(entries []QueueRecord) error {
	for _, q := range entries {
		o.soon("queue", Key{ID: q.ID})
		o.soon("queue", Key{Index: ByDelivery, ID: q.DeliveryID})
	}
	for _, q := range entries {
		if err := o.tx.Queue.Insert(q); err != nil {
			return internal("queue", err)
		}
	}
	return nil
}

// wholeMillis rounds up to what a place in the queue can tell.
func wholeMillis(t Instant) Instant {
	return t.Add(time.Millisecond - time.Microsecond).Truncate(time.Millisecond)
}
