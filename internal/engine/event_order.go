package engine

import (
	"bytes"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// newEventID draws the id of an event. The ids of a program's events increase
// in the order of their commits, in all processes: a drawn id is raised above
// the id of the last event. Drawing alone is not enough, because a closure may
// run again with ids that it drew before another commit, and because the clocks
// of processes differ. Reading the last id and inserting a greater one happen
// in one serializable transaction. So a new event never has an id below one
// that a reader has seen, and the id is a position in the stream of events.
func (o *Op) newEventID() (uuid.UUID, error) {
	if !o.numbered {
		o.lastEvent, o.unread = uuid.Nil, nil // an earlier run of the closure may have set them
		o.Tx.Events.List(record.Query{Desc: true, Limit: 1})(o.sawEvent)
		if o.unread != nil {
			return uuid.Nil, o.unread
		}
		o.numbered = true
	}
	o.lastEvent = Above(o.NewID(), o.lastEvent)
	return o.lastEvent, nil
}

// Above returns the id, raised above last if it is not above it already.
func Above(id, last uuid.UUID) uuid.UUID {
	if bytes.Compare(id[:], last[:]) > 0 {
		return id
	}
	return increment(last)
}

// sawEvent records the last event. It is the body of a loop, see [gathering].
func (o *Op) sawEvent(last record.Event, err error) bool {
	o.lastEvent, o.unread = last.ID, err
	return err == nil
}

// increment returns the next id, which need not be a valid id of version 7.
func increment(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
