package console

import (
	"encoding/json"

	"github.com/tributary-go/tributary/affiliate"
)

type eventList struct {
	Items []affiliate.Event
	Types []option
}

// events lists what was told to the outside.
func events(v *visit) (view, error) {
	f := affiliate.EventFilter{Type: affiliate.EventType(v.query.Get("type"))}
	if object := v.query.Get("object"); object != "" {
		f.ObjectID = affiliate.Set(object)
	}
	list, err := v.program.Events(v.ctx(), f, v.page50())
	return view{title: "Events", template: "events", next: list.Next, Data: &eventList{list.Items, eventOptions()}}, err
}

// eventOptions returns the types of events to choose from.
func eventOptions() (all []option) {
	for _, t := range affiliate.EventTypes() {
		all = append(all, option{string(t), string(t)})
	}
	return all
}

// An eventSheet is the page of an event.
type eventSheet struct {
	affiliate.Event
	Deliveries []affiliate.Delivery
}

// eventPage shows an event, its payload and its deliveries.
func eventPage(v *visit) (view, error) {
	e, err := v.event()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Deliveries(v.ctx(), affiliate.DeliveryFilter{EventID: affiliate.Set(e.ID)}, affiliate.Page{Limit: 50})
	return view{title: string(e.Type), template: "event", Data: &eventSheet{e, list.Items}}, err
}

// event returns the one that the path names.
func (v *visit) event() (affiliate.Event, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Event{}, err
	}
	list, err := v.program.Events(v.ctx(), affiliate.EventFilter{ID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
	if err == nil && len(list.Items) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return affiliate.Event{}, err
	}
	return list.Items[0], nil
}

// Told returns the payload of an event; null once a person in it was erased.
func (e *eventSheet) Told() affiliate.Opt[json.RawMessage] {
	if len(e.Payload) == 0 {
		return affiliate.Null[json.RawMessage]()
	}
	return affiliate.Set(json.RawMessage(e.Payload))
}

// eventFile returns the payload of an event, whole.
func eventFile(v *visit) error {
	e, err := v.event()
	if err == nil && len(e.Payload) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return err
	}
	return v.textFile("event-"+e.ID.String()+".txt", string(e.Payload))
}
