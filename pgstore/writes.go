package pgstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// writeBatch is all that a transaction sends at its end.
type writeBatch struct {
	list  []rowWrite
	rows  int
	apart bool // their order matters
}

// A rowWrite is a statement for rows of one table.
type rowWrite struct {
	sql  *tableSQL
	how  how
	args []any // a value for each column, or an array for each; of deleteRows: the ids
}

// how is what a statement does.
type how byte

const (
	deleteRows how = iota // any number of rows
	insertRow
	insertRows
	updateRow
	updateRows
	hows
)

// queue queues a statement for each write of a transaction.
func (w *writeBatch) queue(b *pgx.Batch, t *txn) {
	for _, one := range w.list {
		b.Queue(one.sql.writes[one.how], append([]any{t.programID}, one.args...)...)
	}
}

// mostJoined is the number of joined statements of which a Store remembers the text.
const mostJoined = 512

// joinCounter holds the joined statements that were made.
type joinCounter struct {
	mu   sync.Mutex
	text map[string]string
}

// joined returns the statement that gives the program a new version if the guard lets
// it, and then writes. Its parameters are those of the guard and of each write. It returns
// a row if it has written.
func (s *statements) joined(w *writeBatch) string {
	shape := w.shape()
	s.joins.mu.Lock()
	defer s.joins.mu.Unlock()
	text, ok := s.joins.text[string(shape)]
	if !ok {
		if len(s.joins.text) == mostJoined || s.joins.text == nil {
			s.joins.text = map[string]string{}
		}
		text = s.join(w)
		s.joins.text[string(shape)] = text
	}
	return text
}

// shape returns what the text of the joined statement depends on.
func (w *writeBatch) shape() []byte {
	shape := make([]byte, 0, 64)
	for _, one := range w.list {
		shape = append(shape, byte(one.how), one.sql.at)
	}
	return shape
}

// join makes a joined statement.
func (s *statements) join(w *writeBatch) string {
	var b strings.Builder
	b.WriteString(s.guard)
	next := guardArgs + 1
	for i, one := range w.list {
		fmt.Fprintf(&b, ", p%d AS (%s)", i, one.sql.writing(one.how, next, true))
		next += len(one.sql.Columns)
	}
	b.WriteString(" SELECT 1 FROM guard")
	return b.String()
}

// writing returns the statement for rows of the table. Its parameters are the program and,
// from next on, one for each column. With a guard it writes nothing unless the guard
// has a row.
func (s *tableSQL) writing(how how, next int, guarded bool) string {
	names, from, also := s.selected(""), "", ""
	if guarded {
		from, also = " FROM guard", ", guard"
	}
	one := func(c *relation.Column, n int) string { return param(c, next+n, "") + cast(c) }
	arrays := " FROM unnest(" +
		s.each(", ", func(c *relation.Column, n int) string { return param(c, next+n, "[]") }) +
		") AS v(" + names + ")" + also
	switch how {
	case insertRow:
		return "INSERT INTO " + s.name + " (program, " + names + ") SELECT $1::uuid, " + s.each(", ", one) + from
	case insertRows:
		return "INSERT INTO " + s.name + " (program, " + names + ") SELECT $1::uuid, " +
			s.each(", ", func(c *relation.Column, _ int) string { return "v." + c.Name + cast(c) }) + arrays
	case updateRow:
		return "UPDATE " + s.name + " AS t SET " +
			s.each(", ", func(c *relation.Column, n int) string { return c.Name + " = " + one(c, n) }) + from +
			fmt.Sprintf(" WHERE t.program = $1::uuid AND t.id = $%d::uuid", next)
	case updateRows:
		return "UPDATE " + s.name + " AS t SET " +
			s.each(", ",
				func(c *relation.Column, _ int) string {
					return c.Name + " = v." + c.Name +
						cast(c)
				}) + arrays +
			" WHERE t.program = $1::uuid AND t.id = v.id"
	}
	return fmt.Sprintf("DELETE FROM %s AS t USING unnest($%d::uuid[]) AS v(id) WHERE t.program = $1::uuid AND t.id = v.id", s.name, next)
}

// A firstRead is the row that a View read before it began a transaction.
type firstRead struct {
	sql  string
	args []any
	row  [][]byte
}

// begins notes the table that a View reads first. It reports whether to read
// one record and nothing ahead.
func (t *txn) begins(sql *tableSQL) bool {
	if t.kind != viewing || !t.single || t.opened || t.first != nil {
		return false
	}
	t.began = sql
	// A single statement is not SERIALIZABLE: it may see a later transaction
	// without an earlier one. With only one record this makes no difference.
	wide := sql.wide.Load()
	t.single = !wide || t.s.cfg.Mode == Queue
	return !wide
}

// learnt notes for the next View whether this one read more than one record.
func (t *txn) learnt() {
	if t.began != nil {
		t.began.wide.Store(t.asked > 1)
	}
}

// row reads at most one row. The first row of a View is read outside of a
// transaction, because one statement always sees one snapshot. When the View
// reads more, a transaction begins and reads the first row again.
func (t *txn) row(q query) error {
	if err := t.ready("read"); err != nil {
		return err
	}
	if t.kind != viewing || t.opened || t.first != nil || !t.single {
		return t.read(q)
	}
	t.first = &firstRead{sql: q.sql, args: q.args}
	rows, err := t.db.Query(t.ctx, q.sql, q.args...)
	if err == nil {
		each := q.each
		q.each = func(rows pgx.Rows) error {
			t.first.row = append(t.first.row, cloneRow(rows.RawValues())...)
			return each(rows)
		}
		err = q.answer(rows)
	}
	if err != nil {
		return t.fail("read", err)
	}
	return nil
}

// cloneRow copies a row out of the connection's buffer.
func cloneRow(values [][]byte) [][]byte {
	row := make([][]byte, len(values))
	for i, v := range values {
		row[i] = bytes.Clone(v)
	}
	return row
}

// compareFirst reads the first row of a View again, in the snapshot of the
// transaction. When the row has changed, the View must run again.
func (t *txn) compareFirst(results pgx.BatchResults) error {
	var row [][]byte
	err := queryRows(results, func(rows pgx.Rows) error {
		row = append(row, cloneRow(rows.RawValues())...)
		return nil
	})
	if err != nil {
		return err
	}
	if len(row) != len(t.first.row) {
		return errMoved
	}
	for i := range row {
		if !bytes.Equal(row[i], t.first.row[i]) || (row[i] == nil) != (t.first.row[i] == nil) {
			return errMoved
		}
	}
	return nil
}

// few is the number of rows up to which each has a statement of its own. The server
// plans a statement with short arrays anew each time.
const few = 4

// writes returns what the transaction writes.
func (t *txn) writes() (*writeBatch, error) {
	w := &writeBatch{}
	for _, tab := range t.tables.used() {
		if err := tab.flush(w); err != nil {
			return nil, err
		}
	}
	t.patience = t.s.commitPatience + time.Duration(w.rows)*rowPatience
	return w, nil
}

// flush adds the writes to the table: first deleted rows, then changed rows, then new
// rows, so that a key that moves to another row is free by then. Rows that may exchange
// their unique keys are deleted and come back.
func (tab *table[T]) flush(w *writeBatch) error {
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
		w.rows += len(gone)
		w.list = append(w.list, rowWrite{tab.sql, deleteRows, []any{idsOf(gone)}})
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

// mostRows is the number of rows that one statement writes: the server takes no message above
// 1 GB, which the events of 100,000 sales come near.
const mostRows = 5_000

// add adds a write for each row, or some for many.
func (tab *table[T]) add(w *writeBatch, one, many how, entries []entry[T]) error {
	w.rows += len(entries)
	w.apart = w.apart || len(entries) > mostRows
	if len(entries) > few {
		for some := range slices.Chunk(entries, mostRows) {
			if err := tab.addMany(w, many, some); err != nil {
				return err
			}
		}
		return nil
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
		w.list = append(w.list, rowWrite{tab.sql, one, args})
	}
	return nil
}

func (tab *table[T]) addMany(w *writeBatch, how how, entries []entry[T]) error {
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
	w.list = append(w.list, rowWrite{tab.sql, how, args})
	return nil
}

func (tab *table[T]) write(e entry[T], row []relation.Cell) error {
	if err := tab.sql.Write(e.row.rec, row); err != nil {
		return fmt.Errorf("pgstore: write: %w", err)
	}
	return nil
}
