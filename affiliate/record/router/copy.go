package router

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// pageSize is the number of records that one transaction reads or writes.
const pageSize = 256

// counted are the sequences that belong to the records.
var counted = [...]record.Sequence{record.SaleSequence, record.CommissionSequence, record.ClickSequence}

// Copy copies the records of a program and its sequences, except the fence, from one
// store to another, as they are. It returns how many records it wrote.
//
// It works in pages of 256 records, each in a transaction of its own, and may be
// repeated after an error: it goes on behind the last record of each table of the
// target. So the target holds nothing else of the program, and nobody writes to the
// program in either store meanwhile; [Compare] finds out.
//
// Errors: those of the stores; [record.ErrExists] when the target has other records.
func Copy(ctx context.Context, from, to record.Store, program uuid.UUID) (int, error) {
	return copyTarget{to: to, program: program}.run(ctx, from)
}

// Remove deletes the records of a program from a store, in transactions of 256. Its
// sequences stay, because they never go back. It may be repeated after an error.
//
// Errors: those of the store.
func Remove(ctx context.Context, store record.Store, program uuid.UUID) error {
	return copyTarget{to: store, program: program}.clear(ctx)
}

// A copyTarget writes to a store.
type copyTarget struct {
	to      record.Store
	program uuid.UUID
	guard   func(tx *record.Tx) error // in each transaction that writes; nil: none
	page    func() error              // after each page; nil: nothing
}

func (c copyTarget) run(ctx context.Context, from record.Store) (written int, err error) {
	source, target := newWalk(from, c.program), newWalk(c.to, c.program)
	if err := target.last(ctx); err != nil {
		return 0, err
	}
	source.after = target.after
	numbers, err := sequences(ctx, from, c.program)
	if err != nil {
		return 0, err
	}
	err = c.update(ctx, func(tx *record.Tx) error {
		for i, seq := range counted {
			if _, err := tx.Raise(seq, 0, numbers[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for {
		rows, err := source.next(ctx)
		if err != nil || len(rows) == 0 {
			return written, err
		}
		if err := c.update(ctx, func(tx *record.Tx) error { return source.insert(tx, rows) }); err != nil {
			return written, err
		}
		written += len(rows)
	}
}

// update runs fn in a transaction, if the guard lets it.
func (c copyTarget) update(ctx context.Context, fn func(tx *record.Tx) error) error {
	err := c.to.Update(ctx, c.program, func(tx *record.Tx) error {
		if c.guard != nil {
			if err := c.guard(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
	if err == nil && c.page != nil {
		err = c.page()
	}
	return err
}

// clear deletes all records. Somebody else may do the same.
func (c copyTarget) clear(ctx context.Context) error {
	w := newWalk(c.to, c.program)
	for {
		rows, err := w.next(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		err = c.update(ctx, func(tx *record.Tx) error {
			for _, r := range rows {
				if tx.Soon != nil {
					tx.Soon(w.schema[r.place].Name, record.Key{ID: r.rec.RecordID()})
				}
			}
			for _, r := range rows {
				table, id := w.schema[r.place], r.rec.RecordID()
				if err := table.In(tx).Delete(id); err != nil && !errors.Is(err, affiliate.ErrNotFound) {
					return fmt.Errorf("router: delete %s %s: %w", table.Name, id, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// sequences returns the last numbers of the sequences that are copied.
func sequences(ctx context.Context, store record.Store, program uuid.UUID) (numbers [len(counted)]int64, err error) {
	err = store.View(ctx, program, func(tx *record.Tx) (err error) {
		for i, seq := range counted {
			if numbers[i], err = tx.Raise(seq, 0, 0); err != nil {
				return err
			}
		}
		return nil
	})
	return numbers, err
}

// A row is a record and the place of its table in the schema.
type row struct {
	place int
	rec   record.AnyRecord
}

// A walk reads the records of a program: table by table, each in the order of its ids.
type walk struct {
	store   record.Store
	program uuid.UUID
	schema  []record.TableSchema
	place   int         // of the table that is read
	after   []uuid.UUID // the last record of each table that is not read again; zero: none
}

func newWalk(store record.Store, program uuid.UUID) *walk {
	schema := record.Schema()
	return &walk{store: store, program: program, schema: schema, after: make([]uuid.UUID, len(schema))}
}

// next reads the next page. It has no row at the end.
func (w *walk) next(ctx context.Context) (rows []row, err error) {
	err = w.store.View(ctx, w.program, func(tx *record.Tx) error {
		rows = make([]row, 0, pageSize) // it may run again
		for place := w.place; place < len(w.schema) && len(rows) < pageSize; place++ {
			found, err := take(w.schema[place].In(tx), record.Query{After: w.after[place], Limit: pageSize - len(rows)})
			if err != nil {
				return err
			}
			for _, rec := range found {
				rows = append(rows, row{place, rec})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		w.place, w.after[r.place] = r.place, r.rec.RecordID()
	}
	return rows, nil
}

// last goes to the last record of each table.
func (w *walk) last(ctx context.Context) error {
	return w.store.View(ctx, w.program, func(tx *record.Tx) error {
		soonNewest(tx, w.schema)
		for place, table := range w.schema {
			newest, err := take(table.In(tx), record.Query{Limit: 1, Desc: true})
			if err != nil {
				return err
			}
			w.after[place] = uuid.Nil
			for _, rec := range newest {
				w.after[place] = rec.RecordID()
			}
		}
		return nil
	})
}

// soonNewest tells the store that the newest record of each table will be read.
func soonNewest(tx *record.Tx, schema []record.TableSchema) {
	if tx.Soon == nil {
		return
	}
	for _, table := range schema {
		tx.Soon(table.Name, record.Key{})
	}
}

// insert inserts rows. A store behind a network looks for all their ids and keys at once.
func (w *walk) insert(tx *record.Tx, rows []row) error {
	var keys []record.Key
	for _, r := range rows {
		if tx.Soon == nil {
			break
		}
		keys = append(r.rec.AppendKeys(keys[:0]), record.Key{ID: r.rec.RecordID()})
		for _, key := range keys {
			if key.Index == "" || key.Index.Unique() {
				tx.Soon(w.schema[r.place].Name, key)
			}
		}
	}
	for _, r := range rows {
		table := w.schema[r.place]
		if err := table.In(tx).Insert(r.rec); err != nil {
			return fmt.Errorf("router: insert %s %s: %w", table.Name, r.rec.RecordID(), err)
		}
	}
	return nil
}

// take reads the records of a list.
func take(table record.Table[record.AnyRecord], q record.Query) ([]record.AnyRecord, error) {
	var all []record.AnyRecord
	for rec, err := range table.List(q) {
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}
