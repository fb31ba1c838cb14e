package memstore

import (
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A txn is one transaction: the Tx that the closure gets, and the program that
// its tables stand on, or nil once it is over. It is never used for a second
// transaction, so that a Tx that was kept stays over for good.
//
// Every transaction allocates one, so it is as small as it can be: whether it
// may write is in the program.
type txn struct {
	tx affiliate.Tx
	p  *program
}

// begin makes a transaction of a program that the caller has locked.
func begin(p *program) *txn {
	t := &txn{p: p}
	t.bind()
	return t
}

// endView ends a View, however its closure ended.
func (t *txn) endView() {
	p := t.p
	t.p = nil
	p.mu.runlock()
}

// endUpdate ends an Update, however its closure ended, and takes back what was
// not committed.
func (t *txn) endUpdate() {
	p := t.p
	t.p = nil
	p.writer = nil
	p.rollback()
	p.mu.unlock()
}

// writable says why the transaction may not write, if it may not.
func (t *txn) writable() error {
	if t.p == nil {
		return affiliate.ErrTxDone
	}
	if t.p.writer != t {
		return affiliate.ErrReadOnly
	}
	return nil
}

func (t *txn) next(name affiliate.Sequence) (int64, error) {
	if err := t.writable(); err != nil {
		return 0, err
	}
	return t.p.next(name), nil
}

// A handle is one table in one transaction.
type handle[T affiliate.Record[T], P place[T]] struct{ t *txn }

func (h handle[T, P]) table() *table[T] {
	var place P
	return place.In(&h.t.p.tables)
}

// Get returns the record with the id.
func (h handle[T, P]) Get(id uuid.UUID) (rec T, err error) {
	if h.t.p == nil {
		return rec, affiliate.ErrTxDone
	}
	tab := h.table()
	slot, ok := tab.byID.get(&tab.ids, &id)
	if !ok {
		return rec, affiliate.ErrNotFound
	}
	if tab.fixed {
		return *tab.rows.at(slot), nil
	}
	return (*tab.rows.at(slot)).Clone(), nil
}

// Find returns the record that holds the key.
func (h handle[T, P]) Find(key affiliate.Key) (rec T, err error) {
	if h.t.p == nil {
		return rec, affiliate.ErrTxDone
	}
	tab := h.table()
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
func (h handle[T, P]) List(q affiliate.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { h.walk(q, yield) }
}

func (h handle[T, P]) walk(q affiliate.Query, yield func(T, error) bool) {
	var none T
	if h.t.p == nil {
		yield(none, affiliate.ErrTxDone)
		return
	}
	tab := h.table()
	c, err := tab.cursor(&q)
	if err != nil {
		yield(none, err)
		return
	}

	for n := 1; c.next(); n++ {
		if !yield(tab.copyOf(c.slot), nil) || n == q.Limit {
			return
		}
		if h.t.p == nil {
			yield(none, affiliate.ErrTxDone)
			return
		}
	}
}

// Insert adds a record.
func (h handle[T, P]) Insert(rec T) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().insert(rec)
}

// Replace puts a record in the place of the one with its id.
func (h handle[T, P]) Replace(rec T) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().replace(rec)
}

// Delete removes the record with the id.
func (h handle[T, P]) Delete(id uuid.UUID) error {
	if err := h.t.writable(); err != nil {
		return err
	}
	return h.table().delete(id)
}
