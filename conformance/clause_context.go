package conformance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
)

func contextCases() []storeCase {
	const rule = "ctx ended before the commit: rolled back, and the error wraps ctx.Err()"
	return []storeCase{
		{"before", rule, func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			cancel()
			err := s.Update(ctx, home, func(tx *record.Tx) error { return insertAll(tx, 1) })
			ended(tb, s, err, context.Canceled)
		}},
		{"before a View", "a View whose ctx has ended answers an error that wraps ctx.Err()", func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			cancel()
			err := s.View(ctx, home, func(tx *record.Tx) error {
				_, err := collect(tx.Codes.List(record.Query{}))
				return err
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"before the writes", rule, func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *record.Tx) error {
				cancel()
				_ = insertAll(tx, 1) // the store may refuse, or leave that to the commit
				return nil
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"after the writes", rule, func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *record.Tx) error {
				err := insertAll(tx, 1)
				cancel()
				if ctx.Err() != nil { // in a second run the writes may fail too
					return nil
				}
				return err
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"deadline", rule, func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Millisecond)
			defer cancel()
			err := s.Update(ctx, home, func(tx *record.Tx) error {
				_ = insertAll(tx, 1)
				<-ctx.Done()
				return nil
			})
			ended(tb, s, err, context.DeadlineExceeded)
		}},
		{"with an error", "a closure that fails when ctx has ended is rolled back too", func(tb testing.TB, s record.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *record.Tx) error {
				_ = insertAll(tx, 1)
				cancel()
				return errRefused
			})
			if errors.Is(err, errRefused) {
				err = context.Canceled // S01 and S14 both name the error; either will do
			}
			ended(tb, s, err, context.Canceled)
		}},
	}
}

// ended checks that the error is the context's, that no record is left, and that
// the store still works.
func ended(tb testing.TB, s record.Store, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Errorf("error %v, want one that wraps %q", err, want)
	}
	alive(tb, s)
	view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx) })
}
