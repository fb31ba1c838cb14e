package httpapi

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// The requests that endpoints get: one webhook for each event type.
//
// Source: docs/contract.md 7.

func (d *drafter) webhooks() named[named[any]] {
	var out named[named[any]]
	for _, typ := range affiliate.EventTypes() {
		family, action, _ := strings.Cut(string(typ), ".")
		note := d.family(family)
		op := operation{
			Tags:        []string{note.tag},
			OperationID: "on" + strings.ToUpper(family[:1]) + family[1:] + strings.ToUpper(action[:1]) + action[1:],
			Summary:     "A " + note.noun + " was " + action,
			Parameters:  signatureHeaders(),
			RequestBody: &body{Required: true, Content: jsonContent(d.envelope(typ), d.examples(string(typ), "event"))},
			Responses: named[response]{
				{"2XX", response{Description: "Delivered. What is in the body does not matter. A type that the receiver does not know is answered so too."}},
				{"410", response{Description: "The endpoint is gone, and is disabled."}},
				{"default", response{Description: "Failed, and tried again. Retry-After is honoured, redirects are not followed."}},
			},
			Security: &[]security{},
		}
		out = append(out, entry[named[any]]{string(typ), named[any]{{strings.ToLower(http.MethodPost), op}}})
	}
	return out
}

// A familyNote is what the document says of a family of events: the tag of the
// resource, how the object is called, and what it looks like.
type familyNote struct {
	tag, noun string
	body      reflect.Type
}

func (d *drafter) family(name string) familyNote {
	note, ok := map[string]familyNote{
		"affiliate": {"Affiliates", "affiliate", reflect.TypeFor[affiliate.AffiliateBody]()},
		"referral":  {"Referrals", "referral", reflect.TypeFor[affiliate.ReferralBody]()},
		"sale":      {"Sales", "sale", reflect.TypeFor[affiliate.Sale]()},
		"coupon":    {"Coupons", "coupon", reflect.TypeFor[affiliate.Coupon]()},
		"promocode": {"Promotional codes", "promotional code", reflect.TypeFor[affiliate.Code]()},
	}[name]
	if !ok {
		d.t.Errorf("nothing is written about the events of %s", name)
	}
	return note
}

// envelope is the JSON of an event.
func (d *drafter) envelope(typ affiliate.EventType) schema {
	text := schema{Type: types{"string"}}
	field := func(name, text string, s schema) entry[schema] {
		s.Description = text
		return entry[schema]{name, s}
	}
	return schema{
		Type: types{"object"},
		Properties: named[schema]{
			field("event", "The event type.", schema{Type: text.Type, Const: string(typ)}),
			field("eventId", "The webhook-id of the request.", schema{Type: text.Type, Pattern: "^[A-Za-z0-9_-]{1,64}$"}),
			field("occurredAt", "When the change was made.", schema{Type: text.Type, Format: "date-time"}),
			field("programId", "The program.", schema{Type: text.Type, Format: "uuid"}),
			field("revision", "Rises by one with every event of the object, from 1; 0 on tests only.", schema{Type: types{"integer"}, Format: "int64", Minimum: "0"}),
			field("test", "There on tests only.", schema{Type: types{"boolean"}, Const: true}),
			{"body", d.eventBody(typ)},
		},
		Required: []string{"event", "eventId", "occurredAt", "programId", "revision", "body"},
	}
}

// eventBody is the object that an event contains.
func (d *drafter) eventBody(typ affiliate.EventType) schema {
	body := d.family(typ.Family()).body
	if strings.HasSuffix(string(typ), ".deleted") {
		body = reflect.TypeFor[affiliate.DeletedBody]()
		if typ == affiliate.SaleDeleted {
			body = reflect.TypeFor[affiliate.DeletedSaleBody]()
		}
	}
	return d.answerOf(shape{typ: body})
}

// signatureHeaders are the headers of every delivery.
func signatureHeaders() []parameter {
	header := func(name, text string, required bool, s schema) parameter {
		return parameter{Name: name, In: "header", Required: required, Description: text, Schema: s}
	}
	id := schema{Type: types{"string"}, Pattern: "^[A-Za-z0-9_-]{1,64}$"}
	stamp := schema{Type: types{"integer"}, Format: "int64"}
	signature := schema{Type: types{"string"}, Pattern: "^v1,[A-Za-z0-9+/]+={0,2}( v1,[A-Za-z0-9+/]+={0,2})*$"}
	const again = "There where the endpoint has svixHeaders: the same as "
	return []parameter{
		header("webhook-id", "The eventId: the same on every attempt, the key for dropping repeats.", true, id),
		header("webhook-timestamp", "Unix seconds of this attempt.", true, stamp),
		header("webhook-signature", "v1 signatures as in Standard Webhooks, one for each live secret, newest first.", true, signature),
		header("svix-id", again+"webhook-id.", false, id),
		header("svix-timestamp", again+"webhook-timestamp.", false, stamp),
		header("svix-signature", again+"webhook-signature.", false, signature),
	}
}
