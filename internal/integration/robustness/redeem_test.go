package robustness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A redemption is the trade of sales by two codes of one coupon, with both
// limits, first orders, holds, external ids, idempotency keys, refunds, deletes,
// updates, previews and reads.
type redemption struct {
	coupon uuid.UUID
	opened affiliate.Time // by the clock of the program
	codes  [2]affiliate.Code
	seen   ids[affiliate.SaleID]
}

// ids are those that clients have seen in answers.
type ids[T any] struct {
	mu  sync.Mutex
	all []T
}

const recent = 6

func (s *ids[T]) add(id T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, id)
}

// draw is one of the last that were seen. What happened to one that nobody asks for
// again stays open, and the check of a history has to try all of it.
func (s *ids[T]) draw(r *rand.Rand) (id T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return id, false
	}
	return s.all[max(0, len(s.all)-recent)+r.IntN(min(recent, len(s.all)))], true
}

type verb uint8

const (
	sell verb = iota
	refund
	dropSale
	changeCode
	changeCoupon
	dropCode
	dropCoupon
	holdPlace
	releasePlace
	payHeld
	preview
	readHold
	readCoupon
	readSales
	countEvents
)

// A redeemIn is one call. Numbers are indexes from 1; 0 is none.
type redeemIn struct {
	verb  verb
	code  int
	buyer int
	ext   int
	key   int
	sale  affiliate.SaleID
	part  int // of a refund: its id; 0: the whole rest
	on    bool
	max   int64 // 0: on is set instead
	hold  int
}

// A redeemOut is its answer.
type redeemOut struct {
	fate
	sale      affiliate.SaleID
	duplicate bool
	again     bool // the refund had been booked
	failing   string
	valid     bool
	max       int64
	times     int64
	codes     [2]codeState
	sales     [1]saleState
	count     int
	held      affiliate.HoldState
}

var buyers = []string{"", "ada@example.net", "bea@example.net", "cem@example.net"}

func (d *redemption) open(ctx context.Context, ops api.Operations) error {
	mara, err := ops.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: "mara@example.com"})
	if err != nil {
		return err
	}
	coupon, err := ops.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxRedemptions: affiliate.Set[int64](couponLimit),
	})
	if err != nil {
		return err
	}
	d.coupon, d.opened = coupon.ID, coupon.CreatedAt
	for i := range d.codes {
		d.codes[i], err = ops.CreateCode(ctx, affiliate.CodeParams{
			CouponID: coupon.ID, Code: codeText(i + 1), AffiliateID: mara.ID, MaxRedemptions: affiliate.Set[int64](codeLimit), FirstTimeOrder: i == 1,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// holdsAtMost is how many holds a history has.
const holdsAtMost = 3

// The limits at the beginning. No update sets a higher one for the coupon, so a
// history has at most so many sales.
const couponLimit, codeLimit = 24, 14

func codeText(i int) string { return fmt.Sprint("MARA", i) }

func holdText(i int) string { return fmt.Sprint("checkout-", i) }

func extText(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprint("order-", i)
}

// draw is a call at random.
func (d *redemption) draw(r *rand.Rand, at turn) redeemIn {
	in := redeemIn{code: 1 + r.IntN(2), buyer: r.IntN(len(buyers))}
	if r.IntN(6) == 0 {
		in.hold = r.IntN(holdsAtMost)
		in.verb = []verb{holdPlace, holdPlace, releasePlace, payHeld, readHold, readHold}[r.IntN(6)]
		return in
	}
	switch p := r.IntN(100); {
	case p < 34:
		in.verb, in.ext = sell, max(0, r.IntN(17)-8) // half of them without an id
	case p < 40: // always the same input for a key
		in.verb, in.key = sell, 1+r.IntN(4)
		in.code, in.buyer = 1+in.key%2, 0
	case p < 50:
		in.verb, in.part = refund, r.IntN(4)
	case p < 54:
		in.verb = dropSale
	case p < 60:
		in.verb, in.on = changeCode, r.IntN(3) > 0
		if r.IntN(2) == 0 {
			in.max = 1 + r.Int64N(codeLimit+4)
		}
	case p < 64:
		in.verb, in.on = changeCoupon, r.IntN(4) > 0
		if r.IntN(2) == 0 {
			in.max = 2 + r.Int64N(couponLimit-1)
		}
	case p < 65 && at.late && r.IntN(4) == 0:
		in.verb = dropCode
	case p < 66 && at.late && r.IntN(2) == 0:
		in.verb = dropCoupon
	case p < 76:
		in.verb = preview
	case p < 88:
		in.verb = readCoupon
	case p < 97:
		in.verb, in.ext = readSales, 1+r.IntN(8)
	default:
		in.verb = countEvents
	}
	if in.verb == refund || in.verb == dropSale {
		id, ok := d.seen.draw(r)
		if !ok {
			in.verb = readCoupon
		}
		in.sale = id
	}
	return in
}

func (d *redemption) call(ctx context.Context, ops api.Operations, r *rand.Rand, at turn) (any, outputOfCall, bool) {
	in := d.draw(r, at)
	out := d.answer(ctx, ops, in)
	return in, out, in.verb >= preview
}

func (d *redemption) answer(ctx context.Context, ops api.Operations, in redeemIn) redeemOut {
	switch in.verb {
	case sell:
		return d.sell(ctx, ops, in)
	case refund:
		re := affiliate.Refund{SaleID: in.sale}
		if in.part > 0 {
			re.RefundID, re.Amount = fmt.Sprint("r", in.part), affiliate.Set(affiliate.MustAmount("30"))
		}
		got, err := ops.RefundSale(ctx, re)
		return redeemOut{fate: fateOf(err), again: got.AlreadyRefunded}
	case dropSale:
		return redeemOut{fate: fateOf(ops.DeleteSale(ctx, in.sale))}
	case changeCode:
		up := affiliate.CodeUpdate{Active: affiliate.Set(in.on)}
		if in.max > 0 {
			up = affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(in.max)}
		}
		got, err := ops.UpdateCode(ctx, d.codes[in.code-1].ID, up)
		out := redeemOut{fate: fateOf(err)}
		out.codes[in.code-1] = codeState{active: got.Active, max: got.MaxRedemptions.Or(0), times: got.TimesRedeemed}
		return out
	case changeCoupon:
		up := affiliate.CouponUpdate{Valid: affiliate.Set(in.on)}
		if in.max > 0 {
			up = affiliate.CouponUpdate{MaxRedemptions: affiliate.Set(in.max)}
		}
		return d.couponOut(ops.UpdateCoupon(ctx, d.coupon, up))
	case holdPlace:
		hold := affiliate.HoldParams{ID: holdText(in.hold), Until: d.opened.Time().Add(23 * time.Hour)}
		hold.PromoCode, hold.Email = codeText(in.code), buyers[in.buyer]
		got, err := ops.HoldRedemption(ctx, hold)
		return redeemOut{fate: fateOf(err), held: got.State}
	case releasePlace:
		got, err := ops.ReleaseHold(ctx, holdText(in.hold))
		return redeemOut{fate: fateOf(err), held: got.State}
	case payHeld:
		got, err := ops.RecordSale(ctx, affiliate.SaleParams{HoldID: holdText(in.hold), Email: buyers[in.buyer], Name: "N", TotalEarned: affiliate.MustAmount("100")})
		out := redeemOut{fate: fateOf(err)}
		if s, ok := got.Sale.Get(); ok {
			out.sale = s.ID
			d.seen.add(s.ID)
		}
		return out
	case dropCode:
		_, err := ops.DeleteCode(ctx, d.codes[in.code-1].ID)
		return redeemOut{fate: fateOf(err)}
	case dropCoupon:
		_, err := ops.DeleteCoupon(ctx, d.coupon)
		return redeemOut{fate: fateOf(err)}
	}
	return d.read(ctx, ops, in)
}

func (d *redemption) sell(ctx context.Context, ops api.Operations, in redeemIn) redeemOut {
	sale := affiliate.SaleParams{
		PromoCode: codeText(in.code), Email: buyers[in.buyer], Name: "N", TotalEarned: affiliate.MustAmount("100"), ExternalID: extText(in.ext),
	}
	if in.key > 0 {
		sale.Once.Key = fmt.Sprint("key-", in.key)
	}
	got, err := ops.RecordSale(ctx, sale)
	out := redeemOut{fate: fateOf(err), duplicate: got.Outcome == affiliate.SaleDuplicate}
	if s, ok := got.Sale.Get(); ok {
		out.sale = s.ID
		d.seen.add(s.ID)
	}
	return out
}

func (d *redemption) read(ctx context.Context, ops api.Operations, in redeemIn) redeemOut {
	switch in.verb {
	case preview:
		got, err := ops.Evaluate(ctx, affiliate.Order{PromoCode: codeText(in.code), Email: buyers[in.buyer]})
		return redeemOut{fate: fateOf(err), failing: failing(got.Reasons), valid: got.Valid}
	case readHold:
		got, err := ops.Hold(ctx, holdText(in.hold))
		return redeemOut{fate: fateOf(err), held: got.State}
	case readCoupon:
		return d.couponOut(ops.Coupon(ctx, affiliate.CouponRef{ID: d.coupon}))
	case readSales:
		got, err := ops.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set(extText(in.ext))}, affiliate.Page{})
		out := redeemOut{fate: fateOf(err), count: len(got.Items)}
		for i, s := range got.Items[:min(1, len(got.Items))] {
			out.sales[i] = saleState{id: s.ID, kept: keptOf(s), done: s.Status == affiliate.SaleRefunded}
			d.seen.add(s.ID)
		}
		return out
	}
	got, err := ops.Events(ctx, affiliate.EventQuery{Type: affiliate.SaleCreated}, affiliate.Page{})
	return redeemOut{fate: fateOf(err), count: len(got.Items)}
}

// couponOut is the answer that shows the coupon.
func (d *redemption) couponOut(got affiliate.Coupon, err error) redeemOut {
	out := redeemOut{fate: fateOf(err), valid: got.Valid, max: got.MaxRedemptions.Or(0), times: got.TimesRedeemed}
	for i := range out.codes {
		out.codes[i].gone = true
	}
	for _, c := range got.PromotionalCodes {
		for i := range d.codes {
			if c.ID == d.codes[i].ID {
				out.codes[i] = codeState{active: c.Active, max: c.MaxRedemptions.Or(0), times: c.TimesRedeemed}
			}
		}
	}
	return out
}

// keptOf is what is kept of a sale, in whole units.
func keptOf(s affiliate.Sale) int64 {
	return (s.TotalEarned.Scaled() - s.RefundedAmount.Scaled()) / 10_000
}
