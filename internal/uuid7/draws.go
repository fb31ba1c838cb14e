package uuid7

import "github.com/google/uuid"

// Draws remembers what an operation drew, so that a closure that runs again
// gets the same ids.
type Draws struct {
	drawn []uuid.UUID
	next  int
	room  [6]uuid.UUID // of the common operations: no allocation
}

// Rewind starts another run.
func (d *Draws) Rewind() { d.next = 0 }

// Draw returns the next id of this run: the one of the run before, or a new one.
func (d *Draws) Draw(make func() uuid.UUID) uuid.UUID {
	if d.drawn == nil {
		d.drawn = d.room[:0]
	}
	if d.next == len(d.drawn) {
		d.drawn = append(d.drawn, make())
	}
	d.next++
	return d.drawn[d.next-1]
}
