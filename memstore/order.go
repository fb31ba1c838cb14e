package memstore

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A run of an order is split when it has more than maxRun slots. Two
// neighbouring runs are joined when they have at most joinRun slots together.
const (
	maxRun  = 512
	joinRun = maxRun / 2
)

// An order is a set of slots in the order of their ids. An entry takes four
// bytes, because the ids are in the slab that every method gets. The id of a
// slot must be in the slab before the slot is inserted and until it is removed.
// Slots are in runs, so that a change in the middle moves at most one run and,
// rarely, the list of runs.
type order struct {
	runs [][]uint32 // none is empty
	last uuid.UUID  // the highest id, so that most inserts need not look it up
}

// ids are the ids of slots.
type ids = slab[uuid.UUID]

// before compares ids as bytes.
func before(a, b *uuid.UUID) bool {
	x, y := binary.BigEndian.Uint64(a[:8]), binary.BigEndian.Uint64(b[:8])
	if x != y {
		return x < y
	}
	return binary.BigEndian.Uint64(a[8:]) < binary.BigEndian.Uint64(b[8:])
}

// end returns the slot with the highest id, or the lowest, of an order that is
// not empty.
func (o *order) end(highest bool) uint32 {
	if !highest {
		return o.runs[0][0]
	}
	run := o.runs[len(o.runs)-1]
	return run[len(run)-1]
}

// after reports whether id comes after all ids of the order.
func (o *order) after(id *uuid.UUID) bool {
	return len(o.runs) == 0 || before(&o.last, id)
}

// insert adds a slot whose id is not in the order yet.
func (o *order) insert(of *ids, slot uint32) {
	id := of.at(slot)
	if o.after(id) {
		o.append(slot)
		o.last = *id
		return
	}

	run, at := o.seek(of, id)
	if full := o.runs[run]; len(full) == maxRun {
		half := make([]uint32, maxRun/2, maxRun)
		copy(half, full[maxRun/2:])
		o.runs[run] = full[:maxRun/2]
		o.runs = slices.Insert(o.runs, run+1, half)
		if at > maxRun/2 {
			run, at = run+1, at-maxRun/2
		}
	}
	o.runs[run] = slices.Insert(o.runs[run], at, slot)
}

// append adds a slot at the end. The caller sets last.
func (o *order) append(slot uint32) {
	n := len(o.runs)
	switch {
	case n == 0:
		o.runs = append(o.runs, append(make([]uint32, 0, 4), slot))
	case len(o.runs[n-1]) == maxRun:
		o.runs = append(o.runs, append(make([]uint32, 0, maxRun), slot))
	default:
		o.runs[n-1] = append(o.runs[n-1], slot)
	}
}

// remove removes a slot of the order. Removing the first one does not move the
// rest, because a queue is emptied from its head.
func (o *order) remove(of *ids, slot uint32) {
	o.cut(o.seek(of, of.at(slot)))
	if len(o.runs) > 0 {
		o.last = *of.at(o.end(true))
	}
}

// cut removes the slot at a place.
func (o *order) cut(run, at int) {
	switch {
	case at > 0:
		o.runs[run] = slices.Delete(o.runs[run], at, at+1)
	case len(o.runs[run]) > 1:
		o.runs[run] = o.runs[run][1:]
	case run > 0:
		o.runs = slices.Delete(o.runs, run, run+1)
		return
	default:
		o.runs[0] = nil
		o.runs = o.runs[1:]
		return
	}
	o.join(run)
	o.join(run - 1)
}

// join joins a run and the next one when they are short.
func (o *order) join(run int) {
	if run < 0 || run+1 >= len(o.runs) || len(o.runs[run])+len(o.runs[run+1]) > joinRun {
		return
	}
	o.runs[run] = append(o.runs[run], o.runs[run+1]...)
	o.runs = slices.Delete(o.runs, run+1, run+2)
}

// seek returns the first place whose id is not before id. The place may be the
// end of a run; the next entry is then the start of the next run, if any.
func (o *order) seek(of *ids, id *uuid.UUID) (run, at int) {
	low, high := 1, len(o.runs) // the last run that starts at or before id
	for low < high {
		mid := int(uint(low+high) / 2)
		if before(id, of.at(o.runs[mid][0])) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	run = low - 1

	low, high = 0, len(o.runs[run])
	for low < high {
		mid := int(uint(low+high) / 2)
		if before(of.at(o.runs[run][mid]), id) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return run, low
}

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
