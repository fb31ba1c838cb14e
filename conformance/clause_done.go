package conformance

import (
	"errors"
	"iter"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
)

func txDoneCases() []storeCase {
	const rule = "a Tx that was kept answers ErrTxDone to everything"
	return []storeCase{
		{"after Update", rule, func(tb testing.TB, s record.Store) {
			var kept record.Tx
			update(tb, s, func(tx *record.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"after View", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) })
			var kept record.Tx
			view(tb, s, func(tx *record.Tx) { kept = *tx })
			isDone(tb, &kept)
		}},
		{"after an error", rule, func(tb testing.TB, s record.Store) {
			var kept record.Tx
			refuse(tb, s, func(tx *record.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
		}},
		{"after a panic", rule, func(tb testing.TB, s record.Store) {
			var kept record.Tx
			panics(tb, s.Update, func(tx *record.Tx) error { kept = *tx; return insertAll(tx, 1) })
			isDone(tb, &kept)
		}},
		{"during the next one", "a Tx that was kept does not see, or write into, the next transaction", func(tb testing.TB, s record.Store) {
			var kept record.Tx
			update(tb, s, func(tx *record.Tx) error { kept = *tx; return nil })
			update(tb, s, func(tx *record.Tx) error {
				if err := insertAll(tx, 1); err != nil {
					return err
				}
				isDone(tb, &kept)
				return nil
			})
			view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1) })
		}},
		{"running list", "a List that runs when its transaction ends yields ErrTxDone and stops", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			for _, t := range tables() {
				listEnds(tb, t, s.View)
				listEnds(tb, t, s.Update)
			}
		}},
	}
}

// isDone checks that every method of every table answers ErrTxDone.
func isDone(tb testing.TB, tx *record.Tx) {
	tb.Helper()
	for _, t := range tables() {
		rec := t.full(1)
		_, getErr := t.In(tx).Get(rec.RecordID())
		_, listErr := collect(t.In(tx).List(record.Query{}))
		errs := map[string]error{
			"Get": getErr, "List": listErr, "Insert": t.In(tx).Insert(t.full(2)),
			"Replace": t.In(tx).Replace(rec), "Delete": t.In(tx).Delete(rec.RecordID()),
		}
		for _, key := range keysOf(rec) {
			if key.Index.Unique() {
				_, errs["Find "+string(key.Index)] = t.In(tx).Find(key)
				continue
			}
			_, errs["List "+string(key.Index)] = collect(t.In(tx).List(record.Query{Key: key}))
		}
		for name, err := range errs {
			if !errors.Is(err, record.ErrTxDone) {
				tb.Errorf("%s: %s: error %v, want %v", t.Name, name, err, record.ErrTxDone)
			}
		}
	}
	for _, seq := range sequences() {
		if n, err := tx.Next(seq); !errors.Is(err, record.ErrTxDone) {
			tb.Errorf("Next(%s): %d, error %v, want %v", seq, n, err, record.ErrTxDone)
		}
		if n, err := tx.Raise(seq, 0, 0); !errors.Is(err, record.ErrTxDone) {
			tb.Errorf("Raise(%s, 0, 0): %d, error %v, want %v", seq, n, err, record.ErrTxDone)
		}
	}
}

// listEnds checks two lists after their transaction: one of which the closure
// read one record, and one that it made and did not read.
func listEnds(tb testing.TB, t table, run method) {
	tb.Helper()
	var unstarted iter.Seq2[record.AnyRecord, error]
	var next func() (record.AnyRecord, error, bool)
	err := run(tb.Context(), home, func(tx *record.Tx) error {
		unstarted = t.In(tx).List(record.Query{})
		var stop func()
		next, stop = iter.Pull2(t.In(tx).List(record.Query{}))
		tb.Cleanup(stop)
		_, err, ok := next()
		if !ok {
			return errors.New("the list is empty")
		}
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", t.Name, err)
	}
	if _, err, ok := next(); !ok || !errors.Is(err, record.ErrTxDone) {
		tb.Errorf("%s: the list goes on with error %v, ok %v, want %v", t.Name, err, ok, record.ErrTxDone)
	}
	if _, err, ok := next(); ok {
		tb.Errorf("%s: the list goes on after its error, with error %v", t.Name, err)
	}
	if _, err := collect(unstarted); !errors.Is(err, record.ErrTxDone) {
		tb.Errorf("%s: a list made before the end: error %v, want %v", t.Name, err, record.ErrTxDone)
	}
}
