package sqlitestore

import (
	"context"

	"github.com/tributary-go/tributary/affiliate/record"
)

// PlanOfSum returns how SQLite adds up, a line for each table.
func (s *Store) PlanOfSum(ctx context.Context, q record.Sum) (plan []string, err error) {
	sum, err := s.summing(&q)
	if err != nil {
		return nil, err
	}
	c, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	defer s.release(c)
	args := []value{integerValue(1)}
	for _, a := range sum.Args {
		args = append(args, value{a.Kind, a.Cell})
	}
	err = c.runOnce("EXPLAIN QUERY PLAN "+sum.SQL, args, func(r row) bool {
		plan = append(plan, r.stmt.ColumnText(3))
		return true
	})
	return plan, err
}

// WithURI adds parameters to the URI by which every connection opens the file, each
// with an & before it.
func (c Config) WithURI(parameters string) Config {
	c.uri = parameters
	return c
}
