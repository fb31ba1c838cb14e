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
	// NumberID is the format of [record.NumberID] of a column, for stores that join by an index
	// alone; empty: they need none.
	NumberID string
	// Table returns a table by its name, and its name in SQL; nil: there is none.
	Table func(name string) (t *Table, sql string)
}

// A Summing is the statement of a [record.Sum]. The last of its columns is how many records there
// are.
type Summing struct {
	SQL     string
	Args    []Arg // after the program
	Columns []Column

	d      Dialect
	tables []*Table // the one that is added up first, then those that it is joined with
	from   string
	of     []int // the table of each column
	places []int // the place of each column in its table
}

// An Arg is a parameter of a statement.
type Arg struct {
	Kind
	Cell
}

// joins has the tables that may be joined with another one: by a column of theirs, which is the
// number of their id where numbered says so.
var joins = map[string]struct {
	column, with, key string
	numbered          bool
}{
	"sales":       {"sale_id", "movements", "sale_id", false},
	"redemptions": {"sale_id", "movements", "sale_id", true},
	"clicks":      {"click_id", "sales", "why_click_id", false},
	"referrals":   {"id", "sales", "referral_id", false},
}

// Summing makes the statement of a sum of records.
func (d Dialect) Summing(q *record.Sum) (*Summing, error) {
	s := &Summing{d: d}
	if _, err := s.table(q.Table); err != nil {
		return nil, err
	}
	where := s.where(q)
	var selected, grouped []string
	group := func(expression string) {
		selected, grouped = append(selected, expression), append(grouped, fmt.Sprint(len(grouped)+1))
	}
	for _, name := range q.By {
		c, err := s.column(name)
		if err != nil {
			return nil, err
		}
		group(c)
		if id, only := q.Where[name]; only {
			where += " AND " + c + " = " + s.param(Arg{ID, Cell{ID: id}})
		}
	}
	if len(q.Edges) > 1 {
		c, err := s.column(q.At)
		if err != nil {
			return nil, err
		}
		edges := s.edges(q.Edges)
		last := len(edges) - 1
		group(latest(c, edges[:last]))
		where += fmt.Sprintf(" AND %s >= %s AND %[1]s < %[3]s", c, edges[0], edges[last])
	}
	for _, name := range q.Add {
		c, err := s.column(name)
		if err != nil {
			return nil, err
		}
		selected = append(selected, fmt.Sprintf(d.Sum, c))
	}
	for _, name := range q.Signs {
		grouped = append(grouped, fmt.Sprintf("(%q.%s < 0)", q.Table, name))
	}
	s.Columns = append(s.Columns, Column{Kind: Integer})
	s.SQL = "SELECT " + strings.Join(append(selected, "COUNT(*)"), ", ") + " FROM " + s.from +
		fmt.Sprintf(" WHERE %q.program = %s", q.Table, d.Param(1, ID)) + where
	if len(grouped) > 0 {
		s.SQL += " GROUP BY " + strings.Join(grouped, ", ")
	}
	if q.Limit > 0 {
		s.SQL += " LIMIT " + s.param(Arg{Integer, Cell{Int: int64(q.Limit)}})
	}
	return s, nil
}

// table returns the place of a table of the statement, and joins it when it is new.
func (s *Summing) table(name string) (place int, err error) {
	place = slices.IndexFunc(s.tables, func(t *Table) bool { return t.Name == name })
	if place >= 0 {
		return place, nil
	}
	t, sql := s.d.Table(name)
	if t == nil {
		return 0, fmt.Errorf("there is no table %q", name)
	}
	if len(s.tables) == 0 {
		s.from = fmt.Sprintf("%s AS %q", sql, name)
	} else {
		by, joined := joins[name]
		if !joined {
			return 0, fmt.Errorf("table %q is joined with no other", name)
		}
		if _, err := s.table(by.with); err != nil {
			return 0, err
		}
		column, key := by.column, fmt.Sprintf("%q.%s", by.with, by.key)
		if by.numbered && s.d.NumberID != "" {
			column, key = "id", fmt.Sprintf(s.d.NumberID, key)
		}
		s.from += fmt.Sprintf(" LEFT JOIN %s AS %q ON %[2]q.program = %[3]q.program AND %[2]q.%[4]s = %[5]s",
			sql, name, by.with, column, key)
	}
	s.tables = append(s.tables, t)
	return len(s.tables) - 1, nil
}

// column selects a column, of the first table or as table.column.
func (s *Summing) column(name string) (sql string, err error) {
	of, t := 0, s.tables[0]
	if table, column, joined := strings.Cut(name, "."); joined {
		if of, err = s.table(table); err != nil {
			return "", err
		}
		name, t = column, s.tables[of]
	}
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name && c.Doc != "" })
	if at < 0 {
		return "", fmt.Errorf("table %s has no column %q", t.Name, name)
	}
	c := t.Columns[at]
	c.Null = c.Null || of > 0
	s.of, s.places, s.Columns = append(s.of, of), append(s.places, at), append(s.Columns, c)
	return fmt.Sprintf("%q.%s", t.Name, name), nil
}

// param adds a parameter.
func (s *Summing) param(a Arg) string {
	s.Args = append(s.Args, a)
	return s.d.Param(len(s.Args)+1, a.Kind)
}

// where is the condition on keys and ids.
func (s *Summing) where(q *record.Sum) (sql string) {
	t := s.tables[0]
	if q.Key.Index != "" {
		c := t.Columns[t.KeyColumn(q.Key.Index)]
		sql += fmt.Sprintf(" AND %q.%s = %s", t.Name, c.Name, s.param(Arg{c.Kind, t.KeyCell(q.Key)}))
	}
	if q.After != uuid.Nil {
		sql += fmt.Sprintf(" AND %q.id > %s", t.Name, s.param(Arg{ID, Cell{ID: q.After}}))
	}
	if q.Before != uuid.Nil {
		sql += fmt.Sprintf(" AND %q.id < %s", t.Name, s.param(Arg{ID, Cell{ID: q.Before}}))
	}
	return sql
}

func (s *Summing) edges(all []affiliate.Instant) (params []string) {
	for _, edge := range all {
		params = append(params, s.param(Arg{Time, Cell{Int: micros(edge)}}))
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
func (s *Summing) Read(row []Cell) (sum record.Summed, err error) {
	if sum.N = row[len(row)-1].Int; sum.N == 0 {
		return sum, nil
	}
	for i, t := range s.tables {
		var places []int
		var cells []Cell
		for c := range s.places {
			if s.of[c] == i && (i == 0 || !row[c].Null) {
				places, cells = append(places, s.places[c]), append(cells, row[c])
			}
		}
		if i > 0 && len(places) == 0 {
			continue
		}
		rec, err := t.rows.some(places, cells)
		if err != nil {
			return record.Summed{}, fmt.Errorf("sums of table %s: %w", t.Name, err)
		}
		if i == 0 {
			sum.AnyRecord = rec
		} else {
			sum.With = append(sum.With, rec)
		}
	}
	return sum, nil
}
