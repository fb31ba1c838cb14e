package pgstore

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/google/uuid"
)

// CommitUnknown reports whether an error of a transaction's last batch leaves
// the outcome of the transaction open.
func CommitUnknown(err error, atCommit, broken bool) bool {
	return errors.Is(commitFailure(err, atCommit, broken), ErrOutcomeUnknown)
}

// Waiting returns how many Updates of a program wait for their turn.
func (s *Store) Waiting(program uuid.UUID) int {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return len(s.turns.lines[program])
}

// Statements returns all statements of the Store.
func (s *Store) Statements() []string {
	var all []string
	for _, t := range s.sql.tables {
		all = append(all, t.probe, t.insert, t.inserts, t.replace, t.replaces, t.rekey, t.rekeys, t.removes)
		for _, sql := range []string{t.unkey, t.old} {
			if sql != "" {
				all = append(all, sql)
			}
		}
		for _, ask := range t.asks {
			all = append(all, ask.one, ask.many, ask.bare)
			if ask.linksOfOne != "" {
				all = append(all, ask.linksOfOne, ask.linksOfMany)
			}
		}
		for _, sql := range t.lists {
			all = append(all, sql)
		}
		for _, sql := range t.list {
			all = append(all, sql)
		}
	}
	return append(all, s.sql.opening, s.sql.closing)
}

// StoredColumns are the columns of a table beside its keys, with their types.
func StoredColumns(table string) (columns []string) {
	f := forms()[table]
	if f == nil {
		f = asJSON
	} else {
		columns = append(columns, "record_json json")
	}
	for _, c := range f.columns {
		switch c.typ {
		case "text":
			c.typ = "text C"
		case "timestamptz":
			c.typ = "timestamp with time zone"
		}
		columns = append(columns, c.name+" "+c.typ)
	}
	return columns
}

// Pack is the stored form of a record in a table: what a read gives back.
func Pack[T any](table string, rec T) []byte {
	e, err := new(flushBatch).encode(forms()[table], &rec)
	if err != nil {
		panic(err)
	}
	return e.raw
}

// Unpack reads what Pack gives.
func Unpack[T any](table string, raw []byte) (T, error) {
	return decode[T](&tableSQL{form: forms()[table]}, raw)
}

// Layout are the fields of a type in the order of their numbers.
func Layout(t reflect.Type) []string { return layouts[t] }

// Words are the texts that have a number.
func Words() []string { return words }

// CompactTables are the tables with compact records.
func CompactTables() []string { return slices.Sorted(maps.Keys(forms())) }
