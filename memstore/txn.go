package memstore

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A txn is one transaction: the Tx that the closure gets, and its program, or
// nil when the transaction has ended. It is never reused, so a Tx that somebody
// kept returns ErrTxDone for ever.
//
// Every transaction allocates one, so it is as small as possible: the program
// says whether it may write.
//
// A View holds the lock of its program for its first viewReads reads. If it
// reads more, it becomes a snapshot: from then on it sees a moment, and takes
// the lock for each read.
type txn struct {
	tx     record.Tx
	p      *program
	reads  int             // how many more records are read before the View becomes a snapshot
	moment *moment         // what a snapshot sees; nil: the View holds the lock
	ctx    context.Context // of a View
}

// begin starts a transaction of a program. The caller has locked the program.
func begin(p *program) *txn {
	t := &txn{p: p}
	t.bind()
	return t
}

// endView ends a View in every case, also after a panic.
func (t *txn) endView() {
	p := t.p
	t.p = nil
	if t.moment != nil {
		p.release(t.moment)
		return
	}
	p.mu.runlock()
}

// endUpdate ends an Update in every case, also after a panic, and undoes writes
// that were not committed.
func (t *txn) endUpdate() {
	p := t.p
	t.p = nil
	p.writer = nil
	p.rollback()
	p.mu.unlock()
}

// writable returns an error if the transaction may not write.
func (t *txn) writable() error {
	if t.p == nil {
		return record.ErrTxDone
	}
	if t.moment != nil || t.p.writer != t {
		return record.ErrReadOnly
	}
	return nil
}

func (t *txn) raise(name record.Sequence, by, to int64) (int64, error) {
	if by == 0 && to == 0 {
		return t.last(name)
	}
	if err := t.writable(); err != nil {
		return 0, err
	}
	return t.p.raise(name, by, to), nil
}

// last reads a sequence. A View that is a snapshot has no lock then, and sees the
// newest number.
func (t *txn) last(name record.Sequence) (int64, error) {
	if t.p == nil {
		return 0, record.ErrTxDone
	}
	if t.moment != nil {
		if err := t.peek(); err != nil {
			return 0, err
		}
		defer t.unpeek()
	}
	return t.p.last(name), nil
}

// A handle is one table in one transaction.
type handle[T record.Record[T]] struct{ t *txn }

func (h handle[T]) table() *table[T] { return tableOf[T](h.t.p.tables) }

// Get returns the record with the id.
func (h handle[T]) Get(id uuid.UUID) (rec T, err error) {
	if h.t.p == nil {
		return rec, record.ErrTxDone
	}
	tab := h.table()
	if h.t.reads--; h.t.reads < 0 {
		return h.getOld(id)
	}
	slot, ok := tab.slotOf(&id)
	if !ok {
		return rec, affiliate.ErrNotFound
	}
	if tab.fixed {
		return *tab.rows.at(slot), nil
	}
	return (*tab.rows.at(slot)).Clone(), nil
}

// Find returns the record that holds the key.
func (h handle[T]) Find(key record.Key) (rec T, err error) {
	if h.t.p == nil {
		return rec, record.ErrTxDone
	}
	tab := h.table()
	if h.t.reads--; h.t.reads < 0 {
		return h.findOld(key)
	}
	slot, err := tab.find(&key)
	if err != nil {
		return rec, err
	}
	if tab.fixed {
		return *tab.rows.at(slot), nil
	}
	return (*tab.rows.at(slot)).Clone(), nil
}

// List walks the records that q selects.
func (h handle[T]) List(q record.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { h.walk(q, yield) }
}

func (h handle[T]) walk(q record.Query, yield func(T, error) bool) {
	var none T
	if h.t.p == nil {
		yield(none, record.ErrTxDone)
		return
	}
	tab := h.table()
	c, err := tab.cursor(&q)
	if err != nil {
		yield(none, err)
		return
	}

	for n := 1; ; n++ {
		if h.t.reads--; h.t.reads < 0 {
			h.walkOld(c.rest(n-1), yield)
			return
		}
		if !c.next() || !yield(tab.copyOf(c.slot), nil) || n == q.Limit {
			return
		}
		if h.t.p == nil {
			yield(none, record.ErrTxDone)
			return
		}
	}
}

// Insert adds a record.
func (h handle[T]) Insert(rec T) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().insert(rec)
}

// Replace puts a record in the place of the one with its id.
func (h handle[T]) Replace(rec T) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().replace(rec)
}

// Delete removes the record with the id.
func (h handle[T]) Delete(id uuid.UUID) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().delete(id)
}
