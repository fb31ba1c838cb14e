package affiliate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Delivery returns a delivery with its payload.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (p *Program) Delivery(ctx context.Context, id uuid.UUID) (_ Delivery, err error) {
	defer p.begin(&ctx, "Delivery", reads).end(&err)
	return view(ctx, p, func(o *op) (Delivery, error) {
		rec, err := o.tx.Deliveries.Get(id)
		if err != nil {
			return Delivery{}, err
		}
		event, err := o.tx.Events.Get(rec.EventID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return Delivery{}, internal("read event", err)
		}
		d := deliveryOf(rec)
		d.Payload = Null[json.RawMessage]()
		if raw := event.Payload.Bytes(); raw != nil {
			d.Payload = Set(json.RawMessage(raw))
		}
		return d, nil
	})
}

// Deliveries lists deliveries without their payloads, newest first. It walks
// those of the event, else of the endpoint, else those in the state, else all,
// back to Since.
//
// Errors: [InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (p *Program) Deliveries(ctx context.Context, f DeliveryFilter, pg Page) (_ List[Delivery], err error) {
	defer p.begin(&ctx, "Deliveries", reads).end(&err)
	if err := first(p.checkDeliveryFilter(f)...); err != nil {
		return List[Delivery]{}, err
	}
	l, err := p.listing(pg, "deliveries", f.texts())
	if err != nil {
		return List[Delivery]{}, err
	}
	since, until := p.firstInstant(f.Since), p.instant(f.Until)
	keep := func(d DeliveryRecord) bool {
		return (f.Event == "" || d.Type == f.Event) && createdIn(d, since, until)
	}
	over := func(d DeliveryRecord) bool { return d.CreatedAt.Before(since.Add(-clockSlack)) }
	return view(ctx, p, func(o *op) (List[Delivery], error) {
		table := filtered[DeliveryRecord]{Table: o.tx.Deliveries, keep: keep, over: over}
		return chosen(table, f.choose(), l, func(rec DeliveryRecord) (Delivery, error) { return deliveryOf(rec), nil })
	})
}

// choose is what the filter selects by an index: the one that leaves the fewest
// deliveries to walk comes last.
func (f DeliveryFilter) choose() (c choice[DeliveryRecord]) {
	if f.State != "" {
		c.under(Key{Index: OfState, Text: string(f.State)}, func(r *DeliveryRecord) bool { return r.State == f.State })
	}
	c.byID(OfEndpoint, f.WebhookID, func(r *DeliveryRecord) uuid.UUID { return r.EndpointID })
	c.byID(OfEvent, f.EventID, func(r *DeliveryRecord) uuid.UUID { return r.EventID })
	return c
}

// nextAttempt is when the next attempt is made, as it is shown: not before the
// delivery was created, also where the clock has gone back since.
func (r *DeliveryRecord) nextAttempt() Instant {
	if r.NextAttemptAt.IsZero() {
		return r.NextAttemptAt
	}
	return later(r.NextAttemptAt, r.CreatedAt)
}

// createdIn reports whether a delivery was created in a range; a zero end is
// open.
func createdIn(d DeliveryRecord, since, until Instant) bool {
	return !d.CreatedAt.Before(since) &&
		(until.IsZero() || !d.CreatedAt.Truncate(time.Millisecond).After(until))
}

// clockSlack is how far clocks may disagree or go back without a walk by id,
// newest first, ending too early for a filter by time.
const clockSlack = 24 * time.Hour

// checkDeliveryFilter lists what is wrong with a filter. On the wire it is a
// query, so its errors are of the query.
func (p *Program) checkDeliveryFilter(f DeliveryFilter) []*Error {
	return []*Error{
		inQuery(oneOfOrNone("state", f.State, deliveryStates())),
		inQuery(oneOfOrNone("event", f.Event, EventTypes())),
		inQuery(FieldNotADate.about("since").when(!p.validDate(f.Since))),
		inQuery(FieldNotADate.about("until").when(!p.validDate(f.Until))),
	}
}

func deliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliverySkipped, DeliveryCanceled}
}

// inQuery is a field error as an error of the query.
func inQuery(err *Error) *Error {
	if err != nil {
		err.Reason = InvalidQuery
	}
	return err
}

// firstInstant is the start of a date that may not be given; zero then.
func (p *Program) firstInstant(o Opt[Date]) Instant {
	d, ok := o.Get()
	if !ok {
		return Instant{}
	}
	return InstantOf(d.FirstInstant(p.cfg.Location))
}

// texts tell filters apart, for cursors.
func (f DeliveryFilter) texts() []string {
	date := func(o Opt[Date]) string {
		if d, ok := o.Get(); ok {
			return d.String()
		}
		return ""
	}
	return []string{f.WebhookID.Or(uuid.Nil).String(), f.EventID.Or(uuid.Nil).String(), string(f.State), string(f.Event), date(f.Since), date(f.Until)}
}

// deliveryOf is the delivery as it is answered in a list.
func deliveryOf(rec DeliveryRecord) Delivery {
	d := Delivery{
		ID: rec.ID, WebhookID: rec.EndpointID, EventID: Event{ID: rec.EventID}.MessageID(), Event: rec.Type, State: rec.State,
		AttemptCount: int64(len(rec.Attempts)), NextAttemptAt: timeOrNull(rec.nextAttempt()),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
		Attempts: make([]DeliveryAttempt, len(rec.Attempts)),
	}
	for i, a := range rec.Attempts {
		d.Attempts[i] = DeliveryAttempt{
			At: TimeOf(a.At.Time()), Trigger: a.trigger(), URL: a.URL, StatusCode: orNull(int64(a.Status)),
			DurationMS: a.Took.Milliseconds(), Error: orNull(a.Err), Response: orNull(a.Response),
		}
	}
	return d
}

func (a *AttemptRecord) trigger() AttemptTrigger {
	if a.Manual {
		return TriggerManual
	}
	return TriggerAutomatic
}
