package pgstore

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

var dialect = relation.Dialect{
	Param: func(n int, k relation.Kind) string { return fmt.Sprintf("$%d::%s", n, sqlType(k)) },
	Sum:   "SUM(%s)::bigint",
}

// summer returns the Sum of a closure's Tx: an Update, which may have written what is not in
// the database yet, has none.
func (u *unit) summer() func(record.Sum) ([]record.Summed, error) {
	if u.t == nil || u.t.kind != viewing {
		return nil
	}
	return u.sum
}

// sum adds records up.
func (u *unit) sum(q record.Sum) (found []record.Summed, err error) {
	if err := u.readable(); err != nil {
		return nil, err
	}
	d := dialect
	d.Table = func(name string) (*relation.Table, string) {
		for _, sql := range u.t.s.sql.tables {
			if sql.Name == name {
				return &sql.Table, sql.name
			}
		}
		return nil, ""
	}
	s, err := d.Summing(&q)
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	args := []any{u.t.programID}
	for _, a := range s.Args {
		args = append(args, value(a.Kind, &a.Cell))
	}
	return found, u.t.read(query{sql: s.SQL, args: args, each: func(rows pgx.Rows) error {
		one, err := summed(rows, s)
		if one.N > 0 {
			found = append(found, one)
		}
		return err
	}})
}

// summed reads a row of sums.
func summed(rows pgx.Rows, s *relation.Summing) (record.Summed, error) {
	fields, raw, types := rows.FieldDescriptions(), rows.RawValues(), typesOf(rows)
	cells := make([]relation.Cell, len(s.Columns))
	for i := range cells {
		if err := readCell(&cells[i], s.Columns[i].Kind, types, &fields[i], raw[i]); err != nil {
			return record.Summed{}, fmt.Errorf("%w: %w", errRecord, err)
		}
	}
	return s.Read(cells)
}
