package affiliate

import "github.com/google/uuid"

// EventFilter selects the events that match every field that is set; without a
// field it selects all. An id that is set to null, to the zero id or to an
// empty text selects nothing.
//
// Source: ours, for Program.Events.
type EventFilter struct {
	ID       Opt[uuid.UUID]
	Type     EventType   // empty: any
	ObjectID Opt[string] // as in [Event]: a UUID, or the integer of a sale
}
