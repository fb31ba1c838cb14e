package pgstore

import (
	"bytes"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// marks are the highest id of each table of a program and the highest key of
// each unique index of ids, one after another in one column of its row. No
// record has a value above its mark. Ids rise, so nearly every insert is known
// to be new without a question to the database. A mark may be too low when
// records came from elsewhere. Then a unique index of the database refuses the
// insert at the commit, and the closure runs again without marks.
type marks struct{ raw []byte }

// load reads the marks of a row. Without a row, or with the marks of another
// version of the schema, they start from zero.
func (m *marks) load(raw []byte, n int) {
	if len(raw) != 16*n {
		raw = make([]byte, 16*n)
	}
	m.raw = raw
}

func (m *marks) at(i int) []byte { return m.raw[16*i : 16*i+16] }

// needOpening reads the row of the program, unless it was read.
func (t *txn) needOpening() error {
	if t.known {
		return nil
	}
	return t.read()
}

// above reports whether a value is above all values that the table has had.
func (tab *table[T]) above(ix record.Index, id uuid.UUID) bool {
	t := tab.t
	return t.known && !t.careful && bytes.Compare(id[:], t.marks.at(tab.sql.markAt[ix])) > 0
}

// ownTotals notes that a new owner of totals has none, because its id is above
// all ids of totals. The engine asks for them next.
func (tab *table[T]) ownTotals(id uuid.UUID) {
	owner := slices.Contains(tab.sql.ahead, reference{"", "totals"})
	if totals := tableOf[record.Totals](tab.t); owner && totals.above("", id) {
		totals.learnNone(id)
	}
}

// raise raises the marks to the values of a new row.
func (tab *table[T]) raise(e entry[T]) {
	t := tab.t
	t.marks.lift(tab.sql.markAt[""], e.id)
	if len(tab.sql.markAt) == 1 {
		return
	}
	for _, key := range e.row.rec.AppendKeys(tab.t.room[0][:0]) {
		if at, ok := tab.sql.markAt[key.Index]; ok {
			t.marks.lift(at, key.ID)
		}
	}
}

func (m *marks) lift(i int, id uuid.UUID) {
	if bytes.Compare(id[:], m.at(i)) > 0 {
		copy(m.at(i), id[:])
	}
}
