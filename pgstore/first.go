package pgstore

import (
	"bytes"

	"github.com/jackc/pgx/v5"
)

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
