package imports

import (
	"bytes"
	"errors"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// An overlay holds what was written over one table: records by id, nil for a
// deleted one, and the ids that hold each key. The zero Key holds all.
type overlay struct {
	records map[uuid.UUID]overwrite
	holders map[record.Key]*holders
	writes  int64 // so far, those that were undone too
}

// An overwrite is a record that was written over an id, or nil when it was deleted.
type overwrite struct {
	rec   record.AnyRecord // nil: it is deleted
	since int64            // the write that was the first over the id
}

// holders are ids in the order of the table. They are sorted when they are read.
type holders struct {
	ids    []uuid.UUID
	sorted bool
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

func (h *holders) list() []uuid.UUID {
	if !h.sorted {
		slices.SortFunc(h.ids, compareIDs)
		h.sorted = true
	}
	return h.ids
}

// keysOf returns the keys of a record, and the zero Key.
func keysOf(rec record.AnyRecord) []record.Key {
	if rec == nil {
		return nil
	}
	return rec.AppendKeys(make([]record.Key, 1, 10))
}

// set replaces what is written over an id; known is false when nothing was written
// over it before.
func (o *overlay) set(id uuid.UUID, w overwrite, known bool) {
	if o.records == nil {
		o.records, o.holders = make(map[uuid.UUID]overwrite), make(map[record.Key]*holders)
	}
	is, was := keysOf(w.rec), keysOf(o.records[id].rec)
	for _, key := range was {
		if h := o.holders[key]; !slices.Contains(is, key) {
			i, _ := slices.BinarySearchFunc(h.list(), id, compareIDs)
			h.ids = slices.Delete(h.ids, i, i+1)
		}
	}
	for _, key := range is {
		if slices.Contains(was, key) {
			continue
		}
		h := o.holders[key]
		if h == nil {
			h = &holders{}
			o.holders[key] = h
		}
		h.sorted = len(h.ids) == 0 || h.sorted && compareIDs(h.ids[len(h.ids)-1], id) < 0
		h.ids = append(h.ids, id)
	}
	if known {
		o.records[id] = w
	} else {
		delete(o.records, id)
	}
}

// An overlayTable is a table with an overlay, in one transaction.
type overlayTable struct {
	t      *rehearsalTx
	schema record.TableSchema
	base   record.Table[record.AnyRecord]
	over   *overlay
}

func (h overlayTable) Get(id uuid.UUID) (rec record.AnyRecord, err error) {
	if err := h.t.usable(false); err != nil {
		return rec, err
	}
	over, known := h.over.records[id]
	switch {
	case !known:
		return h.base.Get(id)
	case over.rec == nil:
		return rec, affiliate.ErrNotFound
	}
	return h.schema.Clone(over.rec), nil
}

func (h overlayTable) Find(key record.Key) (rec record.AnyRecord, err error) {
	if err := h.t.usable(false); err != nil {
		return rec, err
	}
	if held := h.over.holders[key]; held != nil && len(held.ids) > 0 {
		return h.Get(held.ids[0])
	}
	rec, err = h.base.Find(key)
	if err != nil {
		return rec, err
	}
	if _, known := h.over.records[rec.RecordID()]; known { // it holds the key no longer
		return nil, affiliate.ErrNotFound
	}
	return rec, nil
}

func (h overlayTable) Insert(rec record.AnyRecord) error {
	if err := h.t.usable(true); err != nil {
		return err
	}
	id := rec.RecordID()
	if _, err := h.Get(id); err == nil {
		return &record.ExistsError{}
	} else if !errors.Is(err, affiliate.ErrNotFound) {
		return err
	}
	return h.put(id, rec)
}

func (h overlayTable) Replace(rec record.AnyRecord) error {
	if err := h.t.usable(true); err != nil {
		return err
	}
	if _, err := h.Get(rec.RecordID()); err != nil {
		return err
	}
	return h.put(rec.RecordID(), rec)
}

func (h overlayTable) Delete(id uuid.UUID) error {
	if err := h.t.usable(true); err != nil {
		return err
	}
	if _, err := h.Get(id); err != nil {
		return err
	}
	h.write(id, nil)
	return nil
}

// put writes a record, unless another one holds a unique key of it.
func (h overlayTable) put(id uuid.UUID, rec record.AnyRecord) error {
	for _, key := range rec.AppendKeys(nil) {
		if !key.Index.Unique() {
			continue
		}
		other, err := h.Find(key)
		if err == nil && other.RecordID() != id {
			return &record.ExistsError{Index: key.Index}
		}
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
	}
	h.write(id, h.schema.Clone(rec))
	return nil
}

// write writes a record over the table, and logs how to undo it.
func (h overlayTable) write(id uuid.UUID, rec record.AnyRecord) {
	h.over.writes++
	before, known := h.over.records[id]
	h.t.undo = append(h.t.undo, func() { h.over.set(id, before, known) })
	since := before.since
	if !known {
		since = h.over.writes
	}
	h.over.set(id, overwrite{rec, since}, true)
}

// List merges the records beneath over which nothing was written with those that
// were written.
func (h overlayTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		if err := h.t.usable(false); err != nil {
			yield(nil, err)
			return
		}
		left := q.Limit
		give := func(rec record.AnyRecord, err error) bool {
			if err == nil && h.t.done {
				rec, err = nil, record.ErrTxDone
			}
			if !yield(rec, err) || err != nil {
				return false
			}
			left--
			return left != 0
		}
		recs, began := h.written(q), h.over.writes
		for rec, err := range h.base.List(record.Query{Key: q.Key, After: q.After, Desc: q.Desc}) {
			if err != nil {
				yield(nil, err)
				return
			}
			for len(recs) > 0 && (compareIDs(recs[0].RecordID(), rec.RecordID()) < 0) != q.Desc {
				if !give(h.schema.Clone(recs[0]), nil) {
					return
				}
				recs = recs[1:]
			}
			over, known := h.over.records[rec.RecordID()]
			if covered := known && over.since <= began; !covered && !give(rec, nil) {
				return
			}
		}
		for _, rec := range recs {
			if !give(h.schema.Clone(rec), nil) {
				return
			}
		}
	}
}

// written returns the written records that a query selects, in its order, as they
// are when the walk begins.
func (h overlayTable) written(q record.Query) (recs []record.AnyRecord) {
	held := h.over.holders[q.Key]
	if held == nil {
		return nil
	}
	ids := held.list()
	if q.After != uuid.Nil {
		at, found := slices.BinarySearchFunc(ids, q.After, compareIDs)
		switch {
		case q.Desc:
			ids = ids[:at]
		case found:
			ids = ids[at+1:]
		default:
			ids = ids[at:]
		}
	}
	n := len(ids)
	if q.Limit > 0 {
		n = min(n, q.Limit)
	}
	if q.Desc {
		ids = slices.Clone(ids[len(ids)-n:])
		slices.Reverse(ids)
	}
	for _, id := range ids[:n] {
		recs = append(recs, h.over.records[id].rec)
	}
	return recs
}
