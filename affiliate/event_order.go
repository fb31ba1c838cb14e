package affiliate

import (
	"bytes"

	"github.com/google/uuid"
)

// newEventID draws the id of an event. The ids of a program's events increase
// in the order in which they commit, whoever commits them: what was drawn is
// raised above the last event there is. Drawing alone does not do it, since a
// closure may run again with what it drew before another one committed, and
// since clocks of processes differ. Reading the last id and inserting a greater
// one are in one serializable transaction, so no event can appear behind one
// that a reader has seen: the id is a position in the stream of events.
func (o *op) newEventID() (uuid.UUID, error) {
	if !o.numbered {
		o.lastEvent = uuid.Nil // an earlier run of the closure may have left one
		for last, err := range o.tx.Events.List(Query{Desc: true, Limit: 1}) {
			if err != nil {
				return uuid.Nil, err
			}
			o.lastEvent = last.ID
		}
		o.numbered = true
	}
	id := o.newID()
	if bytes.Compare(id[:], o.lastEvent[:]) <= 0 {
		id = increment(o.lastEvent)
	}
	o.lastEvent = id
	return id, nil
}

// increment is the next id, whatever its version.
func increment(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
