package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
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

// TestRaceUnique: of creates at once with one key in different spellings,
// exactly one succeeds (B226, B274, B316).
func TestRaceUnique(t *testing.T) {
	ctx := context.Background()
	spelling := func(s string, i int) string {
		if i%2 == 0 {
			return strings.ToUpper(s)
		}
		return s[:i%len(s)] + strings.ToUpper(s[i%len(s):])
	}
	for name, c := range map[string]struct {
		create func(w *scene.World, a scene.Ada, i int) error
		taken  affiliate.Reason
		fires  affiliate.EventType
	}{
		"email": {func(w *scene.World, _ scene.Ada, i int) error {
			_, err := w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: spelling("bea@example.com", i)})
			return err
		}, affiliate.AffiliateEmailTaken, affiliate.AffiliateCreated},
		"first slug": {func(w *scene.World, _ scene.Ada, i int) error {
			_, err := w.CreateAffiliate(ctx, affiliate.AffiliateParams{
				FirstName: "B", LastName: "C", Email: fmt.Sprint("bea", i, "@example.com"), AffiliateLink: spelling("bea-link", i),
			})
			return err
		}, affiliate.SlugTaken, affiliate.AffiliateCreated},
		"slug": {func(w *scene.World, a scene.Ada, i int) error {
			_, err := w.CreateLink(ctx, affiliate.LinkParams{Link: spelling("bea-link", i), AffiliateID: a.Person.ID})
			return err
		}, affiliate.SlugTaken, affiliate.AffiliateUpdated},
		"code": {func(w *scene.World, a scene.Ada, i int) error {
			_, err := w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: " " + spelling("bea20", i)})
			return err
		}, affiliate.CodeTaken, affiliate.PromocodeCreated},
		"coupon external id": {func(w *scene.World, _ scene.Ada, _ int) error {
			_, err := w.CreateCoupon(ctx, affiliate.CouponParams{Name: "B", PercentOff: affiliate.Set(affiliate.MustPercent("5")), ExternalID: "x"})
			return err
		}, affiliate.CouponExternalIDTaken, affiliate.CouponCreated},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			a := w.Ada()
			before := eventCount(w)[c.fires]
			tally(t, atOnce(t, 20, func(i int) error { return c.create(w, a, i) }), map[affiliate.Reason]int{"": 1, c.taken: 19})
			if n := eventCount(w)[c.fires] - before; n != 1 {
				t.Errorf("%d %s, want 1", n, c.fires)
			}
			w.Verifies()
		})
	}
}

// TestRaceReferrals: one email under two affiliates becomes one referral, and
// every answer returns it (B343).
func TestRaceReferrals(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := context.Background()
	scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com", AffiliateLink: "bea"}))
	var ids sync.Map
	tally(t, atOnce(t, 40, func(i int) error {
		r, err := w.CreateReferral(ctx, affiliate.ReferralParams{
			AffiliateID: []string{"ada", "bea"}[i%2], Name: "Tomas", Email: "tomas@example.net", ReferredUserExternalID: "c",
		})
		ids.Store(r.ID, true)
		return err
	}), map[affiliate.Reason]int{"": 40})
	n := 0
	for range ids.Range {
		n++
	}
	if n != 1 || eventCount(w)[affiliate.ReferralCreated] != 1 {
		t.Errorf("%d referrals, events %v", n, eventCount(w))
	}
	w.Verifies()
}

// TestRaceCut: after a change that forbids sales has returned, no sale is
// committed (I09). Before, every sale is, and there is a redemption for exactly
// those (B402).
func TestRaceCut(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		end  func(w *scene.World, a scene.Ada) error
		then affiliate.Reason
	}{
		"delete coupon": {func(w *scene.World, a scene.Ada) error { _, err := w.DeleteCoupon(ctx, a.Autumn.ID); return err }, affiliate.CodeNotFound},
		"delete code":   {func(w *scene.World, a scene.Ada) error { _, err := w.DeleteCode(ctx, a.ADA20.ID); return err }, affiliate.CodeNotFound},
		"deactivate": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			return err
		}, affiliate.CodeInactive},
		"take the affiliate away": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()})
			return err
		}, affiliate.CodeUnassigned},
		"coupon not valid": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
			return err
		}, affiliate.CouponInvalid},
		"lower limit": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set[int64](1)})
			return err
		}, affiliate.CouponExhausted},
		"delete affiliate": {func(w *scene.World, a scene.Ada) error {
			return w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: a.Person.ID})
		}, affiliate.CodeUnassigned},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			a := w.Ada()
			var recorded, late atomic.Int64
			var ended atomic.Bool
			some := make(chan struct{}) // closed by the first sale, after which the change may come
			var once sync.Once
			got := atOnce(t, 9, func(i int) error {
				if i == 0 {
					<-some
					err := c.end(w, a)
					ended.Store(true)
					return err
				}
				for range 20_000 { // more than are possible before the change
					after := ended.Load()
					err := sold(w, "ADA20")
					if err != nil {
						return err
					}
					if recorded.Add(1); after {
						late.Add(1)
					}
					once.Do(func() { close(some) })
				}
				return errors.New("sales go on without end")
			})
			tally(t, got, map[affiliate.Reason]int{"": 1, c.then: 8})
			if late.Load() > 0 {
				t.Errorf("%d sales after the change had been answered", late.Load())
			}
			if rows := len(w.Dump()["redemptions"]); int64(rows) != recorded.Load() || rows == 0 {
				t.Errorf("the ledger has %d rows of %d sales", rows, recorded.Load())
			}
			w.Verifies()
		})
	}
}

// TestRaceReassign: a sale by code is credited to the affiliate that the code
// has at the sale's commit. After the change has returned, every sale is
// credited to the new one (I10).
func TestRaceReassign(t *testing.T) {
	ctx := context.Background()
	w := scene.New(t)
	a := w.Ada()
	bob := w.Join("bob")
	var changed atomic.Bool
	var early, late atomic.Int64
	some := make(chan struct{})
	var once sync.Once
	tally(t, atOnce(t, 5, func(i int) error {
		if i == 0 {
			<-some
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Set(bob.ID)})
			changed.Store(true)
			return err
		}
		for late.Load() < 50 {
			after := changed.Load()
			res, err := w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1")})
			if err != nil {
				return err
			}
			sale, _ := res.Sale.Get()
			if sale.AffiliateID == a.Person.ID {
				early.Add(1)
				once.Do(func() { close(some) })
				if after {
					return errors.New("a sale went to the affiliate of before")
				}
			} else {
				late.Add(1)
			}
		}
		return nil
	}), map[affiliate.Reason]int{"": 5})
	list := func(id uuid.UUID) int64 {
		return int64(len(scene.Must(w.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{})).Items))
	}
	scene.Equal(t, []int64{early.Load(), late.Load()}, []int64{list(a.Person.ID), list(bob.ID)})
	w.Verifies()
}

// TestRacePrograms: programs with the same names in one store are independent
// (I52).
func TestRacePrograms(t *testing.T) {
	store := memstore.New()
	const programs, each = 6, 15
	worlds := make([]*scene.World, programs)
	for i := range worlds {
		worlds[i] = scene.NewOn(t, store, func(c *tributary.Config) { c.ID = uuid.UUID{15: byte(i + 1)} })
	}
	ctx := context.Background()
	tally(t, atOnce(t, programs, func(i int) error {
		w := worlds[i]
		a := w.Ada()
		_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(int64(i + 1))})
		return err
	}), map[affiliate.Reason]int{"": programs})
	got := atOnce(t, programs*each, func(i int) error {
		return sold(worlds[i%programs], "ada20", func(in *affiliate.SaleParams) {
			in.Email, in.Key = "tomas@example.net", fmt.Sprint("key", i/programs)
			in.ExternalID = fmt.Sprint("order-", i/programs)
		})
	})
	tally(t, got, map[affiliate.Reason]int{"": 1 + 2 + 3 + 4 + 5 + 6, affiliate.CodeExhausted: programs*each - 21})
	for i, w := range worlds {
		if k := scene.Must(w.Code(ctx, affiliate.CodeRef{Code: "ADA20"})); k.TimesRedeemed != int64(i+1) {
			t.Errorf("program %d counts %d redemptions", i, k.TimesRedeemed)
		}
		rows := w.Dump()
		if len(rows["sales"]) != i+1 || len(rows["referrals"]) != 1 || len(rows["receipts"]) != each {
			t.Errorf("program %d: %d sales, %d referrals, %d receipts", i, len(rows["sales"]), len(rows["referrals"]), len(rows["receipts"]))
		}
		w.Verifies()
	}
}
