package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Concurrent calls. Each test is about a rule that a check outside of the
// write's transaction would break, and ends with Verify. Run with -race.

// atOnce runs fn n times in goroutines that start together, and counts the
// reasons of refusals; "" is a success.
func atOnce(t *testing.T, n int, fn func(i int) error) map[affiliate.Reason]int {
	t.Helper()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		count = map[affiliate.Reason]int{}
		start = make(chan struct{})
	)
	for i := range n {
		wg.Go(func() {
			<-start
			err := fn(i)
			mu.Lock()
			defer mu.Unlock()
			if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
				count[refusal.Reason]++
			} else if err != nil {
				t.Errorf("attempt %d: %v", i, err)
			} else {
				count[""]++
			}
		})
	}
	close(start)
	wg.Wait()
	return count
}

// tally fails the test unless got equals want.
func tally(t *testing.T, got, want map[affiliate.Reason]int) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// sold records a sale of 10 by a code and returns a refusal; any other outcome
// is an error.
func sold(w *scene.World, code string, change ...func(*affiliate.SaleParams)) error {
	in := affiliate.SaleParams{PromoCode: code, TotalEarned: affiliate.MustAmount("10")}
	for _, c := range change {
		c(&in)
	}
	got, err := w.RecordSale(context.Background(), in)
	if err == nil && got.Outcome != affiliate.SaleRecorded {
		err = fmt.Errorf("outcome %s", got.Outcome)
	}
	return err
}

// eventCount counts the events by type.
func eventCount(w *scene.World) map[affiliate.EventType]int {
	n := map[affiliate.EventType]int{}
	for _, typ := range w.EventTypes(0) {
		n[typ]++
	}
	return n
}

// TestRaceLimits: of more attempts than a limit allows, exactly as many succeed
// as it allows, and the others leave nothing (I04, I05).
func TestRaceLimits(t *testing.T) {
	const attempts = 60
	for _, c := range []struct {
		name               string
		codeMax, couponMax int64
		codes              int
		want               map[affiliate.Reason]int
	}{
		{"code", 7, 0, 1, map[affiliate.Reason]int{"": 7, affiliate.CodeExhausted: 53}},
		{"limit of one", 1, 0, 1, map[affiliate.Reason]int{"": 1, affiliate.CodeExhausted: 59}},
		{"coupon over three codes", 0, 7, 3, map[affiliate.Reason]int{"": 7, affiliate.CouponExhausted: 53}},
		{"both, the code's is lower", 5, 30, 3, map[affiliate.Reason]int{"": 15, affiliate.CodeExhausted: 45}},
		{"both, one code", 7, 7, 1, map[affiliate.Reason]int{"": 7, affiliate.CodeExhausted: 53}},
		{"no limit", 0, 0, 2, map[affiliate.Reason]int{"": attempts}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := scene.New(t)
			a := w.Ada()
			ctx := context.Background()
			if c.couponMax > 0 {
				scene.Must(w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set(c.couponMax)}))
			}
			for i := range c.codes {
				in := affiliate.CodeParams{CouponID: a.Autumn.ID, Code: fmt.Sprint("CODE", i), AffiliateID: a.Person.ID}
				if c.codeMax > 0 {
					in.MaxRedemptions = affiliate.Set(c.codeMax)
				}
				scene.Must(w.CreateCode(ctx, in))
			}
			tally(t, atOnce(t, attempts, func(i int) error { return sold(w, fmt.Sprint("code", i%c.codes)) }), c.want)
			n := int64(c.want[""])
			if got := scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: a.Autumn.ID})).TimesRedeemed; got != n {
				t.Errorf("the coupon counts %d redemptions, want %d", got, n)
			}
			if got := len(w.Dump()["redemptions"]); int64(got) != n {
				t.Errorf("the ledger has %d rows, want %d", got, n)
			}
			if got := eventCount(w)[affiliate.SaleCreated]; int64(got) != n {
				t.Errorf("%d sale.created, want %d", got, n)
			}
			w.Verifies()
		})
	}
}

// TestRaceBothLimits: the coupon's limit is lower than those of its codes
// together. The order decides which limit refuses, but not how many sales
// succeed.
func TestRaceBothLimits(t *testing.T) {
	w := scene.New(t)
	a := w.Ada()
	ctx := context.Background()
	scene.Must(w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set[int64](8)}))
	for i := range 3 {
		scene.Must(w.CreateCode(ctx, affiliate.CodeParams{
			CouponID: a.Autumn.ID, Code: fmt.Sprint("CODE", i), AffiliateID: a.Person.ID, MaxRedemptions: affiliate.Set[int64](5),
		}))
	}
	got := atOnce(t, 60, func(i int) error { return sold(w, fmt.Sprint("CODE", i%3)) })
	if got[""] != 8 || got[affiliate.CodeExhausted]+got[affiliate.CouponExhausted] != 52 {
		t.Errorf("outcomes %v, want 8 successes and 52 refusals at a limit", got)
	}
	for i := range 3 {
		if k := scene.Must(w.Code(ctx, affiliate.CodeRef{Code: fmt.Sprint("CODE", i)})); k.TimesRedeemed > 5 {
			t.Errorf("%s counts %d redemptions of 5", k.Code, k.TimesRedeemed)
		}
	}
	w.Verifies()
}

// TestRaceFirstOrder: of many first orders of one customer, one succeeds (I12).
func TestRaceFirstOrder(t *testing.T) {
	w := scene.New(t)
	a := w.Ada()
	scene.Must(w.UpdateCode(context.Background(), a.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	got := atOnce(t, 40, func(i int) error {
		return sold(w, "ADA20", func(in *affiliate.SaleParams) { in.Email = []string{"c@example.com", "C@Example.com "}[i%2] })
	})
	tally(t, got, map[affiliate.Reason]int{"": 1, affiliate.NotFirstOrder: 39})
	n := eventCount(w)
	if n[affiliate.SaleCreated] != 1 || n[affiliate.ReferralCreated] != 1 {
		t.Errorf("events %v", n)
	}
	w.Verifies()
}

// TestRaceExternalID: a payment that is reported a hundred times is one sale,
// and each other answer shows that sale (I43). Half of the reports have the
// invoice id.
func TestRaceExternalID(t *testing.T) {
	w := scene.New(t)
	a := w.Ada()
	ctx := context.Background()
	scene.Must(w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
	var mu sync.Mutex
	outcomes, ids := map[affiliate.SaleOutcome]int{}, map[affiliate.SaleID]int{}
	got := atOnce(t, 100, func(i int) error {
		in := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("10"), ExternalID: "order-1", Email: fmt.Sprint("c", i, "@example.com")}
		got, err := w.RecordSale(ctx, in)
		mu.Lock()
		defer mu.Unlock()
		outcomes[got.Outcome]++
		if sale, ok := got.Sale.Get(); ok {
			ids[sale.ID]++
		}
		if sale, ok := got.Earlier.Get(); ok {
			ids[sale.ID]++
		}
		return err
	})
	tally(t, got, map[affiliate.Reason]int{"": 100})
	if diff := cmp.Diff(map[affiliate.SaleOutcome]int{affiliate.SaleRecorded: 1, affiliate.SaleDuplicate: 99}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if len(ids) != 1 {
		t.Errorf("the answers name the sales %v, want one", ids)
	}
	if n := eventCount(w); n[affiliate.SaleCreated] != 1 || n[affiliate.ReferralCreated] != 1 {
		t.Errorf("events %v", n)
	}
	w.Verifies()
}

// TestRaceOnce: a hundred requests with one key have one effect and one answer
// (I57), which may be a refusal.
func TestRaceOnce(t *testing.T) {
	for name, total := range map[string]string{"answer": "10", "refusal": "-1"} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			w.Ada()
			var mu sync.Mutex
			var replays atomic.Int64
			answers := map[string]int{}
			got := atOnce(t, 100, func(int) error {
				got, err := w.RecordSale(context.Background(), affiliate.SaleParams{
					Once:      affiliate.Once{Key: "k", Replayed: func([]byte) { replays.Add(1) }},
					PromoCode: "ADA20", TotalEarned: affiliate.MustAmount(total),
				})
				raw := scene.Must(json.Marshal(got))
				mu.Lock()
				defer mu.Unlock()
				answers[string(raw)]++
				return err
			})
			want := map[affiliate.Reason]int{"": 100}
			sales := 1
			if total == "-1" {
				want, sales = map[affiliate.Reason]int{affiliate.InvalidField: 100}, 0
			}
			tally(t, got, want)
			if len(answers) != 1 {
				t.Errorf("%d different answers", len(answers))
			}
			if replays.Load() != 99 {
				t.Errorf("%d replays, want 99", replays.Load())
			}
			if n := w.Dump(); len(n["sales"]) != sales || len(n["receipts"]) != 1 {
				t.Errorf("%d sales, %d receipts", len(n["sales"]), len(n["receipts"]))
			}
			w.Verifies()
		})
	}
}

// TestRaceRefunds: partial refunds that together exceed the sale never refund
// more than its total (B420); repeats of one refund count once.
func TestRaceRefunds(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := context.Background()
	recorded := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("100")}))
	sale, _ := recorded.Sale.Get()
	var applied atomic.Int64
	got := atOnce(t, 60, func(i int) error { // each of 20 refunds three times
		res, err := w.RefundSale(ctx, affiliate.Refund{
			SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("15")), RefundID: fmt.Sprint("r", i%20),
		})
		if err == nil && !res.AlreadyRefunded {
			applied.Add(1)
		}
		return err
	})
	if applied.Load() != 6 || got[""] != 18 || got[affiliate.RefundExceedsSale] != 42 {
		t.Errorf("%d refunds applied, outcomes %v; want 6, 18 and 42 refused", applied.Load(), got)
	}
	after := scene.Must(w.Sale(ctx, sale.ID))
	if after.RefundedAmount != affiliate.MustAmount("90") || after.CommissionEarned != affiliate.MustAmount("2") || after.Status != affiliate.SaleActive {
		t.Errorf("refunded %v, commission %v, %s", after.RefundedAmount, after.CommissionEarned, after.Status)
	}
	if n := eventCount(w)[affiliate.SaleUpdated]; n != 6 {
		t.Errorf("%d sale.updated, want 6", n)
	}
	w.Verifies()

	tally(t, atOnce(t, 20, func(int) error {
		_, err := w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})
		return err
	}), map[affiliate.Reason]int{"": 20})
	if n := eventCount(w)[affiliate.SaleDeleted]; n != 1 {
		t.Errorf("%d sale.deleted, want 1", n)
	}
	w.Verifies()
}
