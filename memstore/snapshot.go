package memstore

import (
	"fmt"
	"math"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

const (
	viewReads = 512           // how many records a View reads before it becomes a snapshot
	anyReads  = math.MaxInt64 // an Update never becomes one

	// A list of a snapshot looks at so many records each time when it has the
	// lock. Most lists are short, so the first page is, too.
	firstPage = 16
	largePage = 256
)

// peek takes the lock for one read of a snapshot. The View becomes a snapshot
// with the first call: until then it has held the lock all the time.
func (t *txn) peek() error {
	if t.moment == nil {
		t.moment = t.p.history.hold()
		t.p.mu.runlock()
	}
	err := t.ctx.Err()
	if err == nil {
		err = t.p.mu.rlock(t.ctx)
	}
	if err != nil {
		return fmt.Errorf("memstore: view: %w", err)
	}
	t.p.history.mu.RLock()
	return nil
}

// unpeek is the reverse of peek.
func (t *txn) unpeek() {
	t.p.history.mu.RUnlock()
	t.p.mu.runlock()
}

// getOld is Get in a snapshot.
func (h handle[T]) getOld(id uuid.UUID) (T, error) {
	return h.readOld(func(tab *table[T]) (T, error) { return tab.getAt(h.t.moment, id) })
}

// findOld is Find in a snapshot.
func (h handle[T]) findOld(key record.Key) (T, error) {
	return h.readOld(func(tab *table[T]) (T, error) { return tab.findAt(h.t.moment, &key) })
}

// readOld reads one record of a snapshot. It copies the record for the caller
// when the lock is free again: a record in a table is replaced but never
// changed.
func (h handle[T]) readOld(read func(*table[T]) (T, error)) (rec T, err error) {
	tab := h.table()
	if err := h.t.peek(); err != nil {
		return rec, err
	}
	rec, err = read(tab)
	h.t.unpeek()
	if err != nil {
		return rec, err
	}
	return tab.own(rec), nil
}

// walkOld is List in a snapshot. It reads a page at a time and yields its
// records without the lock.
func (h handle[T]) walkOld(q record.Query, yield func(T, error) bool) {
	l := oldList[T]{handle: h, q: q, size: firstPage}
	var none T
	for !l.end {
		if err := l.read(); err != nil {
			yield(none, err)
			return
		}
		for i := range l.page {
			if !yield(h.table().own(l.page[i]), nil) {
				return
			}
			if h.t.p == nil {
				yield(none, record.ErrTxDone)
				return
			}
		}
	}
}

// An oldList reads a list of a snapshot.
type oldList[T record.Record[T]] struct {
	handle[T]
	q       record.Query // what is left of the list
	size    int          // of the next page
	page    []T          // the last page that was read
	end     bool         // it was the last one
	sources []source[T]
}

// A source is the part of a list that is in one past or in the table.
type source[T record.Record[T]] struct {
	cursor
	past *past[T] // nil: the table
	more bool     // the cursor is at a record
}

// read reads the next page. Its records must be copied for the caller.
func (l *oldList[T]) read() error {
	if err := l.t.peek(); err != nil {
		return err
	}
	defer l.t.unpeek()
	tab := l.table()
	pasts := tab.since(l.t.moment)
	if err := l.open(tab, pasts); err != nil {
		return err
	}

	l.page = l.page[:0]
	for range l.size {
		i := l.first()
		if i < 0 {
			l.end = true
			return nil
		}
		at := &l.sources[i]
		l.q.After = at.last
		if !hidden(pasts[:min(i, len(pasts))], &at.last) {
			l.page = append(l.page, at.row(tab))
			if l.q.Limit == 1 { // the list is full
				l.end = true
				return nil
			}
			l.q.Limit = max(0, l.q.Limit-1)
		}
		at.more = at.next()
	}
	l.size = min(2*l.size, largePage)
	return nil
}

// open starts a walk of every source after the last record.
func (l *oldList[T]) open(tab *table[T], pasts []*past[T]) error {
	l.sources = l.sources[:0]
	for i := range len(pasts) + 1 {
		s, b := source[T]{}, &tab.base
		if i < len(pasts) {
			s.past, b = pasts[i], &pasts[i].base
		}
		var err error
		if s.cursor, err = b.cursor(&l.q); err != nil {
			return err
		}
		l.sources = append(l.sources, s)
	}
	for i := range l.sources {
		l.sources[i].more = l.sources[i].next()
	}
	return nil
}

// first returns the source whose record comes first, or -1 at the end of all.
// When several have versions of one record, it is the oldest of these.
func (l *oldList[T]) first() int {
	first := -1
	for i := range l.sources {
		s := &l.sources[i]
		if s.more && (first < 0 || s.passes(&s.last, &l.sources[first].last)) {
			first = i
		}
	}
	return first
}

// row returns the record at the cursor.
func (s *source[T]) row(tab *table[T]) T {
	if s.past != nil {
		return **s.past.rows.at(s.slot)
	}
	return *tab.rows.at(s.slot)
}
