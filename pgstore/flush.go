package pgstore

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// few is the number of rows up to which each has a statement of its own. The server
// plans a statement with short arrays anew each time.
const few = 4

// flush queues the writes to the table: first deleted rows, then changed rows,
// then new rows, so that a key that moves to another row is free by then. Rows that
// may exchange their unique keys are deleted and come back.
func (tab *table[T]) flush(b *pgx.Batch) error {
	var gone, here, moved, fresh []entry[T]
	for _, e := range tab.writtenRows() {
		switch {
		case !e.row.live:
			gone = append(gone, e)
		case e.row.base == nil:
			fresh = append(fresh, e)
		case tab.sameKeys(e.row):
			here = append(here, e)
		default:
			moved = append(moved, e)
		}
	}
	for _, e := range slices.Concat(moved, fresh) {
		tab.raise(e)
	}
	if len(moved) > 1 {
		gone, fresh = append(gone, moved...), append(fresh, moved...)
	} else {
		here = append(here, moved...)
	}
	if len(gone) > 0 {
		b.Queue(tab.sql.removes, tab.t.programID, idsOf(gone))
	}
	if err := tab.queue(b, tab.sql.update, tab.sql.updates, here); err != nil {
		return err
	}
	return tab.queue(b, tab.sql.insert, tab.sql.inserts, fresh)
}

// sameKeys reports whether the unique keys of a row are the same as in the database.
func (tab *table[T]) sameKeys(r *row[T]) bool {
	unique := func(keys []record.Key) []record.Key {
		return slices.DeleteFunc(keys, func(key record.Key) bool { return !key.Index.Unique() })
	}
	return slices.Equal(unique(r.rec.AppendKeys(tab.t.room[0][:0])), unique(r.base.rec.AppendKeys(tab.t.room[1][:0])))
}

func idsOf[T any](entries []entry[T]) pgtype.FlatArray[pgtype.UUID] {
	ids := make(pgtype.FlatArray[pgtype.UUID], len(entries))
	for i, e := range entries {
		ids[i] = pgtype.UUID{Bytes: e.id, Valid: true}
	}
	return ids
}

// queue queues the statement for each row, or that for many.
func (tab *table[T]) queue(b *pgx.Batch, one, many string, entries []entry[T]) error {
	if len(entries) > few {
		return tab.queueMany(b, many, entries)
	}
	for _, e := range entries {
		row := tab.t.cellsFor(tab.sql)
		if err := tab.write(e, row); err != nil {
			return err
		}
		args := append(make([]any, 0, 1+len(row)), tab.t.programID)
		for i, c := range tab.sql.Columns {
			args = append(args, value(c.Kind, &row[i]))
		}
		b.Queue(one, args...)
	}
	return nil
}

func (tab *table[T]) queueMany(b *pgx.Batch, sql string, entries []entry[T]) error {
	rows := make([][]relation.Cell, len(entries))
	for i, e := range entries {
		rows[i] = make([]relation.Cell, len(tab.sql.Columns))
		if err := tab.write(e, rows[i]); err != nil {
			return err
		}
	}
	args := append(make([]any, 0, 1+len(tab.sql.Columns)), tab.t.programID)
	for i, c := range tab.sql.Columns {
		args = append(args, values(c.Kind, rows, i))
	}
	b.Queue(sql, args...)
	return nil
}

func (tab *table[T]) write(e entry[T], row []relation.Cell) error {
	if err := tab.sql.Write(e.row.rec, row); err != nil {
		return fmt.Errorf("pgstore: write: %w", err)
	}
	return nil
}
