package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
)

func aliasingCases() []storeCase {
	const given = "changing a record after it was given to the store changes nothing that is stored"
	const returned = "changing a record that was returned changes nothing that is stored"
	return []storeCase{
		{"inserted", given, func(tb testing.TB, s record.Store) {
			keepsOwn(tb, s, func(t table, tx *record.Tx) (record.AnyRecord, error) {
				rec := t.full(2)
				return rec, t.In(tx).Insert(rec)
			})
		}},
		{"replaced", given, func(tb testing.TB, s record.Store) {
			keepsOwn(tb, s, func(t table, tx *record.Tx) (record.AnyRecord, error) {
				rec := t.full(2)
				return rec, errors.Join(t.insert(tx, withID(t.full(3), rec.RecordID())), t.In(tx).Replace(rec))
			})
		}},
		{"by Get", returned, aliasOf(func(t table, tx *record.Tx) (record.AnyRecord, error) { return t.In(tx).Get(t.full(1).RecordID()) })},
		{"by Find", returned, aliasOf(func(t table, tx *record.Tx) (record.AnyRecord, error) {
			for _, ix := range t.unique() {
				return t.In(tx).Find(keyOf(t.full(1), ix))
			}
			return t.In(tx).Get(t.full(1).RecordID())
		})},
		{"by List", returned, aliasOf(func(t table, tx *record.Tx) (record.AnyRecord, error) { return only(t.In(tx).List(record.Query{})) })},
		{"by List with a key", returned, aliasOf(func(t table, tx *record.Tx) (record.AnyRecord, error) {
			for _, key := range keysOf(t.full(1)) {
				if !key.Index.Unique() {
					return only(t.In(tx).List(record.Query{Key: key}))
				}
			}
			return only(t.In(tx).List(record.Query{}))
		})},
		{"then a rollback", "a record that was changed after it was replaced, or returned, is rolled back to what it was", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) })
			refuse(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					got, err := t.In(tx).Get(t.full(1).RecordID())
					if err != nil {
						return err
					}
					scribble(got)
					next := withID(t.full(2), got.RecordID())
					if err := t.In(tx).Replace(next); err != nil {
						return err
					}
					scribble(next)
				}
				return nil
			})
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1) })
		}},
	}
}

// only returns the record of a list that has one.
func only(list func(yield func(record.AnyRecord, error) bool)) (record.AnyRecord, error) {
	all, err := collect(list)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d records, want 1", len(all))
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// keepsOwn overwrites the full record 2 after write has given it to the store,
// and expects the store to hold what it was given.
func keepsOwn(tb testing.TB, s record.Store, write func(t table, tx *record.Tx) (record.AnyRecord, error)) {
	tb.Helper()
	var given []record.AnyRecord
	update(tb, s, func(tx *record.Tx) error {
		given = nil
		for i, t := range tables() {
			rec, err := write(t, tx)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			if i%2 == 0 { // the others are overwritten after the commit
				scribble(rec)
				t.holds(tb, tx, t.full(2))
			}
			given = append(given, rec)
		}
		return nil
	})
	for _, rec := range given {
		scribble(rec)
	}
	view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 2) })
}

// aliasOf makes a case that overwrites the full record 1 that read has returned,
// in a View and in an Update, and expects the store to hold it unchanged.
func aliasOf(read func(t table, tx *record.Tx) (record.AnyRecord, error)) func(tb testing.TB, s record.Store) {
	return func(tb testing.TB, s record.Store) {
		update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) })
		for _, run := range []method{s.View, s.Update} {
			err := run(tb.Context(), home, func(tx *record.Tx) error {
				for _, t := range tables() {
					rec, err := read(t, tx)
					if err != nil {
						return fmt.Errorf("%s: %w", t.Name, err)
					}
					scribble(rec)
					t.holds(tb, tx, t.full(1))
				}
				return nil
			})
			if err != nil {
				tb.Fatal(err)
			}
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1) })
		}
	}
}
