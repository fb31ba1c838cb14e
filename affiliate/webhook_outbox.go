package affiliate

import (
	"slices"
)

// fanOut writes the deliveries of an event: one for each endpoint that exists
// at this moment and subscribes to the type, waiting when the endpoint is
// enabled and skipped when it is not. An endpoint created later gets nothing.
// It runs with every event, so it costs one walk over the endpoints and no more
// while there are none.
func (o *op) fanOut(rec *EventRecord) error {
	endpoints, err := o.endpoints.all(o.tx.Endpoints, Query{})
	if err != nil {
		return internal("list endpoints", err)
	}
	for i := range endpoints {
		if !slices.Contains(endpoints[i].Events, rec.Type) {
			continue
		}
		if err := o.deliver(rec, &endpoints[i], i); err != nil {
			return internal("write delivery", err)
		}
	}
	return nil
}

// deliver writes the delivery of an event to an endpoint, by its number among
// all.
func (o *op) deliver(rec *EventRecord, ep *EndpointRecord, number int) error {
	d := DeliveryRecord{
		ID: o.newID(), EventID: rec.ID, EndpointID: ep.ID, Type: rec.Type, State: DeliverySkipped,
		CreatedAt: o.now, UpdatedAt: o.now,
	}
	if !ep.Active {
		return o.tx.Deliveries.Insert(d)
	}
	d.State, d.NextAttemptAt = DeliveryPending, o.now
	q := queued(&d, rec)
	if wait := o.cfg.Schedule[0]; wait == 0 {
		q.ID = promptID(rec.ID, number)
	} else {
		q.Since = o.momentOf(rec)
		d.NextAttemptAt = q.Since.Add(wait)
		q.ID = o.queueID(d.NextAttemptAt)
	}
	if err := o.tx.Deliveries.Insert(d); err != nil {
		return err
	}
	return o.tx.Queue.Insert(q)
}

// momentOf is when an event happened, and not before those that were committed
// before it, as far as ids tell: what waits keeps its order when the clock goes
// back.
func (o *op) momentOf(rec *EventRecord) Instant {
	if o.cfg.NewID != nil {
		return rec.OccurredAt
	}
	return later(rec.OccurredAt, QueueRecord{ID: rec.ID}.due())
}

// queued is the entry of a delivery in the queue, without its place.
func queued(d *DeliveryRecord, event *EventRecord) QueueRecord {
	return QueueRecord{DeliveryID: d.ID, EndpointID: d.EndpointID, ObjectID: event.ObjectID, Revision: event.Revision}
}
