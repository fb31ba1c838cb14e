package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Dialect is how the SQL of a store says some things.
type Dialect struct {
	Param func(n int, k Kind) string // a parameter, counted from 1, which is the program
	Sum   string                     // the format of the sum of a column
}

// A Summing is the statement of a [record.Sum]. The last of its columns is how many records there
// are.
type Summing struct {
	SQL     string
	Args    []Arg // after the program
	Columns []Column

	table  *Table
	places []int
}

// An Arg is a parameter of a statement.
type Arg struct {
	Kind
	Cell
}

// Summing makes the statement of a sum of records of the table, which has a name in SQL.
func (t *Table) Summing(name string, q *record.Sum, d Dialect) (*Summing, error) {
	s := &Summing{table: t}
	var selected, grouped, signs []string
	column := func(name string) (Column, error) {
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name && c.Doc != "" })
		if at < 0 {
			return Column{}, fmt.Errorf("table %s has no column %q", t.Name, name)
		}
		s.places, s.Columns = append(s.places, at), append(s.Columns, t.Columns[at])
		return t.Columns[at], nil
	}
	where := s.where(q, d)
	for _, name := range q.By {
		c, err := column(name)
		if err != nil {
			return nil, err
		}
		selected, grouped = append(selected, c.Name), append(grouped, fmt.Sprint(len(grouped)+1))
		if id, only := q.Where[name]; only {
			where += " AND " + c.Name + " = " + s.param(d, Arg{ID, Cell{ID: id}})
		}
	}
	if len(q.Edges) > 1 {
		c, err := column(q.At)
		if err != nil {
			return nil, err
		}
		edges := s.edges(q.Edges, d)
		selected, grouped = append(selected, latest(c.Name, edges[:len(edges)-1])), append(grouped, fmt.Sprint(len(grouped)+1))
		where += fmt.Sprintf(" AND %s >= %s AND %[1]s < %[3]s", c.Name, edges[0], edges[len(edges)-1])
	}
	for _, name := range q.Add {
		c, err := column(name)
		if err != nil {
			return nil, err
		}
		selected = append(selected, fmt.Sprintf(d.Sum, c.Name))
	}
	for _, name := range q.Signs {
		signs = append(signs, "("+name+" < 0)")
	}
	s.Columns = append(s.Columns, Column{Kind: Integer})
	s.SQL = "SELECT " + strings.Join(append(selected, "COUNT(*)"), ", ") + " FROM " + name + " WHERE program = " + d.Param(1, ID) + where
	if grouped = append(grouped, signs...); len(grouped) > 0 {
		s.SQL += " GROUP BY " + strings.Join(grouped, ", ")
	}
	if q.Limit > 0 {
		s.SQL += " LIMIT " + s.param(d, Arg{Integer, Cell{Int: int64(q.Limit)}})
	}
	return s, nil
}

// param adds a parameter.
func (s *Summing) param(d Dialect, a Arg) string {
	s.Args = append(s.Args, a)
	return d.Param(len(s.Args)+1, a.Kind)
}

// where is the condition on keys and ids.
func (s *Summing) where(q *record.Sum, d Dialect) (sql string) {
	if q.Key.Index != "" {
		c := s.table.Columns[s.table.KeyColumn(q.Key.Index)]
		sql += " AND " + c.Name + " = " + s.param(d, Arg{c.Kind, s.table.KeyCell(q.Key)})
	}
	if q.After != uuid.Nil {
		sql += " AND id > " + s.param(d, Arg{ID, Cell{ID: q.After}})
	}
	if q.Before != uuid.Nil {
		sql += " AND id < " + s.param(d, Arg{ID, Cell{ID: q.Before}})
	}
	return sql
}

func (s *Summing) edges(all []affiliate.Instant, d Dialect) (params []string) {
	for _, edge := range all {
		params = append(params, s.param(d, Arg{Time, Cell{Int: micros(edge)}}))
	}
	return params
}

// latest is the latest edge that is not after a time, by halves.
func latest(at string, edges []string) string {
	if len(edges) == 1 {
		return edges[0]
	}
	half := len(edges) / 2
	return "CASE WHEN " + at + " < " + edges[half] + " THEN " + latest(at, edges[:half]) + " ELSE " + latest(at, edges[half:]) + " END"
}

// Read returns the records of a row, which are none in a sum of nothing.
func (s *Summing) Read(row []Cell) (record.Summed, error) {
	n := row[len(row)-1].Int
	if n == 0 {
		return record.Summed{}, nil
	}
	rec, err := s.table.rows.some(s.places, row)
	if err != nil {
		return record.Summed{}, fmt.Errorf("sums of table %s: %w", s.table.Name, err)
	}
	return record.Summed{AnyRecord: rec, N: n}, nil
}
