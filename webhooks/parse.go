package webhooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
)

// ErrPayload means that a payload is not an event, or that its body does not
// fit the wanted type. Its text names keys and rules, and never values that
// were sent.
var ErrPayload = errors.New("webhooks: payload refused")

const maxDepth = 64 // levels of objects and arrays in a payload

// An Event is the payload of one request.
type Event struct {
	Type       affiliate.EventType // may be unknown to this version
	ID         string              // the same on every attempt; empty when not given
	OccurredAt time.Time           // the time of the change, not of the attempt; zero when not given
	ProgramID  string              // empty when not given
	Revision   int64               // rises with each event of an object, so an event with a lower one is older; 0 when not given
	Test       bool                // a test delivery: nothing has changed
	Body       json.RawMessage     // the object, or {"id": …} when it was deleted; shares memory with Raw
	Raw        []byte              // the whole payload
}

// Parse reads a payload that was verified. It accepts event types and keys that
// this version does not know, and the short form {"event", "body"}. It refuses
// whatever two readers could understand differently: a repeated key, a known
// key in another letter case, invalid UTF-8, anything after the object, more
// than 64 levels. The event keeps payload, so the caller must not change it
// afterwards.
//
// Errors: [ErrPayload].
//
// Source: docs/contract.md 7.2; the strictness is ours.
func Parse(payload []byte) (Event, error) {
	e := Event{Raw: payload}
	if err := checkJSON(payload); err != nil {
		return Event{}, err
	}
	seen := make(map[string]bool, 8)
	for name, value := range jsontext.Members(payload) {
		key := string(name)
		if seen[key] {
			return Event{}, refuse("a key is given twice")
		}
		seen[key] = true
		if err := e.set(key, value); err != nil {
			return Event{}, err
		}
	}
	switch {
	case e.Type == "":
		return Event{}, refuse("no event")
	case e.Body == nil:
		return Event{}, refuse("no body")
	}
	if e.Type.Known() && strings.HasSuffix(string(e.Type), ".deleted") {
		if err := checkDeleted(e); err != nil {
			return Event{}, err
		}
	}
	return e, nil
}

// Decode reads the body of an event into its type: [affiliate.Sale] for
// sale.created and sale.updated; [affiliate.AffiliateBody],
// [affiliate.ReferralBody], [affiliate.Coupon] and [affiliate.Code] for the
// other families; [affiliate.DeletedSaleBody] and [affiliate.DeletedBody] for
// events of deletes. Amounts are read exactly. An empty body is read as the
// zero value.
//
// Errors: [ErrPayload].
func Decode[T any](e Event) (T, error) {
	var body, zero T
	err := json.Unmarshal(e.Body, &body)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return zero, refuse("body." + wrong.Field + " is of another type")
	}
	if err != nil {
		return zero, refuse(fmt.Sprintf("the body is no %T", zero))
	}
	return body, nil
}

func refuse(reason string) error { return fmt.Errorf("%w: %s", ErrPayload, reason) }

// set reads one key of the envelope.
func (e *Event) set(key string, value json.RawMessage) error {
	ok := true
	switch key {
	case "event":
		ok = text(value, &e.Type) && e.Type != ""
	case "eventId":
		ok = text(value, &e.ID) && validID(e.ID)
	case "occurredAt":
		ok = value[0] == '"' && json.Unmarshal(value, &e.OccurredAt) == nil
	case "programId":
		ok = text(value, &e.ProgramID)
	case "revision":
		ok = integer(value, &e.Revision) && e.Revision >= 0
	case "test":
		ok = value[0] != 'n' && json.Unmarshal(value, &e.Test) == nil
	case "body":
		ok = value[0] == '{'
		e.Body = value
	default:
		return misspelt(key)
	}
	if !ok {
		return refuse(key + " is malformed")
	}
	return nil
}

// misspelt refuses a key of the envelope in another letter case. Other unknown
// keys are ignored.
func misspelt(key string) error {
	for _, known := range []string{"event", "eventId", "occurredAt", "programId", "revision", "test", "body"} {
		if strings.EqualFold(key, known) {
			return refuse(known + " in another letter case")
		}
	}
	return nil
}

// text reads a JSON string. It refuses null.
func text[T ~string](value json.RawMessage, into *T) bool {
	return value[0] == '"' && json.Unmarshal(value, into) == nil
}

// integer reads a JSON number without fraction and exponent.
func integer(value json.RawMessage, into *int64) bool {
	return value[0] != 'n' && json.Unmarshal(value, into) == nil
}

// checkDeleted checks the id of a deleted object, the only key in its body that
// is used.
func checkDeleted(e Event) error {
	var id json.RawMessage
	for name, value := range jsontext.Members(e.Body) {
		switch {
		case string(name) == "id" && id == nil:
			id = value
		case strings.EqualFold(string(name), "id"):
			return refuse("body.id is given twice")
		}
	}
	var (
		number int64
		name   string
	)
	ok := id != nil
	if ok && e.Type == affiliate.SaleDeleted {
		ok = integer(id, &number)
	} else if ok {
		ok = text(id, &name) && name != ""
	}
	if !ok {
		return refuse("body.id is missing or malformed")
	}
	return nil
}

// checkJSON accepts one JSON object of at most maxDepth levels and white space
// around it.
func checkJSON(payload []byte) error {
	if !utf8.Valid(payload) {
		return refuse("invalid UTF-8")
	}
	r := jsontext.Reader{MaxDepth: maxDepth}
	switch fault := r.Read(payload, nil); {
	case fault == jsontext.Depth:
		return refuse("nested too deeply")
	case fault != jsontext.OK:
		return refuse("not JSON")
	case jsontext.First(payload) != '{':
		return refuse("not an object")
	}
	return nil
}
