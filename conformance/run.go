package conformance

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// home and away are the ids of two programs.
var (
	home = uuid.UUID{0: 0x10, 15: 1}
	away = uuid.UUID{0: 0x10, 15: 2}
)

// patience is the limit for a call that must not wait for anything.
const patience = 10 * time.Second

var errRefused = errors.New("refused by the closure")

// update runs fn in an Update of the home program and stops the case when that
// fails.
func update(tb testing.TB, s record.Store, fn func(tx *record.Tx) error) {
	tb.Helper()
	if err := s.Update(tb.Context(), home, fn); err != nil {
		tb.Fatalf("Update: %v", err)
	}
}

// view runs fn in a View of the home program and stops the case when that
// fails.
func view(tb testing.TB, s record.Store, fn func(tx *record.Tx)) {
	tb.Helper()
	viewOf(tb, s, home, fn)
}

func viewOf(tb testing.TB, s record.Store, program uuid.UUID, fn func(tx *record.Tx)) {
	tb.Helper()
	err := s.View(tb.Context(), program, func(tx *record.Tx) error {
		fn(tx)
		return nil
	})
	if err != nil {
		tb.Fatalf("View: %v", err)
	}
}

// refuse runs fn in an Update whose closure then returns an error.
func refuse(tb testing.TB, s record.Store, fn func(tx *record.Tx) error) {
	tb.Helper()
	err := s.Update(tb.Context(), home, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errRefused
	})
	if !errors.Is(err, errRefused) {
		tb.Fatalf("Update: error %v, want %v", err, errRefused)
	}
}

// panics checks that a closure's panic reaches the caller of the method
// unchanged.
func panics(tb testing.TB, run method, fn func(tx *record.Tx) error) {
	tb.Helper()
	defer func() {
		tb.Helper()
		if r := recover(); r != any(errRefused) {
			tb.Fatalf("recovered %v, want %v", r, errRefused)
		}
	}()
	err := run(tb.Context(), home, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		panic(errRefused)
	})
	tb.Fatalf("the panic did not go on; error %v", err)
}

// goexits runs a closure that ends its goroutine, and checks that the method
// does not return.
func goexits(tb testing.TB, run method, fn func(tx *record.Tx) error) {
	tb.Helper()
	var wg sync.WaitGroup
	wg.Go(func() {
		err := run(tb.Context(), home, func(tx *record.Tx) error {
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

// exit ends the goroutine, as Fatal does in a host's test.
func exit() { runtime.Goexit() }

// alive checks that both methods still work and do not hang.
func alive(tb testing.TB, s record.Store) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	done := make(chan error, 2)
	go func() {
		done <- s.Update(ctx, home, func(tx *record.Tx) error {
			rec := record.Totals{ID: uuid.UUID{0: 0xa1}}
			if err := tx.Totals.Insert(rec); err != nil {
				return err
			}
			return tx.Totals.Delete(rec.ID)
		})
		done <- s.View(ctx, home, func(tx *record.Tx) error {
			_, err := collect(tx.Totals.List(record.Query{}))
			return err
		})
	}()
	for _, method := range []string{"Update", "View"} {
		select {
		case err := <-done:
			if err != nil {
				tb.Fatalf("the next %s: %v", method, err)
			}
		case <-ctx.Done():
			tb.Fatalf("the next %s hangs", method)
		}
	}
}

// together runs fn in n goroutines that start at the same moment, and waits for
// them. An error of one of them fails the case.
func together(tb testing.TB, n int, fn func(worker int) error) {
	tb.Helper()
	var wg sync.WaitGroup
	start := make(chan struct{})
	for worker := range n {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					tb.Errorf("worker %d: panic: %v\n%s", worker, r, debug.Stack())
				}
			}()
			<-start
			if err := fn(worker); err != nil {
				tb.Errorf("worker %d: %v", worker, err)
			}
		})
	}
	close(start)
	wg.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
}
