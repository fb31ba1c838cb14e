package conformance

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

var errRefused = errors.New("refused by the closure")

func rollbackCases() []storeCase {
	return []storeCase{
		{"error", "fn's error comes back from Update (errors.Is) and from View (as it is)", func(tb testing.TB, s affiliate.Store) {
			wrapped := fmt.Errorf("sale: %w", errRefused)
			if err := s.Update(tb.Context(), home, func(*affiliate.Tx) error { return wrapped }); !errors.Is(err, wrapped) {
				tb.Errorf("Update: error %v, want %v", err, wrapped)
			}
			if err := s.View(tb.Context(), home, func(*affiliate.Tx) error { return wrapped }); err != wrapped {
				tb.Errorf("View: error %v, want %v itself", err, wrapped)
			}
		}},
		{"typed error", "fn's error keeps its type", func(tb testing.TB, s affiliate.Store) {
			err := s.Update(tb.Context(), home, func(*affiliate.Tx) error { return &affiliate.ExistsError{Index: affiliate.ByCode} })
			if e, ok := errors.AsType[*affiliate.ExistsError](err); !ok || e.Index != affiliate.ByCode {
				tb.Errorf("Update: error %v, want the one of the closure", err)
			}
		}},
		{"into an empty store", "what a failed Update inserted is not there, in any table or index", func(tb testing.TB, s affiliate.Store) {
			refuse(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			view(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"over records", "inserts, replaces and deletes of a failed Update are undone, in every table and index", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			refuse(tb, s, rewriteAll)
			view(tb, s, func(tx *affiliate.Tx) {
				holdsAll(tb, tx, 1, 2, 3)
				for _, t := range tables() {
					t.lacks(tb, tx, t.full(5))
					t.lacksKeys(tb, tx, t.full(4))
				}
			})
		}},
		{"then again", "a failed Update leaves nothing that the next one clashes with", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			refuse(tb, s, rewriteAll)
			update(tb, s, rewriteAll)
			view(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx, withID(t.full(4), t.full(1).RecordID()), t.full(3), t.full(5))
				}
			})
		}},
		{"back and forth", "a record that a failed Update wrote several times is what it was before", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			refuse(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					one := t.full(1).RecordID()
					err := errors.Join(t.in(tx).Replace(withID(t.full(3), one)), t.in(tx).Delete(one), t.insert(tx, t.full(1)),
						t.in(tx).Delete(one), t.insert(tx, withID(t.full(4), one)), t.in(tx).Replace(withID(t.full(5), one)),
						t.in(tx).Delete(t.full(2).RecordID()), t.insert(tx, withID(t.full(1), t.full(2).RecordID())))
					if err != nil {
						return fmt.Errorf("%s: %w", t.name, err)
					}
				}
				return nil
			})
			view(tb, s, func(tx *affiliate.Tx) {
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

// refuse runs fn in an Update whose closure then returns an error.
func refuse(tb testing.TB, s affiliate.Store, fn func(tx *affiliate.Tx) error) {
	tb.Helper()
	err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errRefused
	})
	if !errors.Is(err, errRefused) {
		tb.Fatalf("Update: error %v, want %v", err, errRefused)
	}
}

// rewriteAll takes every table from the full records 1, 2, 3 to: 1 with all
// that record 4 has but the id, 3 and 5.
func rewriteAll(tx *affiliate.Tx) error {
	for _, t := range tables() {
		err := errors.Join(
			t.in(tx).Replace(withID(t.full(4), t.full(1).RecordID())),
			t.in(tx).Delete(t.full(2).RecordID()),
			t.in(tx).Insert(t.full(5)))
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

func panicCases() []storeCase {
	const rule = "what fn wrote before it panicked is rolled back, the panic goes on, and the store works"
	return []storeCase{
		{"in Update", rule, func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			panics(tb, s.Update, rewriteAll)
			alive(tb, s)
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"in View", rule, func(tb testing.TB, s affiliate.Store) {
			panics(tb, s.View, func(tx *affiliate.Tx) error {
				_, err := collect(tx.Sales.List(affiliate.Query{}))
				return err
			})
			alive(tb, s)
		}},
		{"while listing", rule, func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			for _, method := range []method{s.Update, s.View} {
				panics(tb, method, func(tx *affiliate.Tx) error {
					for range tx.Sales.List(affiliate.Query{}) {
						panic(errRefused)
					}
					return nil
				})
				alive(tb, s)
			}
		}},
		{"Goexit in Update", "a closure that ends its goroutine is rolled back and holds no lock", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			goexits(tb, s.Update, rewriteAll)
			alive(tb, s)
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"Goexit in View", "a closure that ends its goroutine holds no lock", func(tb testing.TB, s affiliate.Store) {
			goexits(tb, s.View, func(*affiliate.Tx) error { return nil })
			alive(tb, s)
		}},
	}
}

// panics checks that the panic of a closure goes through the method as it is.
func panics(tb testing.TB, run method, fn func(tx *affiliate.Tx) error) {
	tb.Helper()
	defer func() {
		tb.Helper()
		if r := recover(); r != any(errRefused) {
			tb.Fatalf("recovered %v, want %v", r, errRefused)
		}
	}()
	err := run(tb.Context(), home, func(tx *affiliate.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		panic(errRefused)
	})
	tb.Fatalf("the panic did not go on; error %v", err)
}

// goexits runs a closure that ends its goroutine.
func goexits(tb testing.TB, run method, fn func(tx *affiliate.Tx) error) {
	tb.Helper()
	var wg sync.WaitGroup
	wg.Go(func() {
		err := run(tb.Context(), home, func(tx *affiliate.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			exit()
			return nil
		})
		tb.Errorf("the closure ended its goroutine, and yet the method returned %v", err)
	})
	wg.Wait()
}

func separateCases() []storeCase {
	return []storeCase{
		{"reads", "no read of one program finds a record of another", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			viewOf(tb, s, away, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"same keys", "two programs may hold the same ids and keys", func(tb testing.TB, s affiliate.Store) {
			for _, program := range []uuid.UUID{home, away} {
				if err := s.Update(tb.Context(), program, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) }); err != nil {
					tb.Fatalf("Update: %v", err)
				}
			}
			viewOf(tb, s, home, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2) })
			viewOf(tb, s, away, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2) })
		}},
		{"writes", "no write of one program reaches a record of another", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			err := s.Update(tb.Context(), away, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					if err := t.in(tx).Replace(withID(t.full(4), t.full(1).RecordID())); !errors.Is(err, affiliate.ErrNotFound) {
						tb.Errorf("%s: Replace: error %v, want %v", t.name, err, affiliate.ErrNotFound)
					}
					if err := t.in(tx).Delete(t.full(2).RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
						tb.Errorf("%s: Delete: error %v, want %v", t.name, err, affiliate.ErrNotFound)
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
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2, 3) })
		}},
		{"sequences", "a sequence of one program does not count for another", func(tb testing.TB, s affiliate.Store) {
			for _, seq := range sequences() {
				taken := take(tb, s, home, seq, farAhead)
				if first := take(tb, s, away, seq, 1)[0]; first >= taken[farAhead-1] {
					tb.Errorf("%s: the first number is %d, after %d of another program", seq, first, farAhead)
				}
			}
		}},
	}
}

func readOnlyCases() []storeCase {
	const rule = "a write in a View is ErrReadOnly and changes nothing"
	return []storeCase{
		{"tables", rule, func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
			view(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					one, two := t.full(1).RecordID(), t.full(2).RecordID()
					for name, err := range map[string]error{
						"Insert":              t.in(tx).Insert(t.full(2)),
						"Insert of the same":  t.in(tx).Insert(t.full(1)),
						"Replace":             t.in(tx).Replace(withID(t.full(3), one)),
						"Replace of nothing":  t.in(tx).Replace(t.full(2)),
						"Delete":              t.in(tx).Delete(one),
						"Delete of nothing":   t.in(tx).Delete(two),
						"Replace by the same": t.in(tx).Replace(t.full(1)),
					} {
						if !errors.Is(err, affiliate.ErrReadOnly) {
							tb.Errorf("%s: %s: error %v, want %v", t.name, name, err, affiliate.ErrReadOnly)
						}
					}
				}
				holdsAll(tb, tx, 1)
			})
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"Next", rule, func(tb testing.TB, s affiliate.Store) {
			view(tb, s, func(tx *affiliate.Tx) {
				for _, seq := range sequences() {
					if n, err := tx.Next(seq); !errors.Is(err, affiliate.ErrReadOnly) {
						tb.Errorf("Next(%s): %d, error %v, want %v", seq, n, err, affiliate.ErrReadOnly)
					}
				}
			})
		}},
		{"error", "ErrReadOnly comes back from View when fn returns it", func(tb testing.TB, s affiliate.Store) {
			err := s.View(tb.Context(), home, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
			if !errors.Is(err, affiliate.ErrReadOnly) {
				tb.Errorf("View: error %v, want %v", err, affiliate.ErrReadOnly)
			}
		}},
	}
}

func txDoneCases() []storeCase {
	const rule = "a Tx that was kept answers ErrTxDone to everything"
	return []storeCase{
		{"after Update", rule, func(tb testing.TB, s affiliate.Store) {
			var kept affiliate.Tx
			update(tb, s, func(tx *affiliate.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"after View", rule, func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
			var kept affiliate.Tx
			view(tb, s, func(tx *affiliate.Tx) { kept = *tx })
			isDone(tb, &kept)
		}},
		{"after an error", rule, func(tb testing.TB, s affiliate.Store) {
			var kept affiliate.Tx
			refuse(tb, s, func(tx *affiliate.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
		}},
		{"after a panic", rule, func(tb testing.TB, s affiliate.Store) {
			var kept affiliate.Tx
			panics(tb, s.Update, func(tx *affiliate.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
		}},
		{"during the next one", "a Tx that was kept does not see, or write into, the next transaction", func(tb testing.TB, s affiliate.Store) {
			var kept affiliate.Tx
			update(tb, s, func(tx *affiliate.Tx) error { kept = *tx; return nil })
			update(tb, s, func(tx *affiliate.Tx) error {
				if err := insertAll(tx, 1); err != nil {
					return err
				}
				isDone(tb, &kept)
				return nil
			})
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"running list", "a List that runs when its transaction ends yields ErrTxDone and stops", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			for _, t := range tables() {
				listEnds(tb, t, s.View)
				listEnds(tb, t, s.Update)
			}
		}},
	}
}

// isDone checks that every method of every table answers ErrTxDone.
func isDone(tb testing.TB, tx *affiliate.Tx) {
	tb.Helper()
	for _, t := range tables() {
		rec := t.full(1)
		_, getErr := t.in(tx).Get(rec.RecordID())
		_, listErr := collect(t.in(tx).List(affiliate.Query{}))
		errs := map[string]error{
			"Get": getErr, "List": listErr, "Insert": t.in(tx).Insert(t.full(2)),
			"Replace": t.in(tx).Replace(rec), "Delete": t.in(tx).Delete(rec.RecordID()),
		}
		for _, key := range keysOf(rec) {
			if key.Index.Unique() {
				_, errs["Find "+string(key.Index)] = t.in(tx).Find(key)
				continue
			}
			_, errs["List "+string(key.Index)] = collect(t.in(tx).List(affiliate.Query{Key: key}))
		}
		for name, err := range errs {
			if !errors.Is(err, affiliate.ErrTxDone) {
				tb.Errorf("%s: %s: error %v, want %v", t.name, name, err, affiliate.ErrTxDone)
			}
		}
	}
	for _, seq := range sequences() {
		if n, err := tx.Next(seq); !errors.Is(err, affiliate.ErrTxDone) {
			tb.Errorf("Next(%s): %d, error %v, want %v", seq, n, err, affiliate.ErrTxDone)
		}
	}
}

// listEnds checks a list of which the closure took one record, and one that it
// made and did not start.
func listEnds(tb testing.TB, t table, run method) {
	tb.Helper()
	var unstarted iter.Seq2[record, error]
	var next func() (record, error, bool)
	err := run(tb.Context(), home, func(tx *affiliate.Tx) error {
		unstarted = t.in(tx).List(affiliate.Query{})
		var stop func()
		next, stop = iter.Pull2(t.in(tx).List(affiliate.Query{}))
		tb.Cleanup(stop)
		_, err, ok := next()
		if !ok {
			return errors.New("the list is empty")
		}
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", t.name, err)
	}
	if _, err, ok := next(); !ok || !errors.Is(err, affiliate.ErrTxDone) {
		tb.Errorf("%s: the list goes on with error %v, ok %v, want %v", t.name, err, ok, affiliate.ErrTxDone)
	}
	if _, err, ok := next(); ok {
		tb.Errorf("%s: the list goes on after its error, with error %v", t.name, err)
	}
	if _, err := collect(unstarted); !errors.Is(err, affiliate.ErrTxDone) {
		tb.Errorf("%s: a list made before the end: error %v, want %v", t.name, err, affiliate.ErrTxDone)
	}
}

func contextCases() []storeCase {
	const rule = "ctx ended before the commit: rolled back, and the error wraps ctx.Err()"
	return []storeCase{
		{"before", rule, func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			cancel()
			err := s.Update(ctx, home, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
			ended(tb, s, err, context.Canceled)
		}},
		{"before a View", "a View whose ctx has ended answers an error that wraps ctx.Err()", func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			cancel()
			err := s.View(ctx, home, func(tx *affiliate.Tx) error {
				_, err := collect(tx.Codes.List(affiliate.Query{}))
				return err
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"before the writes", rule, func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *affiliate.Tx) error {
				cancel()
				_ = insertAll(tx, 1) // the store may refuse, or leave that to the commit
				return nil
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"after the writes", rule, func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *affiliate.Tx) error {
				err := insertAll(tx, 1)
				cancel()
				if ctx.Err() != nil { // in a second run the writes may fail too
					return nil
				}
				return err
			})
			ended(tb, s, err, context.Canceled)
		}},
		{"deadline", rule, func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Millisecond)
			defer cancel()
			err := s.Update(ctx, home, func(tx *affiliate.Tx) error {
				_ = insertAll(tx, 1)
				<-ctx.Done()
				return nil
			})
			ended(tb, s, err, context.DeadlineExceeded)
		}},
		{"with an error", "a closure that fails when ctx has ended is rolled back too", func(tb testing.TB, s affiliate.Store) {
			ctx, cancel := context.WithCancel(tb.Context())
			defer cancel()
			err := s.Update(ctx, home, func(tx *affiliate.Tx) error {
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

// ended checks what an ended context leaves behind: its error, no record, and a
// store that works.
func ended(tb testing.TB, s affiliate.Store, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Errorf("error %v, want one that wraps %q", err, want)
	}
	alive(tb, s)
	view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx) })
}
