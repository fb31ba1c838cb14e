package memstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// longer reads enough for a View to become a snapshot.
func longer(tx *record.Tx) {
	for range viewReads + 1 {
		_, _ = tx.Plans.Get(rowID(1))
	}
}

// held is the number of moments and of records that a program keeps for Views.
func held(s *Store) (moments, records int) {
	p := s.open(benchProgram)
	for _, past := range tableOf[record.Link](p.tables).pasts {
		records += int(past.rows.len())
	}
	for _, past := range tableOf[record.Code](p.tables).pasts {
		records += int(past.rows.len())
	}
	return len(p.history.moments), records
}

// TestWritersPassLongView: once a View has read much, writers need not wait for
// its end. Before, they do.
func TestWritersPassLongView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		fill(t, s, 2000, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
		write := func(n int) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return s.Update(ctx, benchProgram, func(tx *record.Tx) error {
				return errors.Join(tx.Links.Delete(rowID(n-1)), tx.Links.Insert(linkOf(2000+n)))
			})
		}
		view(t, s, func(tx *record.Tx) error {
			n := 0
			for rec, err := range tx.Links.List(record.Query{}) {
				if err != nil || !reflect.DeepEqual(rec, linkOf(n)) {
					t.Fatalf("record %d: %v, error %v", n, rec.ID, err)
				}
				n++
				switch {
				case n <= viewReads/2 && n%100 == 0:
					if err := write(n); !errors.Is(err, context.DeadlineExceeded) {
						t.Fatalf("write after %d reads: %v", n, err)
					}
				case n > viewReads && n%100 == 0:
					if err := write(n); err != nil {
						t.Fatalf("write after %d reads: %v", n, err)
					}
				}
			}
			if n != 2000 {
				t.Errorf("%d records", n)
			}
			return nil
		})
	})
}

// TestSnapshotEnds: when the last View of a moment has ended, in whatever way,
// nothing is kept for it.
func TestSnapshotEnds(t *testing.T) {
	ends := map[string]func() error{
		"returns": func() error { return nil },
		"fails":   func() error { return errRefused },
		"panics":  func() error { panic(errRefused) },
		"goexits": func() error { runtime.Goexit(); return nil },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := New()
			update(t, s, func(tx *record.Tx) error { return tx.Links.Insert(linkOf(1)) })
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { _ = recover() }()
				_ = s.View(t.Context(), benchProgram, func(tx *record.Tx) error {
					longer(tx)
					for range tx.Links.List(record.Query{}) { // and ends inside a list
						update(t, s, func(tx *record.Tx) error { return tx.Links.Delete(rowID(1)) })
						if moments, records := held(s); moments != 1 || records != 1 {
							t.Errorf("%d moments with %d records during the View", moments, records)
						}
						return end()
					}
					return errors.New("the list is empty")
				})
			})
			wg.Wait()
			if moments, records := held(s); moments != 0 || records != 0 {
				t.Errorf("%d moments with %d records are left", moments, records)
			}
			update(t, s, func(tx *record.Tx) error { return tx.Links.Insert(linkOf(1)) })
		})
	}
}

// TestShortViewsKeepNothing: a View of up to viewReads records, such as every
// look-up and the Views of a sale, keeps nothing.
func TestShortViewsKeepNothing(t *testing.T) {
	s := New()
	fill(t, s, viewReads, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
	view(t, s, func(tx *record.Tx) error {
		for i := range viewReads {
			if _, err := tx.Links.Get(rowID(i)); err != nil {
				return err
			}
		}
		if moments, _ := held(s); moments != 0 {
			t.Error("it became a snapshot")
		}
		_, err := tx.Links.Get(rowID(1))
		if moments, _ := held(s); moments != 1 {
			t.Error("it did not become a snapshot")
		}
		return err
	})
	update(t, s, func(tx *record.Tx) error {
		longer(tx)
		if moments, _ := held(s); moments != 0 {
			t.Error("an Update became a snapshot")
		}
		return nil
	})
}

// TestSnapshotPrice: a snapshot that is held for long keeps each record that
// changed once, however often it changed, and however many other snapshots came
// and went meanwhile.
func TestSnapshotPrice(t *testing.T) {
	const records, changed, rounds = 3000, 40, 50
	s := New()
	fill(t, s, records, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
	round := 0
	change := func() {
		round++
		update(t, s, func(tx *record.Tx) error {
			for i := range changed {
				rec := linkOf(i)
				rec.Slug = fmt.Sprint("new-", i, "-", round)
				if err := tx.Links.Replace(rec); err != nil {
					return err
				}
			}
			return nil
		})
	}
	view(t, s, func(tx *record.Tx) error {
		longer(tx)
		for range rounds {
			view(t, s, func(tx *record.Tx) error {
				longer(tx)
				change()
				return nil
			})
			change()
		}
		if moments, kept := held(s); moments != 1 || kept != changed {
			t.Errorf("%d moments with %d records, want 1 with %d", moments, kept, changed)
		}
		for i := range records {
			if rec, err := tx.Links.Get(rowID(i)); err != nil || !reflect.DeepEqual(rec, linkOf(i)) {
				t.Fatalf("link %d: %v, error %v", i, rec, err)
			}
		}
		return nil
	})
}

// TestSnapshotMemory: after a snapshot during which every record changed, the
// heap is as large as before.
func TestSnapshotMemory(t *testing.T) {
	const records = 20_000
	s := New()
	fill(t, s, records, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
	rewrite := func() {
		fill(t, s, records, func(tx *record.Tx, i int) error { return tx.Links.Replace(linkOf(i)) })
	}
	rewrite()
	before := heap()
	var during uint64
	view(t, s, func(tx *record.Tx) error {
		longer(tx)
		rewrite()
		during = heap()
		return nil
	})
	after := heap()
	t.Logf("heap before %d KiB, during %d KiB, after %d KiB", before>>10, during>>10, after>>10)
	if during < before+records*100 {
		t.Error("the snapshot kept nothing, so this test shows nothing")
	}
	if after > before+records*10 {
		t.Error("memory was not freed")
	}
	runtime.KeepAlive(s)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSnapshotContext: a read of a snapshot waits for an Update only as long as
// the context of the View allows, and fails after its end.
func TestSnapshotContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		update(t, s, func(tx *record.Tx) error { return tx.Links.Insert(linkOf(1)) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		free := make(chan struct{})
		_ = s.View(ctx, benchProgram, func(tx *record.Tx) error {
			longer(tx)
			go func() {
				_ = s.Update(t.Context(), benchProgram, func(*record.Tx) error { <-free; return nil })
			}()
			synctest.Wait()
			if _, err := tx.Links.Get(rowID(1)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Get beside an Update: %v", err)
			}
			close(free)
			synctest.Wait()
			if _, err := tx.Links.Find(record.Key{Index: record.BySlug, Text: "partner-1"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Find after the end: %v", err)
			}
			for _, err := range tx.Links.List(record.Query{}) {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("List after the end: %v", err)
				}
			}
			return nil
		})
		if moments, _ := held(s); moments != 0 {
			t.Error("the moment is still held")
		}
	})
}

// TestSnapshotLimits: a snapshot is read-only, answers bad calls like any
// transaction, and ends with its View, a running List included.
func TestSnapshotLimits(t *testing.T) {
	s := New()
	fill(t, s, 100, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
	var kept record.Tx
	view(t, s, func(tx *record.Tx) error {
		kept = *tx
		longer(tx)
		if err := tx.Links.Insert(linkOf(101)); !errors.Is(err, record.ErrReadOnly) {
			t.Errorf("Insert: %v", err)
		}
		if _, err := tx.Next(record.SaleSequence); !errors.Is(err, record.ErrReadOnly) {
			t.Errorf("Next: %v", err)
		}
		bad := record.Key{Index: record.OfCoupon, ID: rowID(1)}
		if _, err := tx.Links.Find(bad); err == nil || errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("Find by a shared index: %v", err)
		}
		for _, err := range tx.Links.List(record.Query{Key: bad}) {
			if err == nil {
				t.Error("List by an index of another table works")
			}
		}
		return nil
	})
	if _, err := kept.Links.Get(rowID(1)); !errors.Is(err, record.ErrTxDone) {
		t.Errorf("Get after the end: %v", err)
	}
}
