package sqlitestore

import (
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// prefix begins the name of every table and view, because the host may have tables of its
// own in the file.
const prefix = "tributary_"

// A tableSQL has the statements of a table.
type tableSQL struct {
	relation.Table
	insert, remove, get string
	rekey, replace      update
	find                map[record.Index]string
	list                map[listShape]string
}

// An update writes some columns of the row with an id. A row is replaced in two: the
// columns of keys, if one of them changes, and then the others. So the indexes are
// written only when they change, which is rare, and a key that is taken is found before
// anything is written.
type update struct {
	sql     string
	columns []int // whose values it gets, before the program and the id
}

// A listShape is common to the Queries of one statement.
type listShape struct {
	index       record.Index
	after, desc bool
}

func statements() []*tableSQL {
	var all []*tableSQL
	for _, table := range relation.Tables() {
		all = append(all, newTable(table))
	}
	return all
}

func newTable(table relation.Table) *tableSQL {
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	t := &tableSQL{Table: table, find: map[record.Index]string{}, list: map[listShape]string{}}
	name, columns := prefix+table.Name, strings.Join(names, ", ")
	one := " WHERE program = ? AND id = ?"
	t.insert = "INSERT INTO " + name + " (" + columns + ", program) VALUES (?" + strings.Repeat(", ?", len(names)) + ")"
	var set, rekey, differs []string
	for i, c := range names {
		switch {
		case i == 0: // the id
		case table.Columns[i].Key == "":
			set, t.replace.columns = append(set, c+" = ?"), append(t.replace.columns, i)
		default:
			n := fmt.Sprint("?", len(rekey)+1)
			rekey, t.rekey.columns = append(rekey, c+" = "+n), append(t.rekey.columns, i)
			differs = append(differs, c+" IS NOT "+n)
		}
	}
	t.replace.sql = "UPDATE " + name + " SET " + strings.Join(set, ", ") + one
	if rekey != nil {
		t.rekey.sql = "UPDATE " + name + " SET " + strings.Join(rekey, ", ") + one + " AND (" +
			strings.Join(differs, " OR ") + ")"
	}
	t.remove = "DELETE FROM " + name + one
	selected := "SELECT " + columns + " FROM " + name
	t.get = selected + one
	for _, ix := range append([]record.Index{""}, table.Indexes...) {
		where := " WHERE program = ?"
		if ix != "" {
			where += " AND " + table.Columns[table.KeyColumn(ix)].Name + " = ?"
		}
		if ix.Unique() {
			t.find[ix] = selected + where
			continue
		}
		for _, shape := range []listShape{{ix, false, false}, {ix, true, false}, {ix, false, true}, {ix, true, true}} {
			t.list[shape] = selected + where + shape.tail()
		}
	}
	return t
}

func (l listShape) tail() (sql string) {
	than, order := ">", ""
	if l.desc {
		than, order = "<", " DESC"
	}
	if l.after {
		sql = " AND id " + than + " ?"
	}
	return sql + " ORDER BY id" + order + " LIMIT ?"
}

// args returns the values of a row, followed by others.
func (t *tableSQL) args(c *conn, row []relation.Cell, more ...value) []value {
	args := room(&c.args, len(row)+len(more))[:0]
	for i, cell := range row {
		args = append(args, value{t.Columns[i].Kind, cell})
	}
	return append(args, more...)
}

// read reads the record of a row.
func (t *tableSQL) read(r row) (record.AnyRecord, error) {
	cells, err := r.cells(t.Columns)
	if err != nil {
		return nil, err
	}
	return t.Read(cells)
}

// keyed returns a key as a value.
func (t *tableSQL) keyed(key record.Key) value {
	return value{t.Columns[t.KeyColumn(key.Index)].Kind, t.KeyCell(key)}
}
