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
	var types []option
	for _, t := range affiliate.EventTypes() {
		types = append(types, option{string(t), string(t)})
	}
	return view{title: "Events", template: "events", next: list.Next, Data: &eventList{list.Items, types}}, err
}

// Payload is the payload of an event; null once a person in it was erased.
func (*eventList) Payload(e affiliate.Event) affiliate.Opt[json.RawMessage] {
	if len(e.Payload) == 0 {
		return affiliate.Null[json.RawMessage]()
	}
	return affiliate.Set(json.RawMessage(e.Payload))
}
