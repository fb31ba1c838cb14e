package scene

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
)

// ErrBoom is the error of a store that fails.
var ErrBoom = errors.New("boom")

// A Probe is a Store that counts operations and writes, and fails at one of
// them. It can also find nothing, or list each record twice, like a store whose
// unique indexes allow duplicates.
type Probe struct {
	record.Store
	Ops, writes atomic.Int64
	FailAt      int64        // 0: never
	Onward      bool         // and at every later one
	Fault       func() error // what failing is; nil: ErrBoom
	Blind       bool         // Find finds nothing, so only the unique indexes refuse
	Double      bool         // List returns each record twice

	Looked, Most atomic.Int64 // records that were read, and the most of them in one View
	Touched      atomic.Int64 // the most records that one Update read and wrote
}

func (s *Probe) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error {
		before := s.Looked.Load()
		err := fn(s.wrap(tx))
		s.Most.Store(max(s.Most.Load(), s.Looked.Load()-before))
		return err
	})
}

func (s *Probe) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error {
		before := s.Looked.Load() + s.writes.Load()
		err := fn(s.wrap(tx))
		s.Touched.Store(max(s.Touched.Load(), s.Looked.Load()+s.writes.Load()-before))
		return err
	})
}

func (s *Probe) wrap(tx *record.Tx) *record.Tx {
	out := &record.Tx{Raise: func(seq record.Sequence, by, to int64) (int64, error) {
		if err := s.write(); err != nil {
			return 0, err
		}
		return tx.Raise(seq, by, to)
	}}
	for _, table := range record.Schema() {
		table.Set(out, probedStore{table.In(tx), s})
	}
	return out
}

// read counts an operation and may fail it; write also counts a write.
func (s *Probe) read() error {
	n := s.Ops.Add(1)
	if n != s.FailAt && (!s.Onward || n < s.FailAt) {
		return nil
	}
	if s.Fault != nil {
		return s.Fault()
	}
	return ErrBoom
}

func (s *Probe) write() error {
	s.writes.Add(1)
	return s.read()
}

type probedStore struct {
	record.Table[record.AnyRecord]
	s *Probe
}

func (t probedStore) Get(id uuid.UUID) (rec record.AnyRecord, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	t.s.Looked.Add(1)
	return t.Table.Get(id)
}

func (t probedStore) Find(key record.Key) (rec record.AnyRecord, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	if t.s.Blind {
		return rec, affiliate.ErrNotFound
	}
	t.s.Looked.Add(1)
	return t.Table.Find(key)
}

func (t probedStore) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		if err := t.s.read(); err != nil {
			yield(nil, err)
			return
		}
		for rec, err := range t.Table.List(q) {
			t.s.Looked.Add(1)
			if !yield(rec, err) || t.s.Double && !yield(rec, err) {
				return
			}
		}
	}
}

func (t probedStore) Insert(rec record.AnyRecord) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Insert(rec)
}

func (t probedStore) Replace(rec record.AnyRecord) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Replace(rec)
}

func (t probedStore) Delete(id uuid.UUID) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Delete(id)
}

// FailingViews is a store whose Views fail at the first call of a table.
type FailingViews struct{ record.Store }

func (f FailingViews) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return conformance.FailAt(f.Store, 1).Update(ctx, id, fn)
}
