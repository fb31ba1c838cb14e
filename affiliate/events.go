package affiliate

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
)

// EventFilter selects events; all fields that are set must fit, none selects
// all.
type EventFilter struct {
	Type     EventType
	ObjectID string // as in [Event]: a UUID, or the integer of a sale
}

// Events lists the events that are kept, newest first: what happened, whether
// or not an endpoint was told. The events of an object are found by an index;
// those of a sale that is gone are not, since only its record knows under which
// identity they are kept, and cost a walk over the table. An object that never
// was has no events.
//
// Errors: [InvalidQuery].
//
// Source: ours, because a host that polls needs no endpoint.
func (p *Program) Events(ctx context.Context, f EventFilter, pg Page) (List[Event], error) {
	refused := first(inQuery(oneOfOrNone("event", f.Type, EventTypes())))
	if refused != nil {
		return List[Event]{}, refused
	}
	l, err := p.listing(pg, "events", f)
	if err != nil {
		return List[Event]{}, err
	}
	return view(ctx, p, func(o *op) (List[Event], error) {
		object, err := o.eventObject(f.ObjectID)
		if errors.Is(err, ErrNotFound) {
			return List[Event]{Items: []Event{}}, nil
		}
		if err != nil {
			return List[Event]{}, internal("find sale", err)
		}
		table := sieve[EventRecord]{Table: o.tx.Events, keep: func(e EventRecord) bool {
			return (f.Type == "" || e.Type == f.Type) && (object.number == 0 || e.Number == object.number)
		}}
		return collect(table, l.of(object.key), func(rec EventRecord) (Event, error) { return eventOf(rec), nil })
	})
}

// An eventObject is how the events of an object are found: by key, and by
// number when the key is missing.
type eventObject struct {
	key    Key
	number int64
}

// eventObject reads an object id as events show it. What is no id at all is
// ErrNotFound.
func (o *op) eventObject(id string) (eventObject, error) {
	if id == "" {
		return eventObject{}, nil
	}
	if object, err := uuid.Parse(id); err == nil && object.String() == id {
		return eventObject{key: Key{Index: OfObject, ID: object}}, nil
	}
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 || strconv.FormatInt(number, 10) != id {
		return eventObject{}, ErrNotFound
	}
	sale, err := o.tx.Sales.Find(Key{Index: ByNumber, ID: numberID(number)})
	if errors.Is(err, ErrNotFound) {
		return eventObject{number: number}, nil
	}
	return eventObject{key: Key{Index: OfObject, ID: sale.ID}}, err
}

// eventOf is the event as it is answered.
func eventOf(rec EventRecord) Event {
	e := Event{
		ID: rec.ID, Type: rec.Type, ObjectID: rec.ObjectID.String(), Revision: rec.Revision,
		OccurredAt: TimeOf(rec.OccurredAt), Payload: rec.Payload.Bytes(),
	}
	if rec.Number != 0 {
		e.ObjectID = strconv.FormatInt(rec.Number, 10)
	}
	return e
}
