package robustness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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

// holdOf is an order that is held under an id.
func holdOf(id, code string, d time.Duration, buyer ...string) affiliate.HoldParams {
	in := affiliate.HoldParams{ID: id, Until: time.Now().Add(d).Truncate(time.Millisecond), Order: affiliate.Order{PromoCode: code, Subtotal: affiliate.Set(affiliate.MustAmount("10"))}}
	if len(buyer) > 0 {
		in.Email = buyer[0]
	}
	return in
}

// holdsAndPays holds a place, and reports the sale when it got one.
func holdsAndPays(ctx context.Context, ops api.Operations, id, code string) (bool, error) {
	if _, err := ops.HoldRedemption(ctx, holdOf(id, code, time.Hour)); err != nil {
		return false, err
	}
	got, err := ops.RecordSale(ctx, affiliate.SaleParams{HoldID: id, TotalEarned: affiliate.MustAmount("10")})
	return got.Outcome == affiliate.SaleRecorded, err
}

// alias is one of many addresses of one mailbox.
func alias(i int) string {
	return fmt.Sprintf([]string{"kim.c+%d@gmail.com", "k.i.m.c+%d@googlemail.com", "KimC+%d@gmail.com"}[i%3], i)
}

// redeemed counts the redemptions of a code.
func redeemed(code string) func(s *stall) int {
	return func(s *stall) int { return int(must(s.Code(s.ctx, affiliate.CodeRef{Code: code})).TimesRedeemed) }
}

// scarceHolds are what one customer may have of a code, budgets, and places that are held.
func scarceHolds() []scarcity {
	mine := func(i int, in *affiliate.SaleParams) { in.Name, in.Email = "K", alias(i) }
	seven := func(s *stall) { s.newCode("SEVEN", 7) }
	held := func(s *stall) (n int) {
		for i := range wanting {
			if h, err := s.Hold(s.ctx, fmt.Sprint("h", i)); err == nil && h.State == affiliate.HoldHeld {
				n++
			}
		}
		return n
	}
	return []scarcity{
		{"uses of a code by one customer", 2, func(s *stall) trial {
			s.newCode("TWICE", 0, func(in *affiliate.CodeParams) { in.MaxRedemptionsPerCustomer = affiliate.Set[int64](2) })
			return sells(func(i int, in *affiliate.SaleParams) { mine(i, in); in.PromoCode = "TWICE" })
		}, recorded},
		{"uses of a coupon by one customer", 3, func(s *stall) trial {
			for i := range 3 {
				s.newCode(fmt.Sprint("CODE", i), 0)
			}
			must(s.UpdateCoupon(s.ctx, s.coupon.ID, affiliate.CouponUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](3)}))
			return sells(func(i int, in *affiliate.SaleParams) { mine(i, in); in.PromoCode = fmt.Sprint("code", i%3) })
		}, recorded},
		{"orders of a budget", 5, func(s *stall) trial {
			must(s.UpdateCoupon(s.ctx, s.coupon.ID, affiliate.CouponUpdate{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("9"))})) // 2 each
			return sells(func(int, *affiliate.SaleParams) {})
		}, recorded},
		{"places that are held", 7, func(s *stall) trial {
			seven(s)
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				_, err := ops.HoldRedemption(ctx, holdOf(fmt.Sprint("h", i), "SEVEN", time.Hour))
				return err == nil, err
			}
		}, held},
		{"holds of one customer", 5, func(s *stall) trial {
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				_, err := ops.HoldRedemption(ctx, holdOf(fmt.Sprint("h", i), "ADA", time.Hour, alias(i)))
				return err == nil, err
			}
		}, held},
		{"places that are held and paid, or bought", 7, func(s *stall) trial {
			seven(s)
			buy := sells(func(_ int, in *affiliate.SaleParams) { in.PromoCode = "SEVEN" })
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				if i%3 == 0 {
					return buy(ctx, ops, i)
				}
				return holdsAndPays(ctx, ops, fmt.Sprint("h", i), "SEVEN")
			}
		}, redeemed("SEVEN")},
		{"places of holds that have lapsed", 7, func(s *stall) trial {
			seven(s)
			for i := range 7 {
				must(s.HoldRedemption(s.ctx, holdOf(fmt.Sprint("old", i), "SEVEN", 200*time.Millisecond)))
			}
			<-time.After(250 * time.Millisecond)
			buy := sells(func(_ int, in *affiliate.SaleParams) { in.PromoCode = "SEVEN" })
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				if i%3 == 0 {
					return buy(ctx, ops, i)
				}
				return holdsAndPays(ctx, ops, fmt.Sprint("h", i), "SEVEN")
			}
		}, redeemed("SEVEN")},
		{"the last place, held again and again", 1, func(s *stall) trial {
			s.newCode("LAST", 1)
			must(s.HoldRedemption(s.ctx, holdOf("h0", "LAST", time.Hour)))
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				switch i % 3 {
				case 0: // keeps the place
					if _, err := ops.HoldRedemption(ctx, holdOf("h0", "LAST", time.Hour)); err != nil {
						return false, err
					}
				case 1: // wants another one
					return holdsAndPays(ctx, ops, fmt.Sprint("h", i), "LAST")
				}
				got, err := ops.RecordSale(ctx, affiliate.SaleParams{HoldID: "h0", TotalEarned: affiliate.MustAmount("10")})
				return got.Outcome == affiliate.SaleRecorded, err
			}
		}, redeemed("LAST")},
		{"the place of a hold that is released", 1, func(s *stall) trial {
			s.newCode("LAST", 1)
			must(s.HoldRedemption(s.ctx, holdOf("old", "LAST", time.Hour)))
			must(s.ReleaseHold(s.ctx, "old"))
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				return holdsAndPays(ctx, ops, fmt.Sprint("h", i), "LAST")
			}
		}, redeemed("LAST")},
		{"an order by a house code", 1, func(s *stall) trial {
			must(s.CreateCode(s.ctx, affiliate.CodeParams{CouponID: s.coupon.ID, Code: "HOUSE"}))
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				got, err := ops.RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOUSE", ExternalID: "order-1", TotalEarned: affiliate.MustAmount("10")})
				return got.Outcome == affiliate.SaleRedeemed, err
			}
		}, redeemed("HOUSE")},
	}
}

// looksAtUses checks the uses of before the transaction, and acts in it.
type looksAtUses struct{ record.Store }

// Update runs fn on the uses of before, and its own.
func (s looksAtUses) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Use] { return tx.Uses })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Uses = usesOf{tx.Uses, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// usesOf lists the uses that it knows.
type usesOf struct {
	record.Table[record.Use]
	known map[uuid.UUID]record.Use
}

func (t usesOf) List(q record.Query) iter.Seq2[record.Use, error] {
	return func(yield func(record.Use, error) bool) {
		for use, err := range t.Table.List(q) {
			if _, known := t.known[use.ID]; (known || err != nil) && !yield(use, err) {
				return
			}
		}
	}
}

func (t usesOf) Insert(use record.Use) error {
	t.known[use.ID] = use
	return t.Table.Insert(use)
}

// looksAtCoupons checks the coupons of before the transaction, and acts in it.
type looksAtCoupons struct{ record.Store }

// Update runs fn on the coupons of before.
func (s looksAtCoupons) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Coupon] { return tx.Coupons })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Coupons = table[record.Coupon]{tx.Coupons, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// TestHoldsCanFail: a check of a customer, a budget or a place before the transaction gives out too many.
func TestHoldsCanFail(t *testing.T) {
	uses := plant{store: func(s record.Store, _ *lateThings) record.Store { return looksAtUses{s} }}
	coupons := plant{store: func(s record.Store, _ *lateThings) record.Store { return looksAtCoupons{s} }}
	codes := plantNamed("check, then act")
	planted := map[string]plant{
		"uses of a code by one customer": uses, "uses of a coupon by one customer": uses, "holds of one customer": uses,
		"orders of a budget": coupons, "places that are held": codes,
	}
	for _, c := range scarceHolds() {
		pl, ok := planted[c.name]
		if !ok {
			continue
		}
		delete(planted, c.name)
		most := 0
		for range 10 {
			_, left, _ := exactly(t, inMemory(), pl, c)
			most = max(most, left)
		}
		t.Logf("%s: %d of %d", c.name, most, c.l)
		if most <= c.l {
			t.Errorf("%s: in no round more than %d got one", c.name, c.l)
		}
	}
	if len(planted) > 0 {
		t.Errorf("nothing is called %v", planted)
	}
}
