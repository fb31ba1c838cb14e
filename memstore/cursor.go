package memstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A cursor walks the slots that a query selects. While the table does not
// change, it keeps its place in the runs of an order. After a change it looks
// its place up again, by the id that it gave last.
type cursor struct {
	b    *base
	q    *record.Query
	ix   *index    // nil: the whole table
	slot uint32    // the slot given last
	last uuid.UUID // its id, or the id to start after; zero: start at the beginning

	version uint64    // the table's version when the place was looked up
	looks   int       // how often the place was looked up
	stop    uuid.UUID // the last id of the list at the first look

	o       order // the order that is walked; run and at are the place in it
	run, at int
}

// cursor starts a walk.
func (b *base) cursor(q *record.Query) (c cursor, err error) {
	c = cursor{b: b, q: q, last: q.After}
	if q.Key != (record.Key{}) {
		c.ix, err = b.index(q.Key.Index, false)
	}
	return c, err
}

// rest returns the query of what is left after n records.
func (c *cursor) rest(n int) record.Query {
	q := *c.q
	q.After = c.last
	q.Limit = max(0, q.Limit-n)
	return q
}

// next moves to the next slot, and reports whether there is one.
func (c *cursor) next() bool {
	switch {
	case c.looks == 0 || c.version != c.b.version:
		return c.look()
	case len(c.o.runs) == 0: // the key has a single slot, and it was given
		return false
	case c.q.Desc:
		c.at--
	default:
		c.at++
	}
	return c.settle()
}

// look finds the place after the last id in the current table.
func (c *cursor) look() bool {
	c.version = c.b.version
	c.looks++
	slot, ok := c.open()
	if !ok {
		return false
	}
	if len(c.o.runs) == 0 {
		return c.single(slot)
	}

	if c.looks == 1 {
		c.stop = *c.b.ids.at(c.o.end(!c.q.Desc))
	}
	switch {
	case c.last != uuid.Nil:
		c.run, c.at = c.o.seek(&c.b.ids, &c.last)
		if c.q.Desc {
			c.at--
		} else if run := c.o.runs[c.run]; c.at < len(run) && *c.b.ids.at(run[c.at]) == c.last {
			c.at++
		}
	case c.q.Desc:
		c.run = len(c.o.runs) - 1
		c.at = len(c.o.runs[c.run]) - 1
	}
	return c.settle()
}

// open finds the order to walk, or the slot when the key has a single one.
func (c *cursor) open() (slot uint32, ok bool) {
	c.o, c.run, c.at = order{}, 0, 0
	if c.ix == nil {
		c.o = c.b.order
		return 0, len(c.o.runs) > 0
	}

	ref, ok := c.ix.get(&c.q.Key)
	if ref >= listed {
		c.o = *c.ix.lists.at(ref &^ listed)
	}
	return ref, ok
}

// single takes the only slot of a key, unless the walk is past it.
func (c *cursor) single(slot uint32) bool {
	id := c.b.ids.at(slot)
	if c.looks == 1 {
		c.stop = *id
	}
	if c.last != uuid.Nil && !c.passes(&c.last, id) {
		return false
	}
	return c.take(slot)
}

// settle moves to the next run when the place is past the end of one, and takes
// the slot at the place.
func (c *cursor) settle() bool {
	if c.at < 0 {
		c.run--
		if c.run < 0 {
			return false
		}
		c.at = len(c.o.runs[c.run]) - 1
	}
	if c.at == len(c.o.runs[c.run]) {
		c.run++
		c.at = 0
		if c.run == len(c.o.runs) {
			return false
		}
	}
	return c.take(c.o.runs[c.run][c.at])
}

// take makes slot the current one, and reports whether it is not past the end
// that the list had at the start.
func (c *cursor) take(slot uint32) bool {
	c.slot, c.last = slot, *c.b.ids.at(slot)
	return c.looks == 1 || !c.passes(&c.stop, &c.last)
}

// passes reports whether the walk reaches y after x.
func (c *cursor) passes(x, y *uuid.UUID) bool {
	if c.q.Desc {
		return before(y, x)
	}
	return before(x, y)
}
