package pgstore

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// few is the number of rows up to which each has a statement of its own. The server
// plans a statement with short arrays anew each time.
const few = 4

// writes returns what the transaction writes.
func (t *txn) writes() (*writes, error) {
	w := &writes{}
	for _, tab := range t.tables.used() {
		if err := tab.flush(w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// flush adds the writes to the table: first deleted rows, then changed rows, then new
// rows, so that a key that moves to another row is free by then. Rows that may exchange
// their unique keys are deleted and come back.
func (tab *table[T]) flush(w *writes) error {
	var gone, here, moved, fresh []entry[T]
	for _, e := range tab.writtenRows() {
		switch {
		case !e.row.live:
			gone = append(gone, e)
		case e.row.base == nil:
			fresh = append(fresh, e)
		case tab.sameKeys(e.row, record.Index.Unique):
			here = append(here, e)
		default:
			moved = append(moved, e)
		}
	}
	w.apart = w.apart || len(gone) > 0 || len(moved) > 0
	for _, e := range slices.Concat(moved, fresh) {
		tab.raise(e)
	}
	if len(moved) > 1 {
		gone, fresh = append(gone, moved...), append(fresh, moved...)
	} else {
		here = append(here, moved...)
	}
	if len(gone) > 0 {
		w.list = append(w.list, write{tab.sql, deleteRows, []any{idsOf(gone)}})
	}
	if err := tab.add(w, updateRow, updateRows, here); err != nil {
		return err
	}
	return tab.add(w, insertRow, insertRows, fresh)
}

// sameKeys reports whether the keys of a row are the same as in the database, those of
// some indexes.
func (tab *table[T]) sameKeys(r *row[T], of func(record.Index) bool) bool {
	only := func(keys []record.Key) []record.Key {
		return slices.DeleteFunc(keys, func(key record.Key) bool { return !of(key.Index) })
	}
	return slices.Equal(only(r.rec.AppendKeys(tab.t.room[0][:0])), only(r.base.rec.AppendKeys(tab.t.room[1][:0])))
}

func idsOf[T any](entries []entry[T]) pgtype.FlatArray[pgtype.UUID] {
	ids := make(pgtype.FlatArray[pgtype.UUID], len(entries))
	for i, e := range entries {
		ids[i] = pgtype.UUID{Bytes: e.id, Valid: true}
	}
	return ids
}

// add adds a write for each row, or one for many.
func (tab *table[T]) add(w *writes, one, many how, entries []entry[T]) error {
	if len(entries) > few {
		return tab.addMany(w, many, entries)
	}
	for _, e := range entries {
		row := tab.t.cellsFor(tab.sql)
		if err := tab.write(e, row); err != nil {
			return err
		}
		args := make([]any, len(row))
		for i, c := range tab.sql.Columns {
			args[i] = value(c.Kind, &row[i])
		}
		w.list = append(w.list, write{tab.sql, one, args})
	}
	return nil
}

func (tab *table[T]) addMany(w *writes, how how, entries []entry[T]) error {
	rows := make([][]relation.Cell, len(entries))
	for i, e := range entries {
		rows[i] = make([]relation.Cell, len(tab.sql.Columns))
		if err := tab.write(e, rows[i]); err != nil {
			return err
		}
	}
	args := make([]any, len(tab.sql.Columns))
	for i, c := range tab.sql.Columns {
		args[i] = values(c.Kind, rows, i)
	}
	w.list = append(w.list, write{tab.sql, how, args})
	return nil
}

func (tab *table[T]) write(e entry[T], row []relation.Cell) error {
	if err := tab.sql.Write(e.row.rec, row); err != nil {
		return fmt.Errorf("pgstore: write: %w", err)
	}
	return nil
}
