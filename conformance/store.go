package conformance

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// TestStore runs the contract of [affiliate.Store] against a store: one
// sub-test for each clause, S01 to S16, with one sub-test for each case below
// it. A case that fails logs the rule that it defends.
//
// newStore returns a fresh, empty store. It is called once for each case, with
// the case's own testing.TB, and cleans up with its Cleanup. The test-suite
// starts goroutines, all of which end with their case, and never calls the
// store inside a closure.
func TestStore(t *testing.T, newStore func(testing.TB) affiliate.Store) {
	for _, c := range storeClauses() {
		t.Run(c.name, func(t *testing.T) {
			for _, sc := range c.cases {
				t.Run(sc.name, func(t *testing.T) { sc.check(t, newStore) })
			}
		})
	}
}

// A clause is one numbered sentence of the Store contract.
type clause struct {
	name  string
	cases []storeCase
}

// A storeCase is one way to break a clause.
type storeCase struct {
	name string
	rule string // printed when the case fails
	run  func(tb testing.TB, s affiliate.Store)
}

func storeClauses() []clause {
	return []clause{
		{"S01 Rollback", rollbackCases()},
		{"S02 Panic", panicCases()},
		{"S03 Serializable", serializableCases()},
		{"S04 Separate", separateCases()},
		{"S05 Snapshot", snapshotCases()},
		{"S06 ReadOnly", readOnlyCases()},
		{"S07 ReadYourWrites", ownWritesCases()},
		{"S08 TxDone", txDoneCases()},
		{"S09 Exists", existsCases()},
		{"S10 UsableAfterExists", usableCases()},
		{"S11 Bytes", bytesCases()},
		{"S12 Order", orderCases()},
		{"S13 Aliasing", aliasingCases()},
		{"S14 Context", contextCases()},
		{"S15 Times", timesCases()},
		{"S16 Complete", completeCases()},
	}
}

// check runs the case against a new store. A panic fails the case and leaves
// the others to run: a store with a table missing is to hear so by name.
func (c storeCase) check(tb testing.TB, newStore func(testing.TB) affiliate.Store) {
	tb.Helper()
	defer func() {
		tb.Helper()
		if r := recover(); r != nil {
			tb.Errorf("panic: %v\n%s", r, debug.Stack())
		}
		if tb.Failed() {
			tb.Logf("rule: %s", c.rule)
		}
	}()
	c.run(tb, newStore(tb))
}

// home and away are two programs.
var (
	home = uuid.UUID{0: 0x10, 15: 1}
	away = uuid.UUID{0: 0x10, 15: 2}
)

// patience is how long a call may take that must not wait for anything.
const patience = 10 * time.Second

// update runs fn in an Update of the home program and stops the case when that
// fails.
func update(tb testing.TB, s affiliate.Store, fn func(tx *affiliate.Tx) error) {
	tb.Helper()
	if err := s.Update(tb.Context(), home, fn); err != nil {
		tb.Fatalf("Update: %v", err)
	}
}

// view runs fn in a View of the home program and stops the case when that
// fails.
func view(tb testing.TB, s affiliate.Store, fn func(tx *affiliate.Tx)) {
	tb.Helper()
	viewOf(tb, s, home, fn)
}

func viewOf(tb testing.TB, s affiliate.Store, program uuid.UUID, fn func(tx *affiliate.Tx)) {
	tb.Helper()
	err := s.View(tb.Context(), program, func(tx *affiliate.Tx) error {
		fn(tx)
		return nil
	})
	if err != nil {
		tb.Fatalf("View: %v", err)
	}
}

// insertAll inserts full records with the given numbers into every table.
func insertAll(tx *affiliate.Tx, numbers ...int) error {
	for _, t := range tables() {
		if err := t.insert(tx, t.fulls(numbers...)...); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// holdsAll checks that every table holds exactly the full records with the
// given numbers.
func holdsAll(tb testing.TB, tx *affiliate.Tx, numbers ...int) {
	tb.Helper()
	for _, t := range tables() {
		t.holds(tb, tx, t.fulls(numbers...)...)
	}
}

func (t table) fulls(numbers ...int) []record {
	recs := make([]record, len(numbers))
	for i, n := range numbers {
		recs[i] = t.full(n)
	}
	return recs
}

// alive checks that both methods still work and wait for nobody.
func alive(tb testing.TB, s affiliate.Store) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	done := make(chan error, 2)
	go func() {
		done <- s.Update(ctx, home, func(tx *affiliate.Tx) error {
			rec := affiliate.TotalsRecord{ID: uuid.UUID{0: 0xa1}}
			if err := tx.Totals.Insert(rec); err != nil {
				return err
			}
			return tx.Totals.Delete(rec.ID)
		})
		done <- s.View(ctx, home, func(tx *affiliate.Tx) error {
			_, err := collect(tx.Totals.List(affiliate.Query{}))
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

// together runs fn in n goroutines that start at the same moment, and waits
// for them. Their errors fail the case.
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
