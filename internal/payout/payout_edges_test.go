package payout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A run over named affiliates in steps: each step takes the next ones in the order of
// their ids, whatever the order and the repetitions of the names.
func TestStepsOfNamed(t *testing.T) {
	ctx := t.Context()
	want := []string{"Ada 28 paid", "Bo 6 below_minimum", "Di 0 on_hold", "Gil 12 no_payout_method"}
	for limit := 1; limit <= 5; limit++ {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			s := newRunShop(t)
			named := may()
			for _, name := range []string{"Gil", "Di", "Ada", "Bo", "Ada"} {
				named.AffiliateIDs = append(named.AffiliateIDs, s.of[name].ID)
			}
			for step := 1; ; step++ {
				run := scene.Must(s.RunPayouts(ctx, atMost(limit, named)))
				done := min(step*limit, len(want))
				s.is(fmt.Sprint("lines after step ", step), want[:done], s.lines("2026-05"))
				if over := done == len(want); over != (run.Status == affiliate.RunDone) {
					t.Fatalf("after step %d: %+v", step, run)
				}
				if run.Status == affiliate.RunDone {
					break
				}
			}
			s.Verifies()
		})
	}
}

// The smallest and the largest step.
func TestStepLimits(t *testing.T) {
	for _, limit := range []int{0, 1000} {
		s := newRunShop(t)
		if run := scene.Must(s.RunPayouts(t.Context(), atMost(limit, may()))); run.Status != affiliate.RunDone {
			t.Errorf("limit %d: %+v", limit, run)
		}
	}
}

// Where a reason to pay nothing ends: a sum of nothing is not paid, the minimum itself
// is, and both parts of the details are needed.
func TestSkipEdges(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	s.owes("Bo", "4")  // 10 in all: the minimum
	s.owes("Cy", "5")  // 0 in all
	s.owes("Eve", "1") // banned all the same
	s.Pass(1)
	s.Raw(func(tx *record.Tx) error {
		ada := scene.Must(tx.Affiliates.Get(s.of["Ada"].ID))
		ada.PaymentMethod = "" // as a record from before may be
		return tx.Affiliates.Replace(ada)
	})
	scene.Must(s.RunPayouts(ctx, may()))
	s.is("lines", []string{
		"Ada 28 no_payout_method", "Bo 10 paid", "Cy 0 negative", "Di 0 on_hold", "Eve 16 banned", "Fay 0 nothing_matured", "Gil 12 no_payout_method",
	}, s.lines("2026-05"))
	s.Verifies()
}

// Before the books are open, the sales tell whether a commission is on hold: one that
// earns something and that no payout took.
func TestOnHoldBeforeBooks(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*record.Sale)
		want []string
	}{
		"on hold": {func(*record.Sale) {}, []string{"Di 0 on_hold"}},
		"declined": {func(r *record.Sale) {
			r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalDeclined)
		}, []string{}},
		"of nothing":    {func(r *record.Sale) { r.Commissions[0].Earned = affiliate.Amount{} }, []string{}},
		"in a payout":   {func(r *record.Sale) { r.Commissions[0].PayoutID = uuid.Max }, []string{}},
		"no commission": {func(r *record.Sale) { r.Commissions = nil }, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRunShop(t)
			di := s.of["Di"].ID
			s.Raw(func(tx *record.Tx) error {
				totals := scene.Must(tx.Totals.Get(di))
				totals.Books = record.Books{}
				err := tx.Totals.Replace(totals)
				for sale := range tx.Sales.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: di}}) {
					changed := sale.Clone()
					tt.edit(&changed)
					err = tx.Sales.Replace(changed)
				}
				return err
			})
			in := affiliate.PayoutRun{AffiliateIDs: []uuid.UUID{di}}
			s.is("preview", tt.want, s.previews(in))
		})
	}
}

// A payout that takes two commissions of one sale changes the sale once, and says when.
// So it does when it is paid.
func TestPayoutOfTwoEntriesOfASale(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.ToTomas("100")
	s.Pass(time.Hour)
	first := s.PaysOut()
	s.ClawsBack(sale.ID, "50", "r1")
	s.Pass(time.Hour)
	scene.Must(s.CancelPayout(ctx, first.ID))
	s.Pass(time.Hour)
	before := scene.CountOf(s.EventTypes(0), affiliate.SaleUpdated)
	second := s.PaysOut()
	if n := scene.CountOf(s.EventTypes(0), affiliate.SaleUpdated) - before; n != 1 || len(second.CommissionIDs) != 2 {
		t.Errorf("%d sale.updated for a payout of %v", n, second.CommissionIDs)
	}
	for i, c := range scene.Must(s.Sale(ctx, sale.ID)).Commissions {
		if c.UpdatedAt != affiliate.TimeOf(s.Now) {
			t.Errorf("commission %d was changed at %v, want %v", i, c.UpdatedAt, s.Now)
		}
	}
	s.Fires(func() error { s.Moves(second, affiliate.PayoutPaid); return nil }, affiliate.SaleUpdated)
	s.Verifies()
}
