package affiliate

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
)

// EventFilter selects the events that match every field that is set; without a
// field it selects all. An id that is set to null, to the zero id or to an
// empty text selects nothing.
//
// Source: ours, like [Program.Events].
type EventFilter struct {
	ID       Opt[uuid.UUID]
	Type     EventType   // empty: any
	ObjectID Opt[string] // as in [Event]: a UUID, or the integer of a sale
}

// Events lists the stored events, newest first, whether or not an endpoint
// subscribes to them. The events of an object are found with an index. Only for
// a deleted sale the whole table is read, because the key of its events was in
// the sale's record. An unknown object has no events.
//
// A page looks at no more than 5,000 events, so it may be short or empty although
// more follow: Next says so. The zero Page is the whole list, in one View.
//
// Errors: [InvalidQuery] (type, a bad page).
//
// Source: ours, because a host that polls needs no endpoint.
func (p *Program) Events(ctx context.Context, f EventFilter, pg Page) (_ List[Event], err error) {
	defer p.begin(&ctx, "Events", reads).end(&err)
	refused := first(inQuery(oneOfOrNone("type", f.Type, EventTypes())))
	if refused != nil {
		return List[Event]{}, refused
	}
	item := func(rec EventRecord) (Event, error) { return eventOf(rec), nil }
	if pg == (Page{}) {
		return view(ctx, p, func(o *op) (List[Event], error) {
			return chosen(o.tx.Events, o.chooseEvents(f), listing{query: Query{Desc: true}}, item)
		})
	}
	return found(ctx, p, hunt{pg, "events", f}, func(o *op, _ bool) *seeker[EventRecord, Event] {
		return &seeker[EventRecord, Event]{choice: o.chooseEvents(f), table: o.tx.Events, item: item}
	})
}

// chooseEvents turns the filter into a choice.
func (o *op) chooseEvents(f EventFilter) (c choice[EventRecord]) {
	if f.Type != "" {
		c.fits = append(c.fits, func(e *EventRecord) bool { return e.Type == f.Type })
	}
	o.chooseEventsOf(&c, f.ObjectID)
	c.one(f.ID)
	return c
}

// chooseEventsOf selects by the object.
func (o *op) chooseEventsOf(c *choice[EventRecord], object Opt[string]) {
	id, set := wanted(c, object)
	if !set {
		return
	}
	if object, err := uuid.Parse(id); err == nil && object.String() == id {
		c.byID(OfObject, Set(object), func(e *EventRecord) uuid.UUID { return e.ObjectID })
		return
	}
	o.chooseEventsOfSale(c, id)
}

// chooseEventsOfSale selects by the integer id of a sale: with its record, or,
// when the record was deleted, by the number in each event. A text that is not
// a number selects nothing.
func (o *op) chooseEventsOfSale(c *choice[EventRecord], id string) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 || strconv.FormatInt(number, 10) != id {
		c.fail(ErrNotFound)
		return
	}
	sale, err := o.tx.Sales.Find(Key{Index: ByNumber, ID: numberID(number)})
	switch {
	case err == nil:
		c.byID(OfObject, Set(sale.ID), func(e *EventRecord) uuid.UUID { return e.ObjectID })
	case errors.Is(err, ErrNotFound):
		c.fits = append(c.fits, func(e *EventRecord) bool { return e.Number == number })
	default:
		c.fail(internal("find sale", err))
	}
}

// eventOf is the event as it is answered.
func eventOf(rec EventRecord) Event {
	e := Event{
		ID: rec.ID, Type: rec.Type, ObjectID: rec.ObjectID.String(), Revision: rec.Revision,
		OccurredAt: TimeOf(rec.OccurredAt.Time()), Payload: rec.Payload.Bytes(),
	}
	if rec.Number != 0 {
		e.ObjectID = strconv.FormatInt(rec.Number, 10)
	}
	return e
}
