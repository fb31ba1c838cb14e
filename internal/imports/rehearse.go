package imports

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// Rehearsal implements tributary.Program.Rehearsal.
func Rehearsal(p *engine.Program) *engine.Program { return p.Tried(Rehearse(p.Store)) }

// Rehearse returns a store over another one. It reads from that store and keeps
// every write in memory, so the store beneath is never written. Its sequences
// begin above those of the store.
//
// It needs memory for each record that is written. It runs one transaction at a
// time and is safe for concurrent use; do not use it inside one of its own
// transactions.
func Rehearse(store record.Store) record.Store {
	return &rehearsal{base: store, schema: record.Schema(), programs: make(map[uuid.UUID]*overlays)}
}

// A rehearsal is a store whose writes stay in memory.
type rehearsal struct {
	base     record.Store
	schema   []record.TableSchema
	mu       sync.Mutex
	programs map[uuid.UUID]*overlays
}

// View runs fn on the records as the rehearsal left them.
func (r *rehearsal) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.run(ctx, program, fn, true)
}

// Update runs fn and keeps what it wrote, unless it returns an error.
func (r *rehearsal) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.run(ctx, program, fn, false)
}

func (r *rehearsal) run(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error, readOnly bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	over := r.programs[program]
	if over == nil {
		over = &overlays{numbers: make(map[record.Sequence]int64), tables: make([]overlay, len(r.schema))}
		r.programs[program] = over
	}
	var last *rehearsalTx
	kept := false
	defer func() {
		if last != nil && !kept { // an error, or a panic
			last.rollback()
		}
	}()
	err := r.base.View(ctx, program, func(base *record.Tx) error {
		if last != nil {
			last.rollback() // the store beneath runs it again
		}
		last = &rehearsalTx{over: over, base: base, readOnly: readOnly}
		defer func() { last.done = true }()
		if err := fn(last.tx(r.schema)); err != nil {
			return err
		}
		return ctx.Err()
	})
	kept = err == nil
	return err
}

// firstRehearsed is below the first number that a rehearsal draws, and above any
// number of a real store.
const firstRehearsed = 1 << 52

// A rehearsalTx is one transaction of a rehearsal.
type rehearsalTx struct {
	over     *overlays
	base     *record.Tx // of the store beneath
	readOnly bool
	done     bool
	undo     []func() // of its writes, the first one first
}

func (t *rehearsalTx) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.undo = nil
}

// usable returns the error of a read, and of a write.
func (t *rehearsalTx) usable(write bool) error {
	switch {
	case t.done:
		return record.ErrTxDone
	case write && t.readOnly:
		return record.ErrReadOnly
	}
	return nil
}

func (t *rehearsalTx) raise(seq record.Sequence, by, to int64) (int64, error) {
	if err := t.usable(by != 0 || to != 0); err != nil {
		return 0, err
	}
	last, moved := t.over.numbers[seq]
	if !moved {
		var err error
		if last, err = t.base.Raise(seq, 0, 0); err != nil || by == 0 && to == 0 {
			return last, err
		}
	}
	if by > 0 {
		last = max(firstRehearsed, last)
	}
	t.over.numbers[seq] = max(last, last+by, to)
	return t.over.numbers[seq], nil
}

// overlays hold what was written over the tables of a program.
type overlays struct {
	numbers map[record.Sequence]int64
	tables  []overlay // in the order of the schema
}

// tx returns the transaction over one of the store beneath.
func (t *rehearsalTx) tx(schema []record.TableSchema) *record.Tx {
	tx := &record.Tx{Raise: t.raise, Soon: t.base.Soon}
	for i, s := range schema {
		s.Set(tx, overlayTable{t, s, s.In(t.base), &t.over.tables[i]})
	}
	return tx
}
