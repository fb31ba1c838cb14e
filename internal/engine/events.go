package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Events implements tributary.Program.Events.
func (p *Program) Events(ctx context.Context, f affiliate.EventFilter, pg affiliate.Page) (_ affiliate.List[affiliate.Event], err error) {
	defer p.Begin(&ctx, "Events", Reads).End(&err)
	refused := refusal.First(InQuery(refusal.OneOfOrNone("type", f.Type, affiliate.EventTypes())))
	if refused != nil {
		return affiliate.List[affiliate.Event]{}, refused
	}
	item := func(rec record.Event) (affiliate.Event, error) { return eventOf(rec), nil }
	if pg == (affiliate.Page{}) {
		return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Event], error) {
			return Chosen(o.Tx.Events, o.chooseEvents(f), listing{Query: record.Query{Desc: true}}, item)
		})
	}
	return Found(ctx, p, Hunt{Page: pg, Operation: "events", Query: f}, func(o *Op, _ bool) *Seeker[record.Event, affiliate.Event] {
		return &Seeker[record.Event, affiliate.Event]{Choice: o.chooseEvents(f), Table: o.Tx.Events, Item: item}
	})
}

// chooseEvents turns the filter into a choice.
func (o *Op) chooseEvents(f affiliate.EventFilter) (c Choice[record.Event]) {
	if f.Type != "" {
		c.Fits = append(c.Fits, func(e *record.Event) bool { return e.Type == f.Type })
	}
	o.chooseEventsOf(&c, f.ObjectID)
	c.one(f.ID)
	return c
}

// chooseEventsOf selects by the object.
func (o *Op) chooseEventsOf(c *Choice[record.Event], object affiliate.Opt[string]) {
	id, set := Wanted(c, object)
	if !set {
		return
	}
	if object, err := uuid.Parse(id); err == nil && object.String() == id {
		c.ByID(record.OfObject, affiliate.Set(object), func(e *record.Event) uuid.UUID { return e.ObjectID })
		return
	}
	o.chooseEventsOfSale(c, id)
}

// chooseEventsOfSale selects by the integer id of a sale: with its record, or,
// when the record was deleted, by the number in each event. A text that is not
// a number selects nothing.
func (o *Op) chooseEventsOfSale(c *Choice[record.Event], id string) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 || strconv.FormatInt(number, 10) != id {
		c.Fail(affiliate.ErrNotFound)
		return
	}
	sale, err := o.Tx.Sales.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(number)})
	switch {
	case err == nil:
		c.ByID(record.OfObject, affiliate.Set(sale.ID), func(e *record.Event) uuid.UUID { return e.ObjectID })
	case errors.Is(err, affiliate.ErrNotFound):
		c.Fits = append(c.Fits, func(e *record.Event) bool { return e.Number == number })
	default:
		c.Fail(refusal.Internal("find sale", err))
	}
}

// eventOf returns the event as it is answered.
func eventOf(rec record.Event) affiliate.Event {
	e := affiliate.Event{
		ID: rec.ID, Type: rec.Type, ObjectID: rec.ObjectID.String(), Revision: rec.Revision,
		OccurredAt: affiliate.TimeOf(rec.OccurredAt.Time()), Actor: rec.Actor, Reason: rec.Reason, Payload: rec.Payload.Bytes(),
	}
	if rec.Number != 0 {
		e.ObjectID = strconv.FormatInt(rec.Number, 10)
	}
	return e
}
