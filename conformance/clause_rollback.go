package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
)

func rollbackCases() []storeCase {
	return []storeCase{
		{"error", "fn's error comes back from Update (errors.Is) and from View (as it is)", func(tb testing.TB, s record.Store) {
			wrapped := fmt.Errorf("sale: %w", errRefused)
			if err := s.Update(tb.Context(), home, func(*record.Tx) error { return wrapped }); !errors.Is(err, wrapped) {
				tb.Errorf("Update: error %v, want %v", err, wrapped)
			}
			if err := s.View(tb.Context(), home, func(*record.Tx) error { return wrapped }); err != wrapped {
				tb.Errorf("View: error %v, want %v itself", err, wrapped)
			}
		}},
		{"typed error", "fn's error keeps its type", func(tb testing.TB, s record.Store) {
			err := s.Update(tb.Context(), home,
				func(*record.Tx) error { return &record.ExistsError{Index: record.ByCode} })
			if e, ok := errors.AsType[*record.ExistsError](err); !ok || e.Index != record.ByCode {
				tb.Errorf("Update: error %v, want the one of the closure", err)
			}
		}},
		{"into an empty store", "what a failed Update inserted is not there, in any table or index", func(tb testing.TB, s record.Store) {
			refuse(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			view(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"over records", "inserts, replaces and deletes of a failed Update are undone, in every table and index", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			refuse(tb, s, rewriteAll)
			view(tb, s, func(tx *record.Tx) {
				holdsAll(tb, tx, 1, 2, 3)
				for _, t := range tables() {
					t.lacks(tb, tx, t.full(5))
					t.lacksKeys(tb, tx, t.full(4))
				}
			})
		}},
		{"then again", "a failed Update leaves nothing that the next one clashes with", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			refuse(tb, s, rewriteAll)
			update(tb, s, rewriteAll)
			view(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx, withID(t.full(4), t.full(1).RecordID()), t.full(3), t.full(5))
				}
			})
		}},
		{"back and forth", "a record that a failed Update wrote several times is what it was before", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			refuse(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					one := t.full(1).RecordID()
					err := errors.Join(t.In(tx).Replace(withID(t.full(3), one)), t.In(tx).Delete(one), t.insert(tx, t.full(1)),
						t.In(tx).Delete(one), t.insert(tx, withID(t.full(4), one)),
						t.In(tx).Replace(withID(t.full(5), one)),
						t.In(tx).Delete(t.full(2).RecordID()), t.insert(tx, withID(t.full(1), t.full(2).RecordID())))
					if err != nil {
						return fmt.Errorf("%s: %w", t.Name, err)
					}
				}
				return nil
			})
			view(tb, s, func(tx *record.Tx) {
				holdsAll(tb, tx, 1, 2)
				for _, t := range tables() {
					t.lacksKeys(tb, tx, t.full(3))
					t.lacksKeys(tb, tx, t.full(4))
					t.lacksKeys(tb, tx, t.full(5))
				}
			})
		}},
	}
}

func panicCases() []storeCase {
	const rule = "what fn wrote before it panicked is rolled back, the panic goes on, and the store works"
	return []storeCase{
		{"in Update", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			panics(tb, s.Update, rewriteAll)
			alive(tb, s)
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"in View", rule, func(tb testing.TB, s record.Store) {
			panics(tb, s.View, func(tx *record.Tx) error {
				_, err := collect(tx.Sales.List(record.Query{}))
				return err
			})
			alive(tb, s)
		}},
		{"while listing", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			for _, method := range []method{s.Update, s.View} {
				panics(tb, method, func(tx *record.Tx) error {
					for range tx.Sales.List(record.Query{}) {
						panic(errRefused)
					}
					return nil
				})
				alive(tb, s)
			}
		}},
		{"Goexit in Update", "a closure that ends its goroutine is rolled back and holds no lock", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			goexits(tb, s.Update, rewriteAll)
			alive(tb, s)
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"Goexit in View", "a closure that ends its goroutine holds no lock", func(tb testing.TB, s record.Store) {
			goexits(tb, s.View, func(*record.Tx) error { return nil })
			alive(tb, s)
		}},
	}
}
