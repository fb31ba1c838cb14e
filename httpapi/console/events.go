package console

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// events lists what was told to the outside.
func events(v *visit) (view, error) {
	f := affiliate.EventQuery{Type: affiliate.EventType(v.query.Get("type"))}
	if object := v.query.Get("object"); object != "" {
		f.ObjectID = affiliate.Set(object)
	}
	list, err := v.program.Events(v.Ctx(), f, v.Page50())
	return view{title: "Events", template: "events", next: list.Next, Data: list.Items}, err
}

// eventOptions returns the types of events to choose from.
func eventOptions() (all []option) {
	for _, t := range affiliate.EventTypes() {
		all = append(all, option{string(t), string(t)})
	}
	return all
}

// A past is an event, and what it has changed.
type past struct {
	affiliate.Event
	Changed string // for people; empty: that is not known
}

// changes are the members of an affiliate whose changes the history names.
var changes = []struct{ member, called string }{
	{"firstName", "first name"}, {"lastName", "last name"}, {"email", "email"},
	{"externalId", "your own id"}, {"commissionRate", "rate"},
	{"commissionPlanId", "plan"}, {"commissionTierId", "tier"},
	{"exemptFromCommissionTierChanges", "exempt from tiers"}, {"offerCouponId", "offer"},
	{"payoutEmail", "payout email"}, {"paymentMethod", "payment method"}, {"affiliateLinks", "links"},
}

// History returns events, the newest first, with what each has changed of an affiliate. That of
// the oldest is not known, as what was before it is not there.
func (*view) History(events []affiliate.Event) []past {
	all := make([]past, len(events))
	for i, e := range events {
		all[i].Event = e
		for _, before := range events[i+1:] {
			if before.ObjectID == e.ObjectID && before.Revision == e.Revision-1 {
				all[i].Changed = changed(bodyOf(before), bodyOf(e))
			}
		}
	}
	return all
}

// bodyOf returns the members of what changed; nil when a person in it was erased.
func bodyOf(e affiliate.Event) map[string]json.RawMessage {
	if !strings.HasPrefix(string(e.Type), "affiliate.") {
		return nil
	}
	return toldOf(e)
}

// toldOf returns the members of the body of an event; nil when a person in it was erased.
func toldOf(e affiliate.Event) map[string]json.RawMessage {
	var told struct {
		Body map[string]json.RawMessage `json:"body"`
	}
	if json.Unmarshal(e.Payload, &told) != nil {
		return nil
	}
	return told.Body
}

// changed says what tells two bodies apart.
func changed(before, after map[string]json.RawMessage) string {
	if before == nil || after == nil {
		return ""
	}
	var said []string
	var status affiliate.AffiliateStatus
	if is := after["status"]; !bytes.Equal(before["status"], is) && json.Unmarshal(is, &status) == nil {
		said = append(said, "status: "+strings.ToLower(page.Words(status)))
	}
	for _, c := range changes {
		if !bytes.Equal(before[c.member], after[c.member]) {
			said = append(said, c.called)
		}
	}
	if len(said) == 0 {
		return "what events do not have, such as the note"
	}
	return strings.Join(said, ", ")
}

// An eventSheet is the page of an event.
type eventSheet struct {
	affiliate.Event
	Deliveries []affiliate.Delivery
}

// eventPage shows an event, its payload and its deliveries.
func eventPage(v *visit) (view, error) {
	e, err := ofEvent.named(v)
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Webhooks().Deliveries(v.Ctx(),
		affiliate.DeliveryQuery{EventID: affiliate.Set(e.ID)}, affiliate.Page{Limit: 50})
	return view{title: string(e.Type), template: "event", Data: &eventSheet{e, list.Items}}, err
}

var ofEvent = noun[affiliate.Event]{"events/", func(v *visit, id uuid.UUID) (affiliate.Event, error) {
	return first(v.program.Events(v.Ctx(), affiliate.EventQuery{ID: affiliate.Set(id)}, only))
}}

// Told returns the payload of an event; null once a person in it was erased.
func (e *eventSheet) Told() affiliate.Opt[json.RawMessage] {
	if len(e.Payload) == 0 {
		return affiliate.Null[json.RawMessage]()
	}
	return affiliate.Set(json.RawMessage(e.Payload))
}

// eventFile returns the payload of an event, whole.
func eventFile(v *visit) error {
	e, err := ofEvent.named(v)
	if err == nil && len(e.Payload) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return err
	}
	return v.textFile("event-"+e.ID.String()+".txt", string(e.Payload))
}
