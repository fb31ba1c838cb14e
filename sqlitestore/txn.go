package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// A txn is one run of one closure.
type txn struct {
	s        *Store
	c        *conn
	ctx      context.Context
	group    *group // nil: a View, or a transaction of the host
	program  uuid.UUID
	number   int64 // of the program; 0: it has no records
	inserted bool  // the program is new in this closure
	readOnly bool
	done     bool
	err      error // of the database: nothing works any more
}

// begin looks up the number of the program.
func (t *txn) begin() error {
	if n, ok := t.s.known.Load(t.program); ok {
		t.number = n.(int64)
		return nil
	}
	if t.group != nil {
		if n, ok := t.group.program[t.program]; ok {
			t.number = n
			return nil
		}
	}
	_, err := t.c.run(`SELECT number FROM tributary_programs WHERE id = ?`, []value{idValue(t.program)}, func(r row) bool {
		t.number = r.integer()
		return false
	})
	return err
}

// enter gives a program that has no records yet its number.
func (t *txn) enter() error {
	if t.number != 0 {
		return nil
	}
	_, err := t.c.run(`INSERT INTO tributary_programs (id) VALUES (?) RETURNING number`, []value{idValue(t.program)}, func(r row) bool {
		t.number = r.integer()
		return true
	})
	if err != nil {
		return t.fail("write programs", err)
	}
	t.inserted = true
	if t.group == nil { // a transaction of the host
		return nil
	}
	if t.group.program == nil {
		t.group.program = map[uuid.UUID]int64{}
	}
	t.group.program[t.program] = t.number
	return nil
}

// forget is called when the closure is taken back.
func (t *txn) forget() {
	if t.inserted {
		delete(t.group.program, t.program)
	}
}

// end makes everything that the closure got unusable.
func (t *txn) end() { t.done = true }

// tx makes the Tx of the closure.
func (t *txn) tx() *record.Tx {
	tx := &record.Tx{Raise: t.raise}
	for _, sql := range t.s.tables {
		sql.Set(tx, &table{t, sql})
	}
	if t.readOnly {
		tx.Sum = t.sum
	}
	return tx
}

// summing makes the statement of a sum.
func (s *Store) summing(q *record.Sum) (*relation.Summing, error) {
	return relation.Dialect{
		Param:    func(n int, _ relation.Kind) string { return fmt.Sprint("?", n) },
		Sum:      "SUM(%s)",
		NumberID: "printf('00000000-0000-0000-%%04x-%%012x', %[1]s >> 48, %[1]s & 281474976710655)",
		Table: func(name string) (*relation.Table, string) {
			for _, sql := range s.tables {
				if sql.Name == name {
					return &sql.Table, prefix + name
				}
			}
			return nil, ""
		},
	}.Summing(q)
}

// sum is the Sum of a View.
func (t *txn) sum(q record.Sum) (found []record.Summed, err error) {
	if err := t.readable(); err != nil {
		return nil, err
	}
	s, err := t.s.summing(&q)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: %w", err)
	}
	args := []value{integerValue(t.number)}
	for _, a := range s.Args {
		args = append(args, value{a.Kind, a.Cell})
	}
	var unreadable error
	err = t.c.runOnce(s.SQL, args, func(r row) bool {
		var one record.Summed
		cells, err := r.cells(s.Columns)
		if err == nil {
			one, err = s.Read(cells)
		}
		if one.N > 0 {
			found = append(found, one)
		}
		unreadable = err
		return err == nil
	})
	if err := errors.Join(unreadable, err); err != nil {
		return nil, t.fail("add up "+q.Table, err)
	}
	return found, nil
}

// readable returns why the closure may not read; nil: it may.
func (t *txn) readable() error {
	switch {
	case t.done:
		return record.ErrTxDone
	case t.err != nil:
		return t.err
	case t.ctx.Err() != nil:
		t.err = failed("read", t.ctx.Err())
	}
	return t.err
}

// writable returns why the closure may not write; nil: it may.
func (t *txn) writable() error {
	if t.readOnly && !t.done {
		return record.ErrReadOnly
	}
	return t.readable()
}

// fail keeps an error of the database, after which the closure cannot go on.
func (t *txn) fail(what string, err error) error {
	if t.err == nil {
		t.err = ended(t.ctx, what, err)
	}
	return t.err
}

// raise moves a sequence on, or reads it.
func (t *txn) raise(seq record.Sequence, by, to int64) (n int64, err error) {
	last := func(r row) bool {
		n = r.integer()
		return true
	}
	if by == 0 && to == 0 {
		if err := t.readable(); err != nil {
			return 0, err
		}
		_, err := t.c.run(`SELECT last FROM tributary_sequences WHERE program = ? AND name = ?`,
			[]value{integerValue(t.number), textValue(string(seq))}, last)
		if err != nil {
			return 0, t.fail("read sequences", err)
		}
		return n, nil
	}
	if err := t.writable(); err != nil {
		return 0, err
	}
	if err := t.enter(); err != nil {
		return 0, err
	}
	_, err = t.c.run(`INSERT INTO tributary_sequences (program, name, last) VALUES (?1, ?2, max(0, ?3, ?4))
		ON CONFLICT (program, name) DO UPDATE SET last = max(last, last + ?3, ?4) RETURNING last`,
		[]value{integerValue(t.number), textValue(string(seq)), integerValue(by), integerValue(to)}, last)
	if err != nil {
		return 0, t.fail("write sequences", err)
	}
	return n, nil
}

// A table is a record.Table in one run of a closure.
type table struct {
	t   *txn
	sql *tableSQL
}

// Get returns the record with the id.
func (tab *table) Get(id uuid.UUID) (record.AnyRecord, error) {
	return tab.one(tab.sql.get, idValue(id))
}

// Find returns the record that holds the key.
func (tab *table) Find(key record.Key) (record.AnyRecord, error) {
	sql, ok := tab.sql.find[key.Index]
	switch {
	case tab.t.done:
		return nil, record.ErrTxDone
	case !ok:
		return nil, fmt.Errorf("sqlitestore: find in %s: no unique index %q", tab.sql.Name, key.Index)
	case !storable(key):
		return nil, affiliate.ErrNotFound
	}
	return tab.one(sql, tab.sql.keyed(key))
}

// one reads the one record that a statement finds.
func (tab *table) one(sql string, arg value) (record.AnyRecord, error) {
	if err := tab.t.readable(); err != nil {
		return nil, err
	}
	var found []record.AnyRecord
	err := tab.read(sql, []value{integerValue(tab.t.number), arg}, &found)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, affiliate.ErrNotFound
	}
	return found[0], nil
}

// read reads all records that a statement finds.
func (tab *table) read(sql string, args []value, found *[]record.AnyRecord) error {
	var unreadable error
	_, err := tab.t.c.run(sql, args, func(r row) bool {
		rec, err := tab.sql.read(r)
		if unreadable = err; err == nil {
			*found = append(*found, rec)
		}
		return err == nil
	})
	if err := errors.Join(unreadable, err); err != nil {
		return tab.t.fail("read "+tab.sql.Name, err)
	}
	return nil
}

// page is the number of records that a List reads at once. What the closure writes
// meanwhile may be in the next page.
const page = 256

// List walks the records that q selects.
func (tab *table) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		if err := tab.walk(q, yield); err != nil {
			yield(nil, err)
		}
	}
}

// walk yields the records. The caller yields the error last.
func (tab *table) walk(q record.Query, yield func(record.AnyRecord, error) bool) error {
	if err := tab.t.readable(); err != nil {
		return err
	}
	if q.Key.Index != "" {
		if _, ok := tab.sql.list[listShape{index: q.Key.Index}]; !ok {
			return fmt.Errorf("sqlitestore: list of %s: no shared index %q", tab.sql.Name, q.Key.Index)
		}
		if !storable(q.Key) {
			return nil
		}
	}
	rest, after := q.Limit, q.After != uuid.Nil
	for {
		size := page
		if q.Limit > 0 {
			size = min(rest, page)
		}
		args := append(make([]value, 0, 4), integerValue(tab.t.number))
		if q.Key.Index != "" {
			args = append(args, tab.sql.keyed(q.Key))
		}
		if after {
			args = append(args, idValue(q.After))
		}
		found := make([]record.AnyRecord, 0, min(size, 16))
		err := tab.read(tab.sql.list[listShape{q.Key.Index, after, q.Desc}],
			append(args, integerValue(int64(size))), &found)
		if err != nil {
			return err
		}
		for _, rec := range found {
			if err := tab.t.readable(); err != nil {
				return err
			}
			if !yield(rec, nil) {
				return nil
			}
		}
		if rest -= len(found); len(found) < size || rest == 0 {
			return nil
		}
		if err := tab.t.readable(); err != nil {
			return err
		}
		q.After, after = found[len(found)-1].RecordID(), true
	}
}

// Insert adds a record.
func (tab *table) Insert(rec record.AnyRecord) error {
	row, err := tab.row(rec)
	if err != nil {
		return err
	}
	if err := tab.t.enter(); err != nil {
		return err
	}
	_, err = tab.t.c.run(tab.sql.insert, tab.sql.args(tab.t.c, row, integerValue(tab.t.number)), nil)
	if isTaken(err) {
		return tab.taken(rec, true)
	}
	return tab.failed("insert into", err)
}

// Replace puts a record in the place of the one with its id.
func (tab *table) Replace(rec record.AnyRecord) error {
	row, err := tab.row(rec)
	if err != nil {
		return err
	}
	if tab.sql.rekey.sql != "" {
		_, err := tab.update(tab.sql.rekey, row)
		if isTaken(err) {
			return tab.taken(rec, false)
		}
		if err != nil {
			return tab.failed("replace in", err)
		}
	}
	changed, err := tab.update(tab.sql.replace, row)
	if err == nil && changed == 0 {
		return affiliate.ErrNotFound
	}
	return tab.failed("replace in", err)
}

func (tab *table) update(u update, row []relation.Cell) (changed int64, err error) {
	args := room(&tab.t.c.args, len(u.columns)+2)[:0]
	for _, i := range u.columns {
		args = append(args, value{tab.sql.Columns[i].Kind, row[i]})
	}
	return tab.t.c.run(u.sql, append(args, integerValue(tab.t.number), value{relation.ID, row[0]}), nil)
}

// Delete removes the record with the id.
func (tab *table) Delete(id uuid.UUID) error {
	if err := tab.t.writable(); err != nil {
		return err
	}
	changed, err := tab.t.c.run(tab.sql.remove, []value{integerValue(tab.t.number), idValue(id)}, nil)
	if err == nil && changed == 0 {
		return affiliate.ErrNotFound
	}
	return tab.failed("delete from", err)
}

// failed keeps an error of the database.
func (tab *table) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return tab.t.fail(what+" "+tab.sql.Name, err)
}

// taken returns the error of a record whose id or key another one holds. The statement
// has changed nothing, and the closure may go on.
func (tab *table) taken(rec record.AnyRecord, inserted bool) error {
	if inserted {
		if _, err := tab.Get(rec.RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
			return cmp.Or(tab.t.err, error(&record.ExistsError{}))
		}
	}
	for _, key := range rec.AppendKeys(nil) {
		if !key.Index.Unique() {
			continue
		}
		other, err := tab.Find(key)
		if err == nil && other.RecordID() != rec.RecordID() {
			return &record.ExistsError{Index: key.Index}
		}
	}
	return cmp.Or(tab.t.err, tab.failed("write", errLost))
}

// row returns the row of a record that may be written.
func (tab *table) row(rec record.AnyRecord) ([]relation.Cell, error) {
	if err := tab.t.writable(); err != nil {
		return nil, err
	}
	for _, key := range rec.AppendKeys(nil) {
		if tab.sql.KeyColumn(key.Index) < 0 {
			return nil, fmt.Errorf("sqlitestore: record of %s: no index %q", tab.sql.Name, key.Index)
		}
		if !storable(key) {
			return nil, fmt.Errorf("sqlitestore: record of %s: the key of %s cannot be stored", tab.sql.Name, key.Index)
		}
	}
	row := room(&tab.t.c.written, len(tab.sql.Columns))
	return row, failed("write", tab.sql.Write(rec, row))
}

// storable reports whether a text can be a key.
func storable(key record.Key) bool {
	return key.Index.IsID() || key.Text != "" && utf8.ValidString(key.Text) && strings.IndexByte(key.Text, 0) < 0
}
