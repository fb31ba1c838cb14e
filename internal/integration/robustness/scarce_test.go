package robustness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/pgstore"
)

// A scarcity is something that is there once, or so many times, and that more
// callers want at once.
type scarcity struct {
	name string
	l    int
	// open makes what is wanted, and returns what each caller does: whether it
	// got one, and an error that is a refusal when it did not.
	open func(s *stall) (try func(ctx context.Context, ops api.Operations, i int) (bool, error))
	// left counts what was given out, in the records; nil: the callers know.
	left func(s *stall) int
}

// told is how many of the callers hear that they got one.
func (c scarcity) told() int {
	switch c.name {
	case "an idempotency key", "the deletion of a sale", "a customer's email", "a payout that is paid", "a payout that is canceled", "a run of payouts":
		return wanting // all want the same, and hear that it is so
	}
	return c.l
}

// wanting is how many callers want it.
const wanting = 24

// A stall is a program with an affiliate, a coupon and a code.
type stall struct {
	*tributary.Program
	t      *testing.T
	ctx    context.Context
	ada    affiliate.Affiliate
	coupon affiliate.Coupon
	code   affiliate.Code
	sale   affiliate.SaleID // of the last sell
}

func newStall(t *testing.T, p *tributary.Program) *stall {
	t.Helper()
	s := &stall{Program: p, t: t, ctx: context.Background()}
	s.ada = must(p.CreateAffiliate(s.ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
	s.coupon = must(p.CreateCoupon(s.ctx, affiliate.CouponParams{Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	s.code = s.newCode("ADA", 0)
	return s
}

func (s *stall) newCode(text string, limit int64, change ...func(*affiliate.CodeParams)) affiliate.Code {
	in := affiliate.CodeParams{CouponID: s.coupon.ID, Code: text, AffiliateID: s.ada.ID}
	if limit > 0 {
		in.MaxRedemptions = affiliate.Set(limit)
	}
	for _, c := range change {
		c(&in)
	}
	return must(s.CreateCode(s.ctx, in))
}

// sell records a sale of 100 by a code.
func (s *stall) sell(code string) affiliate.SaleID {
	got := must(s.RecordSale(s.ctx, affiliate.SaleParams{PromoCode: code, TotalEarned: affiliate.MustAmount("100")}))
	return got.Sale.Or(affiliate.Sale{}).ID
}

// events counts the events of a type.
func (s *stall) events(typ affiliate.EventType) int {
	return len(must(s.Events(s.ctx, affiliate.EventQuery{Type: typ}, affiliate.Page{})).Items)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// scramble lets everybody try at once, and counts who got one.
func scramble(t *testing.T, w world, try func(ctx context.Context, ops api.Operations, i int) (bool, error)) int {
	t.Helper()
	var (
		wg    sync.WaitGroup
		begin = make(chan struct{})
		won   atomic.Int64
	)
	for i := range wanting {
		ops := w.client(i)
		wg.Go(func() {
			<-begin
			got, err := try(context.Background(), ops, i)
			if _, refused := errors.AsType[*affiliate.Error](err); err != nil && (!refused || fateOf(err).unknown) {
				t.Errorf("caller %d: %v", i, err)
			}
			if got && err == nil {
				won.Add(1)
			}
		})
	}
	close(begin)
	wg.Wait()
	return int(won.Load())
}

// exactly lets callers scramble for each scarce thing on a target. It returns
// what went wrong.
func exactly(t *testing.T, tg target, pl plant, c scarcity) (got, left int, books error) {
	t.Helper()
	w := tg.open(t, pl, false)
	s := newStall(t, w.program)
	got = scramble(t, w, c.open(s))
	w.settle()
	left = got
	if c.left != nil {
		left = c.left(s)
	}
	return got, left, s.Verify(s.ctx)
}

// exactlyOn is every scarce thing on the targets.
func exactlyOn(t *testing.T, targets ...target) {
	rounds := 1
	if atlength.On() && !testing.Short() {
		rounds = 20
	}
	for _, tg := range targets {
		t.Run(tg.name, func(t *testing.T) {
			done := 0
			for _, c := range scarcities() {
				for range rounds {
					got, left, err := exactly(t, tg, plant{}, c)
					if err != nil || got != c.told() || left != c.l {
						t.Errorf("%s: %d of %d callers got one, want %d; %d are gone, want %d; Verify: %v", c.name, got, wanting, c.told(), left, c.l, err)
					}
					done++
				}
			}
			t.Attr("exactly", fmt.Sprintf("things=%d rounds=%d callers=%d", len(scarcities()), done, wanting*done))
		})
	}
}

// TestExactly: of what is there once, or L times, exactly so many callers get
// one, in one process and in two.
func TestExactly(t *testing.T) {
	exactlyOn(t, inMemory(), inMemoryRerun(), inMemoryApart(), overHTTP("HTTP", &line{}, -1))
}

// TestExactlyOnPostgres is TestExactly on PostgreSQL.
func TestExactlyOnPostgres(t *testing.T) {
	exactlyOn(t, append(ways(t), inHosts(t),
		twoProcesses(t, wayOf{}, 4*time.Second), twoProcesses(t, wayOf{serializable: true, group: 16}, 4*time.Second))...)
}

// TestExactlyCanFail: a check before the transaction gives out too many, and an answer
// before the transaction says so to too many.
func TestExactlyCanFail(t *testing.T) {
	limit := scarcities()[0]
	for _, tg := range []target{inMemory(), onPostgres(t, "PostgreSQL", pgstore.Config{}, true), twoProcesses(t, wayOf{}, 0)} {
		got, left, _ := exactly(t, tg, plantNamed("check, then act"), limit)
		t.Logf("%s: %d of %d", tg.name, got, limit.l)
		if got <= limit.l || left <= limit.l {
			t.Errorf("%s: only %d got one of %d, %d are gone", tg.name, got, limit.l, left)
		}
		got, left, err := exactly(t, tg, plantNamed("acknowledged before the write"), limit)
		if got <= limit.told() || left != limit.l || err != nil {
			t.Errorf("%s: only %d heard that they got one of %d, %d are gone; Verify: %v", tg.name, got, limit.l, left, err)
		}
	}
	for _, c := range []scarcity{
		looksFirst("the room of a cap", 7, func(customer affiliate.Referral) bool { return units(customer.TotalCommission) < 70 }),
		looksFirst("the first payment", 1, func(customer affiliate.Referral) bool { return customer.TotalCommission.IsZero() }),
	} {
		most := 0
		for range 10 {
			got, left, books := exactly(t, inMemory(), plant{}, c)
			if most = max(most, left); got != left || books != nil {
				t.Errorf("%s: %d got one, %d are gone; Verify: %v", c.name, got, left, books)
			}
		}
		t.Logf("%s: %d of %d", c.name, most, c.l)
		if most <= c.l {
			t.Errorf("%s: in no round more than %d got one", c.name, c.l)
		}
	}
}
