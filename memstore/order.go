package memstore

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"
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
