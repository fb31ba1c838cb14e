package memstore

import (
	"slices"
	"sync"
	"sync/atomic"
)

// The largest capacity of a log that is kept for the next transaction. A larger
// log is freed, because large transactions are rare.
const (
	keepChanges = 4096
	keepOlds    = 256
)

// A kind is the kind of a write.
type kind uint8

const (
	inserted kind = iota
	replaced
	deleted
)

// A change is one write. The log also has the record that a replacement
// overwrote. A deleted record is still in its slot.
type change struct {
	kind kind
	slot uint32
}

// A log holds the writes of a transaction to one table, oldest first.
type log[T any] struct {
	changes []change
	olds    []T // the overwritten record of each replacement
	deletes int
}

// note adds a change. With the first change of a transaction it adds the table
// to the program's list of changed tables.
func (tab *table[T]) note(c change) {
	if len(tab.log.changes) == 0 {
		tab.p.changed = append(tab.p.changed, tab)
	}
	tab.log.changes = append(tab.log.changes, c)
	if c.kind == deleted {
		tab.log.deletes++
	}
}

// commit frees the slots of deleted records.
func (tab *table[T]) commit() {
	if tab.log.deletes > 0 {
		for _, c := range tab.log.changes {
			if c.kind == deleted {
				tab.giveSlot(c.slot)
			}
		}
	}
	tab.log.reset()
}

// rollback undoes the changes, newest first.
func (tab *table[T]) rollback() {
	olds := tab.log.olds
	for i := len(tab.log.changes) - 1; i >= 0; i-- {
		c := tab.log.changes[i]
		switch c.kind {
		case inserted:
			tab.detach(c.slot)
			tab.giveSlot(c.slot)
		case deleted:
			tab.attach(c.slot)
		case replaced:
			old := olds[len(olds)-1]
			olds = olds[:len(olds)-1]
			tab.rekey(c.slot, tab.held(c.slot), tab.heldBy(old, tab.keys))
			*tab.rows.at(c.slot) = old
		}
	}
	tab.log.reset()
}

// reset empties the log, so that its records can be garbage collected.
func (l *log[T]) reset() {
	clear(l.olds)
	l.changes, l.olds, l.deletes = l.changes[:0], l.olds[:0], 0
	if cap(l.changes) > keepChanges {
		l.changes = nil
	}
	if cap(l.olds) > keepOlds {
		l.olds = nil
	}
}

// A history has the moments of a program that long Views still see. While there
// is none, it costs a commit one comparison.
//
// A goroutine that holds mu never waits for the lock of the program.
type history struct {
	held    atomic.Int32 // the number of moments
	mu      sync.RWMutex // guards the rest, and the pasts of all tables
	moments []*moment    // oldest first
	last    uint64       // the number of the newest moment there ever was
}

// A moment is the state of a program after one commit and before the next.
type moment struct {
	number uint64 // rises with time
	views  int    // how many Views see it
	over   bool   // a commit came after it
}

// hold returns the current moment for a View. The caller holds the lock of the
// program, so nothing is committed meanwhile.
func (h *history) hold() *moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.newest(); now != nil && !now.over {
		now.views++
		return now
	}
	h.last++
	now := &moment{number: h.last, views: 1}
	h.setMoments(append(h.moments, now))
	return now
}

// leave returns the reverse of hold. It reports whether the moment was given up.
func (h *history) leave(m *moment) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.views--
	if m.views > 0 {
		return false
	}
	i := slices.Index(h.moments, m)
	h.setMoments(slices.Delete(h.moments, i, i+1))
	return true
}

func (h *history) setMoments(moments []*moment) {
	h.moments = moments
	h.held.Store(int32(len(moments)))
}

// newest returns the newest moment that is held, or nil.
func (h *history) newest() *moment {
	if len(h.moments) == 0 {
		return nil
	}
	return h.moments[len(h.moments)-1]
}

// remember keeps what the Update is about to overwrite for the Views of held
// moments.
func (p *program) remember() {
	p.history.mu.Lock()
	defer p.history.mu.Unlock()
	now := p.history.newest()
	if now == nil || len(p.changed) == 0 {
		return
	}
	now.over = true
	for _, tab := range p.changed {
		tab.remember(now)
	}
}

// release ends a View of a moment, and frees what no other View needs. It does
// so in steps, because a commit waits for each.
func (p *program) release(m *moment) {
	if !p.history.leave(m) {
		return
	}
	for !p.forget(mergeStep) {
	}
}

// forget does one step of release, which moves up to step records. It reports
// whether nothing is left to do.
func (p *program) forget(step uint32) bool {
	p.history.mu.Lock()
	defer p.history.mu.Unlock()
	for _, tab := range p.tables {
		if !tab.forget(p.history.moments, step) {
			return false
		}
	}
	return true
}
