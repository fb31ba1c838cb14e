package delivery

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Delivery implements tributary.Webhooks.Delivery.
func Delivery(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.Delivery, err error) {
	defer p.Begin(&ctx, "Delivery", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Delivery, error) {
		rec, err := o.Tx.Deliveries.Get(id)
		if err != nil {
			return affiliate.Delivery{}, err
		}
		event, err := o.Tx.Events.Get(rec.EventID)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return affiliate.Delivery{}, refusal.Internal("read event", err)
		}
		d := deliveryOf(rec)
		d.Payload = affiliate.Null[json.RawMessage]()
		if raw := event.Payload.Bytes(); raw != nil {
			d.Payload = affiliate.Set(json.RawMessage(raw))
		}
		return d, nil
	})
}

// Deliveries implements tributary.Webhooks.Deliveries.
func Deliveries(ctx context.Context, p *engine.Program, f affiliate.DeliveryQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Delivery], err error) {
	defer p.Begin(&ctx, "Deliveries", engine.Reads).End(&err)
	if err := refusal.First(checkDeliveryFilter(p, f)...); err != nil {
		return affiliate.List[affiliate.Delivery]{}, err
	}
	l, err := p.Listing(pg, "deliveries", texts(f))
	if err != nil {
		return affiliate.List[affiliate.Delivery]{}, err
	}
	since, until := p.FirstInstant(f.Since), p.Instant(f.Until)
	keep := func(d record.Delivery) bool {
		return (f.Event == "" || d.Type == f.Event) && engine.CreatedIn(d, since, until)
	}
	over := func(d record.Delivery) bool { return p.Before(d.CreatedAt, since) }
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Delivery], error) {
		table := engine.FilteredTable[record.Delivery]{Table: o.Tx.Deliveries, Keep: keep, Over: over}
		return engine.Chosen(table, choose(f), l,
			func(rec record.Delivery) (affiliate.Delivery, error) { return deliveryOf(rec), nil })
	})
}

// choose returns the choice of the filter. The index that leaves the fewest
// deliveries to walk comes last.
func choose(f affiliate.DeliveryQuery) (c engine.Choice[record.Delivery]) {
	if f.State != "" {
		c.Under(record.Key{Index: record.OfState, Text: string(f.State)},
			func(r *record.Delivery) bool { return r.State == f.State })
	}
	c.ByID(record.OfEndpoint, f.WebhookID, func(r *record.Delivery) uuid.UUID { return r.EndpointID })
	c.ByID(record.OfEvent, f.EventID, func(r *record.Delivery) uuid.UUID { return r.EventID })
	return c
}

// nextAttempt returns the time of the next attempt as it is shown: not before the
// delivery was created, even when the clock has gone back since.
func nextAttempt(r *record.Delivery) affiliate.Instant {
	if r.NextAttemptAt.IsZero() {
		return r.NextAttemptAt
	}
	return engine.Later(r.NextAttemptAt, r.CreatedAt)
}

// checkDeliveryFilter lists what is wrong with a filter. On the wire it is a
// query, so its errors are of the query.
func checkDeliveryFilter(p *engine.Program, f affiliate.DeliveryQuery) []*affiliate.Error {
	return []*affiliate.Error{
		engine.InQuery(refusal.OneOfOrNone("state", f.State, DeliveryStates())),
		engine.InQuery(refusal.OneOfOrNone("event", f.Event, affiliate.EventTypes())),
		engine.InQuery(refusal.FieldNotADate.About("since").When(!p.ValidDate(f.Since))),
		engine.InQuery(refusal.FieldNotADate.About("until").When(!p.ValidDate(f.Until))),
	}
}

func DeliveryStates() []affiliate.DeliveryState {
	return []affiliate.DeliveryState{affiliate.DeliveryPending, affiliate.DeliveryDelivered,
		affiliate.DeliveryFailed, affiliate.DeliverySkipped, affiliate.DeliveryCanceled}
}

// texts identifies a filter, for cursors.
func texts(f affiliate.DeliveryQuery) []string {
	date := func(o affiliate.Opt[affiliate.Date]) string {
		if d, ok := o.Get(); ok {
			return d.String()
		}
		return ""
	}
	return []string{f.WebhookID.Or(uuid.Nil).String(), f.EventID.Or(uuid.Nil).String(),
		string(f.State), string(f.Event), date(f.Since), date(f.Until)}
}

// deliveryOf returns the delivery as it is answered in a list.
func deliveryOf(rec record.Delivery) affiliate.Delivery {
	d := affiliate.Delivery{
		ID: rec.ID, WebhookID: rec.EndpointID,
		EventID: affiliate.Event{ID: rec.EventID}.MessageID(), Event: rec.Type,
		State:        rec.State,
		AttemptCount: int64(len(rec.Attempts)), NextAttemptAt: refusal.TimeOrNull(nextAttempt(&rec)),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
		Attempts: make([]affiliate.DeliveryAttempt, len(rec.Attempts)),
	}
	for i, a := range rec.Attempts {
		d.Attempts[i] = affiliate.DeliveryAttempt{
			At: affiliate.TimeOf(a.At.Time()), Trigger: trigger(&a), URL: a.URL,
			StatusCode: engine.OrNull(int64(a.Status)), DurationMS: a.Took.Milliseconds(),
			Error: engine.OrNull(a.Err), Response: engine.OrNull(a.Response),
		}
	}
	return d
}

func trigger(a *record.Attempt) affiliate.AttemptTrigger {
	if a.Manual {
		return affiliate.TriggerManual
	}
	return affiliate.TriggerAutomatic
}

// notice remembers a notice until the settlement is committed.
func (s *settlement) notice(kind affiliate.NoticeKind, ep *record.Endpoint, d *record.Delivery,
	state affiliate.DeliveryState) {
	if s.Cfg.OnNotice == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.notices = append(s.notices, affiliate.Notice{
		Kind: kind, Endpoint: ep.ID, Delivery: d.ID,
		EventID: affiliate.Event{ID: d.EventID}.MessageID(), Event: d.Type, State: state,
		Attempts: len(d.Attempts), Status: last.Status, Err: last.Err, Reason: ep.DisabledReason,
		At: affiliate.TimeOf(s.Now.Time()),
	})
}

// notify calls the host with the notices, in their order.
func notify(ctx context.Context, p *engine.Program, notices []affiliate.Notice) {
	for _, n := range notices {
		func() {
			defer p.Recovered(ctx, "OnNotice")
			p.Cfg.OnNotice(n)
		}()
	}
}

// observe remembers an attempt for the Observer until the settlement is committed.
func (s *settlement) observe(d *record.Delivery, state affiliate.DeliveryState) {
	if s.Cfg.Observer.Delivery == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.watched = append(s.watched, affiliate.DeliverySeen{
		Program: s.Cfg.ID, Endpoint: d.EndpointID, Event: d.Type, Attempt: len(d.Attempts),
		Status: last.Status, Trigger: trigger(last), Err: last.Err, State: state,
		Started: last.At.Time(), Took: last.Took, Lag: max(0, last.At.Sub(nextAttempt(d))),
	})
}

// tellDeliveries passes settled attempts to the Observer.
func tellDeliveries(o *engine.Op, all []affiliate.DeliverySeen) {
	ctx := o.HostContext()
	for _, d := range all {
		func() {
			defer o.Recovered(ctx, "Observer")
			o.Cfg.Observer.Delivery(ctx, d)
		}()
	}
}
