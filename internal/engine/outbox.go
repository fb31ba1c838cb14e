package engine

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// fanOut writes the deliveries of an event: one for each endpoint that exists
// at this moment and subscribes to the type, waiting when the endpoint is
// enabled and skipped when it is not. An endpoint created later gets nothing.
// It runs with every event, so it costs one walk over the endpoints and no more
// while there are none.
func (o *Op) fanOut(rec *record.Event) error {
	endpoints, err := o.endpoints.all(o.Tx.Endpoints, record.Query{})
	if err != nil {
		return refusal.Internal("list endpoints", err)
	}
	for i := range endpoints {
		if !slices.Contains(endpoints[i].Events, rec.Type) {
			continue
		}
		if err := o.deliver(rec, &endpoints[i], i); err != nil {
			return refusal.Internal("write delivery", err)
		}
	}
	return nil
}

// deliver writes the delivery of an event to an endpoint, by its number among
// all.
func (o *Op) deliver(rec *record.Event, ep *record.Endpoint, number int) error {
	d := record.Delivery{
		ID: o.NewID(), EventID: rec.ID, EndpointID: ep.ID, Type: rec.Type, State: affiliate.DeliverySkipped,
		CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	if !ep.Active {
		return o.Tx.Deliveries.Insert(d)
	}
	d.State, d.NextAttemptAt = affiliate.DeliveryPending, o.Now
	q := Queued(&d, rec)
	if wait := o.Cfg.Schedule[0]; wait == 0 {
		q.ID = PromptID(rec.ID, number)
	} else {
		q.Since = o.momentOf(rec)
		d.NextAttemptAt = q.Since.Add(wait)
		q.ID = o.QueueID(d.NextAttemptAt)
	}
	if err := o.Tx.Deliveries.Insert(d); err != nil {
		return err
	}
	return o.Tx.Queue.Insert(q)
}

// momentOf returns when an event happened, but never before earlier events, as far as
// ids tell: the queue keeps its order when the clock goes back.
func (o *Op) momentOf(rec *record.Event) affiliate.Instant {
	if o.Cfg.NewID != nil {
		return rec.OccurredAt
	}
	return Later(rec.OccurredAt, DueAt(record.Queue{ID: rec.ID}))
}

// Queued returns the entry of a delivery in the queue, without its place.
func Queued(d *record.Delivery, event *record.Event) record.Queue {
	return record.Queue{DeliveryID: d.ID, EndpointID: d.EndpointID, ObjectID: event.ObjectID, Revision: event.Revision}
}

const PromptBit = 0x80 // in the first byte

// DueAt returns the time that a place in the queue stands for. For a first attempt it
// is the time of the event, if the host's ids begin with one.
func DueAt(r record.Queue) affiliate.Instant {
	ms := int64(r.ID[0] &^ PromptBit)
	for _, b := range r.ID[1:6] {
		ms = ms<<8 | int64(b)
	}
	return affiliate.InstantOf(time.UnixMilli(ms))
}

// QueueID returns the place in the queue for a due time. Every id gets the stamp,
// because a host's own ids need not begin with a time.
func (o *Op) QueueID(due affiliate.Instant) uuid.UUID { return uuid7.Stamp(o.NewID(), due.Time()) }

// PromptID returns the place in the queue of a first attempt, which is due at once:
// the id of its event without version and variant, which are the same in all ids. The
// freed bits at the end number the endpoint among those that get the event. So places
// are in the order of the events, and none is used twice.
func PromptID(event uuid.UUID, endpoint int) uuid.UUID {
	high, low := binary.BigEndian.Uint64(event[:8]), binary.BigEndian.Uint64(event[8:])
	high = high>>16<<12 | high&0x0fff
	low &= 1<<62 - 1
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], high<<4|low>>58)
	binary.BigEndian.PutUint64(id[8:], low<<6|uint64(endpoint))
	id[0] |= PromptBit
	return id
}
