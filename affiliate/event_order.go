package affiliate

import (
	"bytes"

	"github.com/google/uuid"
)

// newEventID draws the id of an event. The ids of a program's events increase
// in the order of their commits, in all processes: a drawn id is raised above
// the id of the last event. Drawing alone is not enough, because a closure may
// run again with ids that it drew before another commit, and because the clocks
// of processes differ. Reading the last id and inserting a greater one happen
// in one serializable transaction. So a new event never has an id below one
// that a reader has seen, and the id is a position in the stream of events.
func (o *op) newEventID() (uuid.UUID, error) {
	if !o.numbered {
		o.lastEvent = uuid.Nil // an earlier run of the closure may have set it
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

// increment is the next id; it may not be a valid version 7 id.
func increment(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
