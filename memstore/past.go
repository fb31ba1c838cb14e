package memstore

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// mergeStep is the number of records that one step of release moves.
const mergeStep = 256

// A past has the records of a table that were changed since a moment, as they
// were at that moment. So a View of the moment finds a record in the past, or
// in a later past, or else in the table. Each past is ordered and indexed like
// the table itself. Records are only added to it.
//
// A past has all its memory to itself, its buffers too: a View that ends moves
// records between pasts while an Update writes to the table. See [program].
type past[T record.Record[T]] struct {
	base
	number uint64 // of the moment
	rows   slab[*T]
	merged uint32       // how many records the past before this one has taken over
	raw    []record.Key // buffer for the keys of a record that is added
}

// A row in a past is nil for a record that did not exist at the moment. It has
// an id, but no place in the order and no keys.

// since returns the pasts that a View of a moment looks into, oldest first.
func (tab *table[T]) since(m *moment) []*past[T] {
	for i, p := range tab.pasts {
		if p.number >= m.number {
			return tab.pasts[i:]
		}
	}
	return nil
}

// remember adds the records that the transaction has changed to the last past.
// now is the newest moment that is held.
func (tab *table[T]) remember(now *moment) {
	p := tab.lastPast(now)
	olds := tab.log.olds
	for _, c := range tab.log.changes {
		id := tab.ids.at(c.slot)
		switch c.kind {
		case inserted:
			p.keep(id, nil)
		case replaced:
			p.keep(id, &olds[0])
			olds = olds[1:]
		case deleted:
			p.keep(id, tab.rows.at(c.slot))
		}
	}
}

// lastPast returns the past that has to keep changes now. The moment of the
// last past may be given up already, but Views of older moments look into it.
func (tab *table[T]) lastPast(now *moment) *past[T] {
	if n := len(tab.pasts); n > 0 && tab.pasts[n-1].number >= now.number {
		return tab.pasts[n-1]
	}
	p := &past[T]{number: now.number}
	p.name, p.indexes = tab.name, make([]index, len(tab.indexes))
	for i := range tab.indexes {
		p.indexes[i] = newIndex(tab.indexes[i].name)
	}
	tab.pasts = append(tab.pasts, p)
	return p
}

// keep adds a copy of a record, unless the past has that record from an earlier
// change. A nil record did not exist.
func (p *past[T]) keep(id *uuid.UUID, rec *T) {
	if p.knows(id) {
		return
	}
	if rec != nil {
		old := *rec
		rec = &old
	}
	p.add(id, rec)
}

// add adds a record that the past does not have.
func (p *past[T]) add(id *uuid.UUID, rec *T) {
	p.ids.grow()
	slot := p.rows.grow()
	*p.ids.at(slot), *p.rows.at(slot) = *id, rec
	p.byID.add(&p.ids, slot)
	if rec == nil {
		return
	}
	p.order.insert(&p.ids, slot)
	p.raw = (*rec).AppendKeys(p.raw[:0])
	if err := p.admit(id, p.raw); err != nil {
		panic(err) // the table held all records of a past at one moment
	}
	p.link(slot, p.raw)
}

func (p *past[T]) knows(id *uuid.UUID) bool {
	_, ok := p.slotOf(id)
	return ok
}

// hidden reports whether one of the pasts has another version of a record, so
// that the version of a later past or of the table is not valid.
func hidden[T record.Record[T]](pasts []*past[T], id *uuid.UUID) bool {
	return slices.ContainsFunc(pasts, func(p *past[T]) bool { return p.knows(id) })
}

// forget drops the pasts that no View looks into, and moves up to step records
// of a past to the one before it if no View begins its search between the two.
// It reports whether nothing is left to do.
func (tab *table[T]) forget(held []*moment, step uint32) bool {
	for len(tab.pasts) > 0 && (len(held) == 0 || tab.pasts[0].number < held[0].number) {
		tab.pasts[0] = nil
		tab.pasts = tab.pasts[1:]
	}
	if len(tab.pasts) == 0 {
		tab.pasts = nil
		return true
	}
	for i := 1; i < len(tab.pasts); i++ {
		to, from := tab.pasts[i-1], tab.pasts[i]
		between := func(m *moment) bool { return to.number < m.number && m.number <= from.number }
		if !slices.ContainsFunc(held, between) {
			if to.merge(from, step) {
				tab.pasts = slices.Delete(tab.pasts, i, i+1)
			}
			return false
		}
	}
	return true
}

// merge takes over up to step records of the next past, and reports whether all
// were moved. A moved record stays in its past too, where it is hidden by the
// one that was added.
func (p *past[T]) merge(from *past[T], step uint32) bool {
	end := from.rows.len()
	stop := min(end, from.merged+step)
	for slot := from.merged; slot < stop; slot++ {
		if id := from.ids.at(slot); !p.knows(id) {
			p.add(id, *from.rows.at(slot))
		}
	}
	from.merged = stop
	return stop == end
}

// getAt returns the record with an id at a moment.
func (tab *table[T]) getAt(m *moment, id uuid.UUID) (rec T, err error) {
	for _, p := range tab.since(m) {
		slot, ok := p.slotOf(&id)
		if !ok {
			continue
		}
		if old := *p.rows.at(slot); old != nil {
			return *old, nil
		}
		return rec, affiliate.ErrNotFound
	}
	if slot, ok := tab.slotOf(&id); ok {
		return *tab.rows.at(slot), nil
	}
	return rec, affiliate.ErrNotFound
}

// findAt returns the record that held a unique key at a moment.
func (tab *table[T]) findAt(m *moment, key *record.Key) (rec T, err error) {
	pasts := tab.since(m)
	for i, p := range pasts {
		slot, err := p.find(key)
		switch {
		case errors.Is(err, affiliate.ErrNotFound):
			continue
		case err == nil && hidden(pasts[:i], p.ids.at(slot)):
			return rec, affiliate.ErrNotFound
		case err != nil:
			return rec, err
		}
		return **p.rows.at(slot), nil
	}
	slot, err := tab.find(key)
	if err != nil {
		return rec, err
	}
	if hidden(pasts, tab.ids.at(slot)) {
		return rec, affiliate.ErrNotFound
	}
	return *tab.rows.at(slot), nil
}
