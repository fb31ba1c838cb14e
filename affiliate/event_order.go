package affiliate

import (
	"bytes"
	"sync"

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
		last, err := o.lastReaders.last(o.tx.Events)
		if err != nil {
			return uuid.Nil, err
		}
		o.lastEvent, o.numbered = last, true
	}
	id := o.newID()
	if bytes.Compare(id[:], o.lastEvent[:]) <= 0 {
		id = increment(o.lastEvent)
	}
	o.lastEvent = id
	return id, nil
}

// lastReaders are functions that read the last event, kept because every event
// needs one and binding it anew would cost an allocation.
type lastReaders struct{ pool sync.Pool }

// last is the id of the last event of a program; zero when there is none.
func (l *lastReaders) last(events Table[EventRecord]) (uuid.UUID, error) {
	r, ok := l.pool.Get().(*lastReader)
	if !ok {
		r = new(lastReader)
		r.take = r.note
	}
	r.id, r.err = uuid.Nil, nil
	events.List(Query{Desc: true, Limit: 1})(r.take)
	id, err := r.id, r.err
	l.pool.Put(r)
	return id, err
}

type lastReader struct {
	id   uuid.UUID
	err  error
	take func(EventRecord, error) bool // note, bound once
}

func (r *lastReader) note(rec EventRecord, err error) bool {
	r.id, r.err = rec.ID, err
	return false
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
