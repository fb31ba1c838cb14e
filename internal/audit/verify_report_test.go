package audit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestVerifyReport (console check 19): books in order have no breach, and every
// record is counted.
func TestVerifyReport(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	p := scene.Must(tributary.New(memstore.New(), tributary.Config{Now: func() time.Time { now = now.Add(time.Millisecond); return now }}))
	empty := affiliate.Verification{Holds: true, Breaches: []affiliate.Breach{}, Took: time.Millisecond}
	if diff := cmp.Diff(empty, scene.Must(p.Run(t.Context(), affiliate.VerifyJob{})).Verification); diff != "" {
		t.Errorf("empty books (-want +got):\n%s", diff)
	}
	b := scene.NewLedger(t)
	n := int64(0)
	for _, lines := range b.Dump() {
		n += int64(len(lines))
	}
	if got := scene.ReportEquals(t, b.Program, nil); got.Records != n {
		t.Errorf("%d records, want %d", got.Records, n)
	}
}

// A slowView is a store whose Views wait inside their snapshot.
type slowView struct {
	record.Store
	reached chan struct{}
	wait    func(context.Context)
}

func (s slowView) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error {
		s.reached <- struct{}{}
		s.wait(ctx)
		return fn(tx)
	})
}

// TestVerifyReportOneAtATime (console check 19): a second one is refused while
// one runs, on every view of the program. The place is free after an end of any
// kind: an answer, an ended context, a panic.
func TestVerifyReportOneAtATime(t *testing.T) {
	store := slowView{memstore.New(), make(chan struct{}, 1), func(ctx context.Context) { <-ctx.Done() }}
	p := scene.Must(tributary.New(store, tributary.Config{}))
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- scene.ErrOf(p.Run(ctx, affiliate.VerifyJob{})) }()
	<-store.reached
	for name, q := range map[string]*tributary.Program{"same": p, "From": p.From(affiliate.SourceManual), "Keyed": p.Keyed(affiliate.Once{Key: "k"}), "With": p.With(memstore.New())} {
		err := scene.ErrOf(q.Run(t.Context(), affiliate.VerifyJob{}))
		if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Reason != affiliate.VerifyRunning || e.Kind != affiliate.KindConflict || e.Message != "A verification is running" {
			t.Errorf("%s: a second one: %v", name, err)
		}
	}
	if err := p.With(memstore.New()).Verify(t.Context()); err != nil {
		t.Errorf("Verify meanwhile: %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		q := p.With(slowView{memstore.New(), store.reached, func(context.Context) { panic("store") }})
		t.Errorf("no panic: %v", scene.ErrOf(q.Run(t.Context(), affiliate.VerifyJob{})))
	}()
	scene.Must(p.With(memstore.New()).Run(t.Context(), affiliate.VerifyJob{}))
}

// TestVerifyEnds (console check 19): a context that ends stops the reading and
// the comparing, each after at most so many records.
func TestVerifyEnds(t *testing.T) {
	w := scene.New(t)
	w.Raw(func(tx *record.Tx) error {
		for i := range 5000 {
			id := uuid.UUID{0: 1, 1: byte(i >> 8), 2: byte(i), 6: 0x70, 8: 0x80}
			if err := tx.Clicks.Insert(record.Click{ID: id, Number: int64(i + 1)}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, left := range []int{1, 2, 4, 6, 8, 12, 20} {
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(int64(left))
		if err := w.Verify(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends at look %d: %v", left, err)
		}
	}
}

// An endsAfter is a context that ends when it was asked so many times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestVerifyReportBesideWriters (console check 19, with 2,000 sales instead of
// 10^6): sales go on during the check, and no snapshot shows half of one.
func TestVerifyReportBesideWriters(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	const writers = 16
	each := 2000 / writers
	var wg sync.WaitGroup
	var done atomic.Int64
	for n := range writers {
		wg.Go(func() {
			defer done.Add(1)
			for i := range each {
				in := affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("c%d@example.net", n), Name: "C", TotalEarned: scene.Sum("10"), ExternalID: fmt.Sprint(n, "-", i)}
				if _, err := w.RecordSale(t.Context(), in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	checks := 0
	for last := false; !last; checks++ {
		last = done.Load() == writers
		if got := scene.Must(w.Run(t.Context(), affiliate.VerifyJob{})).Verification; !got.Holds {
			t.Fatalf("after %d checks: %v", checks, got.Breaches)
		}
	}
	wg.Wait()
	t.Logf("%d checks beside %d sales", checks, writers*each)
	if checks < 2 {
		t.Errorf("%d checks", checks)
	}
}
