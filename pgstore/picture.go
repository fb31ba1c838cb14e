package pgstore

import (
	"container/list"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A picture is the knowledge of a Store about a program at one version: counters, marks and
// records. Every transaction that writes gives the program a new version, so as long as
// the database has the version of the picture, what is in it is true. The next Update
// starts from it and asks only for what is missing.
type picture struct {
	program uuid.UUID
	version uuid.UUID // zero: nothing is known
	numbers numbers
	marks   marks
	tables  tables
	size    int // records and keys in tables

	// A picture that was out of date is forgotten, and no new one is made for some
	// Updates: more of them each time, so that processes which write to one program in
	// turn do not do everything twice.
	toLock  int
	penalty int // how many there were the last time
}

const (
	mostRemembered = 1 << 14 // records and keys that a Store remembers
	mostOfProgram  = mostRemembered / 4
	mostPrograms   = 1 << 12
	mostPenalty    = 64
)

// remembered are the tables whose records are remembered: those that nearly every sale
// reads again. The others only grow.
var remembered = map[string]bool{
	"affiliates": true, "links": true, "referrals": true, "coupons": true, "codes": true,
	"plans": true, "tiers": true, "totals": true, "endpoints": true, "settings": true,
}

// pictures are the pictures of a Store. A writer takes the picture of its program and
// puts it back, so two never share one: writers of a program take turns.
type pictures struct {
	mu   sync.Mutex
	of   map[uuid.UUID]*list.Element
	used list.List // of *picture, the last used first
	size int
}

// take returns the picture of a program, which is a new one if there is none.
func (ps *pictures) take(program uuid.UUID) *picture {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if e, ok := ps.of[program]; ok {
		return ps.drop(e)
	}
	return &picture{program: program}
}

func (ps *pictures) drop(e *list.Element) *picture {
	p := ps.used.Remove(e).(*picture)
	ps.size -= p.size
	delete(ps.of, p.program)
	return p
}

// put keeps a picture, and forgets those that were not used for the longest time when
// there is too much.
func (ps *pictures) put(p *picture) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if e, ok := ps.of[p.program]; ok {
		ps.drop(e)
	}
	if ps.of == nil {
		ps.of = make(map[uuid.UUID]*list.Element)
	}
	if p.size > mostOfProgram {
		p.tables, p.size = nil, 0
	}
	ps.of[p.program] = ps.used.PushFront(p)
	ps.size += p.size
	for ps.size > mostRemembered || ps.used.Len() > mostPrograms {
		ps.drop(ps.used.Back())
	}
}

// begin takes the picture of the program. Without one the transaction locks the program.
func (t *txn) begin() {
	p := t.s.pictures.take(t.program)
	t.picture = p
	if p.toLock > 0 {
		p.toLock--
	}
	if p.version == uuid.Nil {
		return
	}
	t.free, t.known, t.version, t.numbers, t.marks = true, true, p.version, p.numbers, p.marks
	if p.tables != nil {
		t.tables = p.tables
		for _, tab := range t.tables.used() {
			tab.bind(t)
		}
	}
}

// lose notes that what a transaction had read is out of date.
func (t *txn) lose() {
	penalty := min(2*t.picture.penalty+1, mostPenalty)
	t.s.pictures.put(&picture{program: t.program, toLock: penalty, penalty: penalty})
}

// keep makes what a transaction that has been committed knows the picture of its
// program.
func (t *txn) keep() {
	p := t.picture
	if p == nil {
		return
	}
	defer t.s.pictures.put(p)
	if p.toLock > 0 || t.version == uuid.Nil {
		return
	}
	if t.free {
		p.penalty /= 2
	}
	t.numbers.stored = t.numbers.at
	p.version, p.numbers, p.marks, p.tables, p.size = t.version, t.numbers, t.marks, t.tables, 0
	for _, tab := range t.tables.used() {
		p.size += tab.settle()
	}
}

// bind gives the table to the next transaction.
func (tab *table[T]) bind(t *txn) { tab.t = t }

// settle makes the written rows those of the database, and returns how many records and
// keys the table remembers.
func (tab *table[T]) settle() int {
	var last *row[T]
	if tab.newest.known {
		e, known, _ := tab.newestRow() // asks nothing, because it is known
		tab.newest, last = newest{known: known, id: e.id}, e.row
	}
	if tab.sql.remembered {
		if slices.ContainsFunc(tab.touched, tab.moved) {
			tab.lists = nil
		}
		for _, id := range tab.touched {
			tab.rows[id].settle()
		}
	} else {
		tab.rows, tab.holders, tab.lists = nil, nil, nil
		if last != nil {
			last.settle()
			tab.keep(tab.newest.id, last)
		}
	}
	tab.undo, tab.touched, tab.wanted = nil, nil, nil
	tab.t = nil // the next transaction binds it
	return len(tab.rows) + len(tab.holders)
}

// moved reports whether a written row belongs to other lists than the one that the
// database had.
func (tab *table[T]) moved(id uuid.UUID) bool {
	r := tab.rows[id]
	return !r.live || r.base == nil || !tab.sameKeys(r, func(ix record.Index) bool { return !ix.Unique() })
}

// settle makes a row the one that the database has.
func (r *row[T]) settle() {
	r.base = nil
	if r.live {
		r.base = r
	}
}
