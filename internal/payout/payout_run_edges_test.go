package payout_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// Each single call of the store fails once, whichever transaction of the run it is in:
// the run says so, and goes on.
func TestPayoutRunEveryCall(t *testing.T) {
	ctx := t.Context()
	for n := int64(1); ; n++ {
		s := newRunShop(t)
		s.Probe.Ops.Store(0)
		s.Probe.FailAt = n
		_, err := s.RunPayouts(ctx, may())
		s.Probe.FailAt = 0
		if s.Probe.Ops.Load() < n {
			if err != nil || n < 50 {
				t.Errorf("%d calls, %v", n, err)
			}
			return
		}
		if !errors.Is(err, scene.ErrBoom) {
			t.Fatalf("call %d failed, and the run says %v", n, err)
		}
		s.Verifies()
		scene.Must(s.RunPayouts(ctx, may()))
		s.is(fmt.Sprint("lines after call ", n), exampleD(), s.lines("2026-05"))
	}
}

// A meanwhile is a store on which something happens just before its n-th Update.
type meanwhile struct {
	record.Store
	left int
	do   func()
}

func (m *meanwhile) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if m.left--; m.left == 0 {
		m.do()
	}
	return m.Store.Update(ctx, id, fn)
}

// What is paid between the look at an affiliate and its line is no line.
func TestPayoutRunPaidMeanwhile(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	pay := func() { scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.of["Ada"].ID})) }
	run := scene.Must(s.With(&meanwhile{s.Store, 2, pay}).RunPayouts(ctx, may())) // the second is Ada's
	if run.Created != 0 || run.Skipped != 6 || run.Status != affiliate.RunDone {
		t.Errorf("%+v", run)
	}
	s.is("lines", exampleD()[1:], s.lines("2026-05"))
	s.Verifies()
}

// A run ends when the affiliates that it has not come to are gone.
func TestPayoutRunOfNobodyLeft(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	names := []string{"Ada", "Bo", "Cy", "Di", "Eve", "Fay", "Gil", "Hal"}
	if run := scene.Must(s.RunPayouts(ctx, atMost(7, may()))); run.Status != affiliate.RunRunning {
		t.Fatalf("%+v", run)
	}
	gone := s.of[names[7]].ID
	s.Raw(func(tx *record.Tx) error { return tx.Affiliates.Delete(gone) })
	if run := scene.Must(s.RunPayouts(ctx, atMost(7, may()))); run.Status != affiliate.RunDone || run.Created != 1 {
		t.Errorf("%+v", run)
	}
}

// A limit is one of affiliates that are examined, also of the largest piece.
func TestPayoutRunStep(t *testing.T) {
	w := scene.New(t)
	scene.Crowd(t, w.Store, w.Config().ID, 501)
	run := scene.Must(w.RunPayouts(t.Context(), atMost(500, may())))
	if again := scene.Must(w.RunPayouts(t.Context(), atMost(500, may()))); run.Status != affiliate.RunRunning || again.Status != affiliate.RunDone {
		t.Errorf("%+v, then %+v", run, again)
	}
}
