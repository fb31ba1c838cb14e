package pgstore

import (
	"bytes"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A flushBatch holds the writes of a transaction for one round trip.
type flushBatch struct {
	parts   []part
	ordered bool // the order of the parts matters
	program any
	buf     bytes.Buffer
}

// queue adds a part.
func (b *flushBatch) queue(sql string, args ...any) { b.parts = append(b.parts, part{sql, args}) }

// maxParts limits the size of a joined statement, because a large one takes
// long to plan.
const maxParts = 12

// batch makes the statements: a single one when that is possible.
func (b *flushBatch) batch(f *flushes) *pgx.Batch {
	out := &pgx.Batch{}
	if b.ordered || len(b.parts) < 2 || len(b.parts) > maxParts {
		for _, p := range b.parts {
			out.Queue(p.sql, p.args...)
		}
		return out
	}
	args := []any{b.program}
	for _, p := range b.parts {
		args = append(args, p.args[1:]...)
	}
	out.Queue(f.text(b.parts), args...)
	return out
}

// flush queues the writes to the table: first deleted rows, then changed rows,
// then new rows, so that a key that moves to another row is free by then.
func (tab *table[T]) flush(b *flushBatch) error {
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
	b.ordered = b.ordered || len(gone)+len(moved) > 0
	if len(gone) > 0 {
		b.queue(tab.sql.removes, b.program, idsOf(gone))
	}
	if len(moved) > 1 && tab.sql.unkey != "" { // rows may exchange their keys
		b.queue(tab.sql.unkey, b.program, idsOf(moved))
	}
	if err := tab.queueRows(b, tab.sql.rekey, tab.sql.rekeys, moved); err != nil {
		return err
	}
	if err := tab.queueRecords(b, here); err != nil {
		return err
	}
	return tab.queueRows(b, tab.sql.insert, tab.sql.inserts, fresh)
}

// sameKeys reports whether the keys of a row are the same as in the database.
func (tab *table[T]) sameKeys(r *row[T]) bool {
	return slices.Equal(r.rec.AppendKeys(tab.t.room[0][:0]), r.base.rec.AppendKeys(tab.t.room[1][:0]))
}

func idsOf[T any](entries []entry[T]) []pgtype.UUID {
	ids := make([]pgtype.UUID, len(entries))
	for i, e := range entries {
		ids[i] = pgtype.UUID{Bytes: e.id, Valid: true}
	}
	return ids
}

// queueRecords queues the statement that replaces records whose keys stay the
// same.
func (tab *table[T]) queueRecords(b *flushBatch, entries []entry[T]) error {
	records, err := tab.encodeAll(b, entries)
	if err != nil || len(entries) == 0 {
		return err
	}
	for i, e := range entries {
		tab.t.s.decoded.keep(decodedKey{tab.sql, tab.t.program, e.id}, records[i].raw, e.row.rec)
	}
	if len(entries) == 1 {
		b.queue(tab.sql.replace, append([]any{b.program, idArg(entries[0].id)}, records[0].values...)...)
		return nil
	}
	b.queue(tab.sql.replaces, tab.arrays([]any{b.program, idsOf(entries)}, records)...)
	return nil
}

func (tab *table[T]) encodeAll(b *flushBatch, entries []entry[T]) ([]encoded, error) {
	records := make([]encoded, len(entries))
	for i, e := range entries {
		var err error
		if records[i], err = b.encode(tab.sql.form, &e.row.rec); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// arrays appends an array for each column of the form.
func (tab *table[T]) arrays(args []any, records []encoded) []any {
	for i, c := range tab.sql.form.columns {
		args = append(args, c.array(records, i))
	}
	return args
}

// queueRow queues a statement whose parameters are a whole row.
func (tab *table[T]) queueRow(b *flushBatch, sql string, e entry[T]) error {
	record, err := b.encode(tab.sql.form, &e.row.rec)
	if err != nil {
		return err
	}
	args := append(make([]any, 0, 2+len(tab.sql.indexes)+len(record.values)), b.program, idArg(e.id))
	keys := e.row.rec.AppendKeys(tab.t.room[0][:0])
	for _, ix := range tab.sql.indexes {
		if key, ok := keyOf(keys, ix); ok {
			args = append(args, keyArg(key))
		} else {
			args = append(args, nil)
		}
	}
	b.queue(sql, append(args, record.values...)...)
	return nil
}

func keyOf(keys []record.Key, ix record.Index) (record.Key, bool) {
	for _, key := range keys {
		if key.Index == ix {
			return key, true
		}
	}
	return record.Key{}, false
}

// queueRows queues the statement for one row or the statement for many, with
// whole rows as parameters, and raises the marks of the table.
func (tab *table[T]) queueRows(b *flushBatch, one, many string, entries []entry[T]) error {
	for _, e := range entries {
		tab.raise(e)
	}
	switch len(entries) {
	case 0:
		return nil
	case 1:
		return tab.queueRow(b, one, entries[0])
	}
	args := []any{b.program, idsOf(entries)}
	for _, ix := range tab.sql.indexes {
		args = append(args, tab.column(ix, entries))
	}
	records, err := tab.encodeAll(b, entries)
	if err != nil {
		return err
	}
	b.queue(many, tab.arrays(args, records)...)
	return nil
}

// column returns the keys of the records in one index; null for a record without a
// key.
func (tab *table[T]) column(ix record.Index, entries []entry[T]) any {
	if ix.IsID() {
		column := make([]pgtype.UUID, len(entries))
		for i, e := range entries {
			if key, ok := keyOf(e.row.rec.AppendKeys(tab.t.room[0][:0]), ix); ok {
				column[i] = pgtype.UUID{Bytes: key.ID, Valid: true}
			}
		}
		return column
	}
	column := make([]pgtype.Text, len(entries))
	for i, e := range entries {
		if key, ok := keyOf(e.row.rec.AppendKeys(tab.t.room[0][:0]), ix); ok {
			column[i] = pgtype.Text{String: key.Text, Valid: true}
		}
	}
	return column
}
