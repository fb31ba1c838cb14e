package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func ownWritesCases() []storeCase {
	return []storeCase{
		{"Insert", "Get, Find and List see what the Update inserted", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 2) })
			update(tb, s, func(tx *record.Tx) error {
				if err := insertAll(tx, 3, 1); err != nil {
					return err
				}
				holdsAll(tb, tx, 1, 2, 3)
				return nil
			})
		}},
		{"Replace", "Get, Find and List see what the Update replaced, and the old keys lead nowhere", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					moved := withID(t.full(3), t.full(1).RecordID())
					if err := t.In(tx).Replace(moved); err != nil {
						return err
					}
					t.holds(tb, tx, moved, t.full(2))
					t.lacksKeys(tb, tx, t.full(1))
				}
				return nil
			})
		}},
		{"Delete", "Get, Find and List do not see what the Update deleted", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					if err := t.In(tx).Delete(t.full(1).RecordID()); err != nil {
						return err
					}
					t.holds(tb, tx, t.full(2))
					t.lacks(tb, tx, t.full(1))
				}
				return nil
			})
		}},
		{"free again", "an id and the keys of a record that the Update deleted or moved can be taken at once", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					one, two := t.full(1).RecordID(), t.full(2).RecordID()
					err := errors.Join(t.In(tx).Delete(one), t.insert(tx, t.full(1)),
						t.In(tx).Replace(withID(t.full(3), one)), t.In(tx).Replace(withID(t.full(1), two)), t.In(tx).Replace(withID(t.full(2), one)))
					if err != nil {
						return fmt.Errorf("%s: %w", t.Name, err)
					}
					t.holds(tb, tx, withID(t.full(2), one), withID(t.full(1), two))
				}
				return nil
			})
		}},
		{"absent", "what the Update inserted and deleted again is ErrNotFound", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					if err := errors.Join(t.insert(tx, t.full(1)), t.In(tx).Delete(t.full(1).RecordID())); err != nil {
						return err
					}
					t.lacks(tb, tx, t.full(1))
					absent(tb, tx, t)
				}
				return nil
			})
		}},
	}
}

// absent checks that writes to the full record 1, which is not there, return
// ErrNotFound.
func absent(tb testing.TB, tx *record.Tx, t table) {
	tb.Helper()
	if err := t.In(tx).Replace(t.full(1)); !errors.Is(err, affiliate.ErrNotFound) {
		tb.Errorf("%s: Replace: error %v, want %v", t.Name, err, affiliate.ErrNotFound)
	}
	if err := t.In(tx).Delete(t.full(1).RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
		tb.Errorf("%s: Delete: error %v, want %v", t.Name, err, affiliate.ErrNotFound)
	}
	t.lacks(tb, tx, t.full(1))
}
