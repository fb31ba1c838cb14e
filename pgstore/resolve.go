package pgstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// resolve finds out whether an id and unique keys are in use, unless that is known
// already. It takes one round trip at most. It ignores a zero id.
func (tab *table[T]) resolve(id uuid.UUID, keys []record.Key) error {
	if err := tab.t.needOpening(); err != nil {
		return err
	}
	open := false
	if id != uuid.Nil && !tab.above("", id) {
		open = tab.open(record.Key{ID: id})
	}
	for _, key := range keys {
		if key.Index.Unique() && !(key.Index.IsID() && tab.above(key.Index, key.ID)) {
			open = tab.open(key) || open
		}
	}
	if !open {
		return nil
	}
	return tab.t.read()
}

// open notes a key for the next round trip, and reports whether its answer is open.
func (tab *table[T]) open(key record.Key) bool {
	tab.want(key)
	return !tab.knows(key)
}
