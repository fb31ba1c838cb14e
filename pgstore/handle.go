package pgstore

import (
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A unit is one run of one closure. The Tx of the closure belongs to it.
type unit struct {
	t    *txn
	done bool
	wait func() error // nil: the closure is not held at its first call
	gone error        // why the closure may use the transaction no more
}

// readable returns an error if the closure has ended or the database has
// failed. The first call of a closure that was started with its group waits.
func (u *unit) readable() error {
	if u.held() {
		wait := u.wait
		u.wait = nil
		u.gone = wait()
	}
	u.t.used = true
	switch {
	case u.done:
		return record.ErrTxDone
	case u.gone != nil:
		return u.gone
	}
	return u.t.err
}

// held reports whether the next call waits. What it reads is noted before.
func (u *unit) held() bool { return u.wait != nil && !u.done }

// writable returns an error if the closure may not write.
func (u *unit) writable() error {
	if !u.done && u.t.readOnly {
		return record.ErrReadOnly
	}
	return u.readable()
}

// A handle is the record.Table of one run.
type handle[T record.Record[T]] struct{ u *unit }

func (h handle[T]) table() *table[T] { return tableOf[T](h.u.t) }

// Get returns the record with the id.
func (h handle[T]) Get(id uuid.UUID) (rec T, err error) {
	h.note(record.Key{ID: id})
	if err := h.u.readable(); err != nil {
		return rec, err
	}
	return copyOf(h.table().get(id))
}

// Find returns the record that holds the key.
func (h handle[T]) Find(key record.Key) (rec T, err error) {
	h.note(key)
	if err := h.u.readable(); err != nil {
		return rec, err
	}
	tab := h.table()
	if err := tab.checkIndex(key.Index, true); err != nil {
		return rec, err
	}
	if !storable(key) {
		return rec, affiliate.ErrNotFound
	}
	return copyOf(tab.find(key))
}

// note notes what a closure reads first, when it is held there.
func (h handle[T]) note(key record.Key) {
	if h.u.held() {
		h.table().soon(key)
	}
}

func copyOf[T record.Record[T]](r *row[T], err error) (rec T, _ error) {
	if err != nil {
		return rec, err
	}
	return r.rec.Clone(), nil
}

// List walks the records that q selects.
func (h handle[T]) List(q record.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := h.walk(q, yield); err != nil {
			var none T
			yield(none, err)
		}
	}
}

// walk yields the records. The caller yields the error last.
func (h handle[T]) walk(q record.Query, yield func(T, error) bool) error {
	if q == theNewest || q.Key.Index != "" && q.After == uuid.Nil && q.Limit == 0 {
		h.note(q.Key)
	}
	if err := h.u.readable(); err != nil {
		return err
	}
	tab := h.table()
	if q.Key.Index != "" {
		if err := tab.checkIndex(q.Key.Index, false); err != nil {
			return err
		}
		if !storable(q.Key) {
			return nil
		}
	}
	if h.u.t.kind == viewing && !tab.expects(q) {
		return h.pages(q, yield)
	}
	rows, err := tab.selected(q)
	if err != nil {
		return err
	}
	for _, e := range rows {
		if err := h.u.readable(); err != nil {
			return err
		}
		if !yield(e.row.rec.Clone(), nil) {
			return nil
		}
	}
	return nil
}

// pages walks a list of a View, up to chunk records at a time.
func (h handle[T]) pages(q record.Query, yield func(T, error) bool) error {
	tab, rest := h.table(), q.Limit
	for {
		q.Limit = chunk
		if rest > 0 {
			q.Limit = min(rest, chunk)
		}
		found, err := tab.fetch(q)
		if err != nil {
			return err
		}
		if q.Limit == rest {
			tab.page(found)
		}
		for _, rec := range found {
			if err := h.u.readable(); err != nil {
				return err
			}
			if !yield(rec, nil) {
				return nil
			}
		}
		if err := h.u.readable(); err != nil && len(found) > 0 {
			return err
		}
		if len(found) < q.Limit {
			return nil
		}
		if rest > 0 {
			if rest -= len(found); rest == 0 {
				return nil
			}
		}
		q.After = found[len(found)-1].RecordID()
	}
}

// Insert adds a record.
func (h handle[T]) Insert(rec T) error {
	if err := h.u.writable(); err != nil {
		return err
	}
	return h.table().insert(rec)
}

// Replace puts a record in the place of the one with its id.
func (h handle[T]) Replace(rec T) error {
	h.note(record.Key{ID: rec.RecordID()})
	if err := h.u.writable(); err != nil {
		return err
	}
	return h.table().replace(rec)
}

// Delete removes the record with the id.
func (h handle[T]) Delete(id uuid.UUID) error {
	h.note(record.Key{ID: id})
	if err := h.u.writable(); err != nil {
		return err
	}
	return h.table().remove(id)
}
