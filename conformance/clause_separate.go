package conformance

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func separateCases() []storeCase {
	return []storeCase{
		{"reads", "no read of one program finds a record of another", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2) })
			viewOf(tb, s, away, func(tx *record.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"same keys", "two programs may hold the same ids and keys", func(tb testing.TB, s record.Store) {
			for _, program := range []uuid.UUID{home, away} {
				if err := s.Update(tb.Context(), program, func(tx *record.Tx) error { return insertAll(tx, 1, 2) }); err != nil {
					tb.Fatalf("Update: %v", err)
				}
			}
			viewOf(tb, s, home, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2) })
			viewOf(tb, s, away, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2) })
		}},
		{"writes", "no write of one program reaches a record of another", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			err := s.Update(tb.Context(), away, func(tx *record.Tx) error {
				for _, t := range tables() {
					if err := t.In(tx).Replace(withID(t.full(4), t.full(1).RecordID())); !errors.Is(err, affiliate.ErrNotFound) {
						tb.Errorf("%s: Replace: error %v, want %v", t.Name, err, affiliate.ErrNotFound)
					}
					if err := t.In(tx).Delete(t.full(2).RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
						tb.Errorf("%s: Delete: error %v, want %v", t.Name, err, affiliate.ErrNotFound)
					}
				}
				return insertAll(tx, 1, 2, 3)
			})
			if err != nil {
				tb.Fatalf("Update: %v", err)
			}
			if err := s.Update(tb.Context(), away, rewriteAll); err != nil {
				tb.Fatalf("Update: %v", err)
			}
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"sequences", "a sequence of one program does not count for another", func(tb testing.TB, s record.Store) {
			for _, seq := range sequences() {
				taken := take(tb, s, home, seq, farAhead)
				if first := take(tb, s, away, seq, 1)[0]; first >= taken[farAhead-1] {
					tb.Errorf("%s: the first number is %d, after %d of another program", seq, first, farAhead)
				}
			}
		}},
	}
}
