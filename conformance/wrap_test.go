package conformance_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/memstore"
)

var (
	program = uuid.UUID{15: 1}
	owner   = uuid.UUID{15: 2}
)

// visit makes seven calls, one of each kind, in one Update.
func visit(ctx context.Context, s record.Store) error {
	return s.Update(ctx, program, func(tx *record.Tx) error {
		totals, err := tx.Totals.Get(owner)
		if err != nil {
			return err
		}
		if _, err := tx.Links.Find(record.Key{Index: record.BySlug, Text: "old"}); err != nil {
			return err
		}
		for _, err := range tx.Links.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: owner}}) {
			if err != nil {
				return err
			}
		}
		number, err := tx.Next(record.ClickSequence)
		if err != nil {
			return err
		}
		if err := tx.Clicks.Insert(record.Click{ID: uuid.UUID{14: byte(number), 15: 3}, Number: number, AffiliateID: owner}); err != nil {
			return err
		}
		totals.Clicks++
		if err := tx.Totals.Replace(totals); err != nil {
			return err
		}
		return tx.Links.Delete(owner)
	})
}

const visitCalls = 7

// prepared returns a store in which visit succeeds once.
func prepared(t *testing.T) record.Store {
	t.Helper()
	s := memstore.New()
	err := s.Update(t.Context(), program, func(tx *record.Tx) error {
		return errors.Join(
			tx.Totals.Insert(record.Totals{ID: owner}),
			tx.Links.Insert(record.Link{ID: owner, AffiliateID: owner, Slug: "old"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// left returns what a visit changes.
type left struct{ Clicks, Counted, Links int }

func leftIn(t *testing.T, s record.Store) (got left) {
	t.Helper()
	err := s.View(t.Context(), program, func(tx *record.Tx) error {
		totals, err := tx.Totals.Get(owner)
		got = left{Counted: int(totals.Clicks)}
		for _, clickErr := range tx.Clicks.List(record.Query{}) {
			err = errors.Join(err, clickErr)
			got.Clicks++
		}
		for _, linkErr := range tx.Links.List(record.Query{}) {
			err = errors.Join(err, linkErr)
			got.Links++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

var (
	untouched = left{Links: 1}
	visited   = left{Clicks: 1, Counted: 1}
)

func TestCount(t *testing.T) {
	c := conformance.Count(prepared(t))
	if err := visit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := visit(t.Context(), c); !errors.Is(err, affiliate.ErrNotFound) { // after two calls
		t.Fatal(err)
	}
	if c.Most() != visitCalls || c.Updates() != 2 {
		t.Errorf("%d calls at most in %d updates, want %d in 2", c.Most(), c.Updates(), visitCalls)
	}
}

// TestFaults injects every fault at every call: nothing changes, and the store
// still works.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		name string
		wrap func(s record.Store, n int) record.Store
		want error
	}{
		{"FailAt", conformance.FailAt, conformance.ErrInjected},
		{"FailFrom", conformance.FailFrom, conformance.ErrInjected},
		{"PanicAt", conformance.PanicAt, conformance.ErrInjected},
		{"CancelAt", conformance.CancelAt, context.Canceled},
	} {
		t.Run(fault.name, func(t *testing.T) {
			for n := 1; n <= visitCalls; n++ {
				s := prepared(t)
				if err := recovered(func() error { return visit(t.Context(), fault.wrap(s, n)) }); !errors.Is(err, fault.want) {
					t.Errorf("call %d: error %v, want %v", n, err, fault.want)
				}
				if d := cmp.Diff(untouched, leftIn(t, s)); d != "" {
					t.Errorf("call %d (-want +got):\n%s", n, d)
				}
				if err := visit(t.Context(), fault.wrap(s, visitCalls+1)); err != nil {
					t.Errorf("after call %d: %v", n, err)
				}
				if d := cmp.Diff(visited, leftIn(t, s)); d != "" {
					t.Errorf("after call %d (-want +got):\n%s", n, d)
				}
			}
		})
	}
}

// recovered returns the error of fn, or the error that it panics with.
func recovered(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return fn()
}

// TestOnce: a closure that ignores the error can make further calls after FailAt,
// and none after FailFrom.
func TestOnce(t *testing.T) {
	for _, fault := range []struct {
		name string
		wrap func(s record.Store, n int) record.Store
		want int64
	}{
		{"FailAt", conformance.FailAt, 2},
		{"FailFrom", conformance.FailFrom, 1},
	} {
		t.Run(fault.name, func(t *testing.T) {
			s := memstore.New()
			var took int64
			err := fault.wrap(s, 2).Update(t.Context(), program, func(tx *record.Tx) error {
				took = 0
				for range 3 {
					if _, err := tx.Next(record.SaleSequence); err == nil {
						took++
					}
				}
				return nil
			})
			if err != nil || took != fault.want {
				t.Errorf("%d calls succeeded, error %v, want %d", took, err, fault.want)
			}
		})
	}
}

// TestLoseAnswer: only commits are counted. An Update that fails by itself, as the
// first and the third one here, loses no answer.
func TestLoseAnswer(t *testing.T) {
	s, own := prepared(t), errors.New("own")
	lossy := conformance.LoseAnswer(s, 2)
	counter := conformance.Count(lossy)
	for i, step := range []struct {
		run  func() error
		want error
		left left
	}{
		{func() error { return counter.Update(t.Context(), program, func(*record.Tx) error { return own }) }, own, untouched},
		{func() error { return counter.Update(t.Context(), program, func(*record.Tx) error { return nil }) }, nil, untouched},
		{func() error { return counter.Update(t.Context(), program, func(*record.Tx) error { return own }) }, own, untouched},
		{func() error { return visit(t.Context(), counter) }, conformance.ErrInjected, visited},
		{func() error { return visit(t.Context(), counter) }, affiliate.ErrNotFound, visited},
		{func() error { return counter.Update(t.Context(), program, func(*record.Tx) error { return nil }) }, nil, visited},
	} {
		if err := step.run(); !errors.Is(err, step.want) {
			t.Errorf("Update %d: error %v, want %v", i+1, err, step.want)
		}
		if d := cmp.Diff(step.left, leftIn(t, s)); d != "" {
			t.Errorf("after Update %d (-want +got):\n%s", i+1, d)
		}
	}
	if counter.Updates() != 6 || counter.Commits() != 2 {
		t.Errorf("%d Updates, %d commits that were answered, want 6 and 2", counter.Updates(), counter.Commits())
	}
}

func TestRerun(t *testing.T) {
	s := prepared(t)
	runs := 0
	err := conformance.Rerun(s).Update(t.Context(), program, func(tx *record.Tx) error {
		runs++
		return tx.Clicks.Insert(record.Click{ID: uuid.UUID{15: 9}, Number: 9, AffiliateID: owner})
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, error %v, want 2", runs, err)
	}
	if got := leftIn(t, s); got.Clicks != 1 {
		t.Errorf("%d clicks, want 1", got.Clicks)
	}

	boom := errors.New("boom")
	runs = 0
	err = conformance.Rerun(s).View(t.Context(), program, func(*record.Tx) error {
		runs++
		return boom
	})
	if err != boom || runs != 2 {
		t.Errorf("View: %d runs, error %v, want 2 and %v", runs, err, boom)
	}
}
