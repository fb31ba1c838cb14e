package conformance

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
)

func snapshotCases() []storeCase {
	return []storeCase{
		{"transfers", "a View among concurrent transfers sees a constant total", viewTransfers},
		{"reads again", "what a View read, it reads again after another transaction wrote", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *record.Tx, write func()) {
				holdsAll(tb, tx, 1, 2, 3)
				write()
				holdsAll(tb, tx, 1, 2, 3)
			})
		}},
		{"reads on", "what a View reads is as old as what it read first", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *record.Tx, write func()) {
				first := tables()[0]
				first.holds(tb, tx, first.fulls(1, 2, 3)...)
				write()
				holdsAll(tb, tx, 1, 2, 3)
			})
		}},
		{"in a list", "a List in a View goes on as it began", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *record.Tx, write func()) {
				sales := tables()[7]
				var got []record.AnyRecord
				for rec, err := range sales.In(tx).List(record.Query{}) {
					if err != nil {
						tb.Errorf("List: %v", err)
					}
					got = append(got, rec)
					write()
				}
				if d := diff(sales.fulls(1, 2, 3), got); d != "" {
					tb.Errorf("List (-want +got):\n%s", d)
				}
			})
		}},
		{"nothing yet", "a View that found nothing goes on finding nothing", func(tb testing.TB, s record.Store) {
			among(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) }, func(tx *record.Tx, write func()) {
				holdsAll(tb, tx)
				write()
				holdsAll(tb, tx)
			})
		}},
	}
}

func viewTransfers(tb testing.TB, s record.Store) {
	update(tb, s, openAccounts)
	together(tb, workers, func(worker int) error {
		for i := range each {
			run, fn := s.View, total
			if worker%2 == 0 {
				run = s.Update
				fn = func(tx *record.Tx) error { return pay(tx, i%accounts, (i+1+worker/2)%accounts, int64(1+i%7)) }
			}
			if worker%2 == 0 && (1+worker/2)%accounts == 0 {
				fn = total // an Update that pays nobody reads one consistent state too
			}
			if err := run(tb.Context(), home, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// among runs a View, and one Update in another goroutine while the View runs. A
// store with locks makes that Update wait for the View, so write waits for it
// only for a moment.
func among(tb testing.TB, s record.Store, writes func(tx *record.Tx) error, fn func(tx *record.Tx, write func())) {
	tb.Helper()
	amongFor(tb, s, 25*time.Millisecond, writes, fn)
}

// amongFor is among for an Update that may take longer.
func amongFor(tb testing.TB, s record.Store, moment time.Duration, writes func(tx *record.Tx) error,
	fn func(tx *record.Tx, write func())) {
	tb.Helper()
	done := make(chan error, 1)
	var once sync.Once
	looked := false
	write := func() {
		looked = true
		once.Do(func() {
			over := make(chan struct{})
			go func() {
				defer close(over)
				done <- s.Update(tb.Context(), home, writes)
			}()
			select {
			case <-over:
			case <-time.After(moment):
			}
		})
	}
	// The closure may run again after the Update. Only the runs until it happens are
	// examined.
	view(tb, s, func(tx *record.Tx) {
		if !looked {
			fn(tx, write)
		}
	})
	if err := <-done; err != nil {
		tb.Errorf("Update: %v", err)
	}
}

func readOnlyCases() []storeCase {
	const rule = "a write in a View is ErrReadOnly and changes nothing"
	return []storeCase{
		{"tables", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) })
			view(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					one, two := t.full(1).RecordID(), t.full(2).RecordID()
					for name, err := range map[string]error{
						"Insert":              t.In(tx).Insert(t.full(2)),
						"Insert of the same":  t.In(tx).Insert(t.full(1)),
						"Replace":             t.In(tx).Replace(withID(t.full(3), one)),
						"Replace of nothing":  t.In(tx).Replace(t.full(2)),
						"Delete":              t.In(tx).Delete(one),
						"Delete of nothing":   t.In(tx).Delete(two),
						"Replace by the same": t.In(tx).Replace(t.full(1)),
					} {
						if !errors.Is(err, record.ErrReadOnly) {
							tb.Errorf("%s: %s: error %v, want %v", t.Name, name, err, record.ErrReadOnly)
						}
					}
				}
				holdsAll(tb, tx, 1)
			})
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"Next", rule, func(tb testing.TB, s record.Store) {
			view(tb, s, func(tx *record.Tx) {
				for _, seq := range sequences() {
					if n, err := tx.Next(seq); !errors.Is(err, record.ErrReadOnly) {
						tb.Errorf("Next(%s): %d, error %v, want %v", seq, n, err, record.ErrReadOnly)
					}
					if n, err := tx.Raise(seq, 0, 5); !errors.Is(err, record.ErrReadOnly) {
						tb.Errorf("Raise(%s, 0, 5): %d, error %v, want %v", seq, n, err, record.ErrReadOnly)
					}
				}
			})
		}},
		{"error", "ErrReadOnly comes back from View when fn returns it", func(tb testing.TB, s record.Store) {
			err := s.View(tb.Context(), home, func(tx *record.Tx) error { return insertAll(tx, 1) })
			if !errors.Is(err, record.ErrReadOnly) {
				tb.Errorf("View: error %v, want %v", err, record.ErrReadOnly)
			}
		}},
	}
}
