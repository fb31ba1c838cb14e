package affiliate

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// An Event is one change of one object, in the form that receivers get.
type Event struct {
	ID         uuid.UUID // the source of [Event.MessageID]
	Type       EventType
	ObjectID   string // a UUID, or the integer of a sale
	Revision   int64  // rises by one with every event of the object, from 1
	OccurredAt Time
	Actor      string // who changed the object: a person, a key; not in Payload, so receivers do not get it; empty: nobody said
	Reason     string // why, in the words of who changed it; not in Payload either; empty: nobody said, or a person in the event was erased
	Payload    []byte // the whole JSON, frozen; empty after a person in it was erased
}

// MessageID returns the id of the event on the wire, eventId and webhook-id:
// "evt_" and the 32 hex digits of its UUID.
func (e Event) MessageID() string {
	return string(uuid7.AppendHex(append(make([]byte, 0, 36), "evt_"...), e.ID))
}

// EventQuery selects the events that match every field that is set; without a
// field it selects all. An id that is set to null, to the zero id or to an
// empty text selects nothing.
//
// Source: ours, for Program.Events.
type EventQuery struct {
	ID       Opt[uuid.UUID]
	Type     EventType   // empty: any
	ObjectID Opt[string] // as in [Event]: a UUID, or the integer of a sale
}
