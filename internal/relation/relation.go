// Package relation describes the records of a store as rows of SQL tables: which
// columns each table has, what they hold, and how a record becomes a row and a row a
// record. The stores that keep records in SQL are made from it, so that a new field of
// a record is one line here and one migration of each store.
//
// Columns have the names of the wire in snake_case. docs/tables.md, which a test writes
// from here, promises them to whoever reads the tables. An id, a time or a text that is
// "none" in a record is NULL where the column may be, and empty otherwise.
package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A Kind is a kind of value in a column.
type Kind int

// The kinds of columns.
const (
	ID      Kind = iota // a UUID
	Text                // valid UTF-8
	Integer             // of 64 bits
	Bool
	Money   // an amount in 1/10,000 of the currency's unit, as an integer of 64 bits
	Percent // 1/10,000 of a percent, as an integer of 64 bits
	Time    // UTC in whole microseconds
	JSON    // text
	Bytes
)

// A Cell is the value of a column in one row. The kind of the column says which field
// is set, unless Null is.
type Cell struct {
	Null  bool
	ID    uuid.UUID
	Int   int64  // Integer, Money, Percent; Bool: 0 or 1; Time: since 1970
	Text  string // Text, JSON
	Bytes []byte // shared with the record: nobody may change it

	err error // the record has a value that the column cannot hold
}

// A Column is one column of a table.
type Column struct {
	Name string
	Kind Kind
	Null bool         // it may be NULL
	Key  record.Index // it holds the key of this index; empty: of none
	Doc  string       // what it holds; empty: it serves the lookups of the store alone
}

// A Table is the table of one type of records.
type Table struct {
	record.TableSchema
	Doc     string
	Columns []Column // the fields of the record, the first one is its id; then what lookups need
	Keys    []int    // the place of the column of each of the Indexes

	rows rows
}

// rows turns records of one type into rows and back.
type rows interface {
	columns() []Column
	write(rec record.AnyRecord, row []Cell) error
	read(row []Cell) (record.AnyRecord, error)
	some(places []int, row []Cell) (record.AnyRecord, error) // a record with some columns
}

// nulls is the column of a table with optional values that tells which of them were
// given as null, which is not the same as not given.
const nulls = "given_as_null"

// Tables returns the tables in the order of [record.Schema].
func Tables() []Table {
	list := described()
	for place, schema := range record.Schema() {
		i := slices.IndexFunc(list, func(t Table) bool { return t.Name == schema.Name })
		list[place], list[i] = list[i], list[place]
		list[place].TableSchema = schema
		list[place].index()
	}
	return list
}

// index adds the columns of indexes whose keys are in no other column.
func (t *Table) index() {
	t.Columns = t.rows.columns()
	for _, ix := range t.Indexes {
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == ix })
		if at < 0 {
			at = len(t.Columns)
			kind := Text
			if ix.IsID() {
				kind = ID
			}
			t.Columns = append(t.Columns, Column{Name: string(ix), Kind: kind, Null: true, Key: ix})
		}
		t.Keys = append(t.Keys, at)
	}
}

// Write puts a record of the table into a row, which has a cell for each column. It
// returns an error when a column cannot hold what the record has.
func (t *Table) Write(rec record.AnyRecord, row []Cell) error {
	for i := range row {
		row[i] = Cell{Null: true}
	}
	if err := t.rows.write(rec, row); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	var room [12]record.Key
	for _, key := range rec.AppendKeys(room[:0]) {
		if at := t.KeyColumn(key.Index); at >= 0 && t.Columns[at].Doc == "" {
			row[at] = t.KeyCell(key)
		}
	}
	return nil
}

// Read returns the record of a row.
func (t *Table) Read(row []Cell) (record.AnyRecord, error) {
	rec, err := t.rows.read(row)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return rec, nil
}

// KeyColumn returns the place of the column of an index, or -1.
func (t *Table) KeyColumn(ix record.Index) int {
	if i := slices.Index(t.Indexes, ix); i >= 0 {
		return t.Keys[i]
	}
	return -1
}

// KeyCell returns a key as the column of its index holds it.
func (t *Table) KeyCell(key record.Key) Cell {
	switch t.Columns[t.KeyColumn(key.Index)].Kind {
	case Integer:
		return Cell{Int: numberOf(key.ID)}
	case ID:
		return Cell{ID: key.ID}
	default:
		return Cell{Text: key.Text}
	}
}

// numberOf returns the number of a [record.NumberID].
func numberOf(id uuid.UUID) (n int64) {
	for _, b := range id[8:] {
		n = n<<8 | int64(b)
	}
	return n
}

// tableOf describes a table by the fields of its records.
func tableOf[T record.Record[T]](name, doc string, fields []field[T]) Table {
	l := &layout[T]{fields: fields, nulls: -1}
	if slices.ContainsFunc(fields, func(f field[T]) bool { return f.null != nil }) {
		l.nulls = len(fields)
	}
	return Table{TableSchema: record.TableSchema{Name: name}, Doc: doc, rows: l}
}

// A layout is the rows of records of type T.
type layout[T record.Record[T]] struct {
	fields []field[T]
	nulls  int // the place of that column; -1: the table has none
}

func (l *layout[T]) columns() (columns []Column) {
	for _, f := range l.fields {
		columns = append(columns, f.Column)
	}
	if l.nulls >= 0 {
		columns = append(columns, Column{
			Name: nulls, Kind: Text, Null: true, Doc: "names of columns, with commas between them, that were given as null; NULL: none",
		})
	}
	return columns
}

func (l *layout[T]) write(any record.AnyRecord, row []Cell) error {
	rec := any.(T)
	var given []string
	for i := range l.fields {
		f := &l.fields[i]
		row[i] = f.get(&rec)
		if row[i].err != nil {
			return fmt.Errorf("%s: %w", f.Name, row[i].err)
		}
		if f.null != nil && row[i].Null && f.null(&rec, false) {
			given = append(given, f.Name)
		}
	}
	if len(given) > 0 {
		row[l.nulls] = Cell{Text: strings.Join(given, ",")}
	}
	return nil
}

// set sets a field of a record.
func (l *layout[T]) set(rec *T, place int, cell *Cell) error {
	f := &l.fields[place]
	if cell.Null && f.Null {
		return nil
	}
	if cell.Null {
		return fmt.Errorf("%s is NULL", f.Name)
	}
	if err := f.set(rec, cell); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

func (l *layout[T]) some(places []int, row []Cell) (record.AnyRecord, error) {
	var rec T
	for i, place := range places {
		if err := l.set(&rec, place, &row[i]); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

func (l *layout[T]) read(row []Cell) (record.AnyRecord, error) {
	var rec T
	for i := range l.fields {
		if l.fields[i].derived {
			continue
		}
		if err := l.set(&rec, i, &row[i]); err != nil {
			return nil, err
		}
	}
	if l.nulls < 0 || row[l.nulls].Null {
		return rec, nil
	}
	for name := range strings.SplitSeq(row[l.nulls].Text, ",") {
		i := slices.IndexFunc(l.fields, func(f field[T]) bool { return f.Name == name && f.null != nil })
		if i < 0 {
			return nil, fmt.Errorf("%s names %q", nulls, name)
		}
		l.fields[i].null(&rec, true)
	}
	return rec, nil
}
