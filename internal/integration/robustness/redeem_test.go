package robustness

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// A codeState is what the model knows of a code.
type codeState struct {
	gone, active bool
	max, times   int64
}

// A saleState is a sale. Its id is 0 until an answer has shown it.
type saleState struct {
	id        affiliate.SaleID
	kept      int64
	done      bool // refunded in full
	ext       int
	buyer     int
	key       int
	fractions uint8 // a bit for each refund id
}

// A holdState is a hold, which nobody waits for: it does not lapse.
type holdState struct {
	state affiliate.HoldState // empty: there is none
	code  int
}

// A keyState is the first answer under an idempotency key.
type keyState struct {
	used bool
	why  string
	sale affiliate.SaleID // 0: no answer has shown it
}

// A redeemState is the program, as far as the trade sees it. It is compared
// with ==.
type redeemState struct {
	gone, valid bool
	max, times  int64
	codes       [2]codeState
	sales       [couponLimit + holdsAtMost]saleState // a hold that was given back may be paid over the limit
	live        int                                  // so many sales are there, in the order of their ids
	recorded    int                                  // and so many were
	keys        [5]keyState
	holds       [holdsAtMost]holdState
}

func (d *redemption) initial() any {
	s := redeemState{valid: true, max: couponLimit}
	for i := range s.codes {
		s.codes[i] = codeState{active: true, max: codeLimit}
	}
	return s
}

// step applies a call. A call without an answer may not have happened.
func (d *redemption) step(state, input, output any) []any {
	return steps(state.(redeemState), output.(redeemOut), func(s *redeemState, out *redeemOut) bool { return s.apply(input.(redeemIn), out) })
}

// apply does a call to the state and reports whether out can be its answer. A
// nil out is not known, and possible.
func (s *redeemState) apply(in redeemIn, out *redeemOut) bool {
	switch in.verb {
	case sell:
		return s.sell(in, out)
	case refund, dropSale:
		return s.back(in, out)
	case changeCode, dropCode:
		return s.change(in, out)
	case changeCoupon, dropCoupon:
		return s.changeAll(in, out)
	case holdPlace:
		return s.hold(in, out)
	case releasePlace:
		return s.release(in, out)
	case payHeld:
		return s.pay(in, out)
	case readHold:
		h := s.holds[in.hold]
		return h.state == "" && out.why == notFound || h.state != "" && out.fate == (fate{}) && out.held == h.state
	case preview:
		why := s.failing(in)
		return out.fate == (fate{}) && out.failing == why && out.valid == (why == "")
	case readCoupon:
		return s.readCoupon(out)
	case readSales:
		return s.readSales(in, out)
	}
	return out.fate == (fate{}) && out.count == s.recorded
}

// failing are the reasons why a code cannot be used, in the order of contract
// 3.5.
func (s *redeemState) failing(in redeemIn) string {
	c := &s.codes[in.code-1]
	if c.gone {
		return string(affiliate.CodeNotFound)
	}
	var all []string
	for _, rule := range []struct {
		fails bool
		why   affiliate.Reason
	}{
		{!c.active, affiliate.CodeInactive},
		{!s.valid, affiliate.CouponInvalid},
		{c.times+s.held(in.code) >= c.max, affiliate.CodeExhausted},
		{s.times+s.held(0) >= s.max, affiliate.CouponExhausted},
		{in.code == 2 && in.buyer > 0 && s.bought(in.buyer), affiliate.NotFirstOrder},
	} {
		if rule.fails {
			all = append(all, string(rule.why))
		}
	}
	return strings.Join(all, " ")
}

// held counts the places that holds keep of a code; 0: of the coupon.
func (s *redeemState) held(code int) (n int64) {
	for i := range s.holds {
		if s.holds[i].state == affiliate.HoldHeld && (code == 0 || s.holds[i].code == code) {
			n++
		}
	}
	return n
}

// failingBut are the reasons for an order whose hold is h: its place does not count, and what a hold protects
// against is left out for the same code.
func (s *redeemState) failingBut(in redeemIn, h *holdState) string {
	was := *h
	if was.state == affiliate.HoldHeld {
		h.state = ""
	}
	why := s.failing(in)
	*h = was
	if was.code != in.code {
		return why
	}
	kept := strings.Fields(why)
	kept = slices.DeleteFunc(kept, func(r string) bool {
		return r == string(affiliate.CodeExhausted) || r == string(affiliate.CouponExhausted)
	})
	return strings.Join(kept, " ")
}

// hold holds a place, or holds it again.
func (s *redeemState) hold(in redeemIn, out *redeemOut) bool {
	h := &s.holds[in.hold]
	why := ""
	switch h.state {
	case affiliate.HoldConfirmed:
		why = string(affiliate.HoldIsConfirmed)
	case affiliate.HoldHeld:
		why = s.failingBut(in, h)
	default:
		why = s.failing(in)
	}
	if why == "" {
		*h = holdState{affiliate.HoldHeld, in.code}
	}
	return out == nil || out.why == why && (why != "" || out.held == affiliate.HoldHeld)
}

func (s *redeemState) release(in redeemIn, out *redeemOut) bool {
	h, why := &s.holds[in.hold], ""
	switch h.state {
	case "":
		why = notFound
	case affiliate.HoldConfirmed:
		why = string(affiliate.HoldIsConfirmed)
	default:
		h.state = affiliate.HoldReleased
	}
	return out == nil || out.why == why && (why != "" || out.held == affiliate.HoldReleased)
}

// pay is a sale with a hold.
func (s *redeemState) pay(in redeemIn, out *redeemOut) bool {
	h, why := &s.holds[in.hold], ""
	in.code = h.code
	switch h.state {
	case "":
		why = notFound
	case affiliate.HoldConfirmed:
		why = string(affiliate.HoldIsConfirmed)
	default:
		why = s.failingBut(in, h)
	}
	id := affiliate.SaleID(0)
	if out != nil {
		id = out.sale
	}
	if why == "" {
		if id != 0 && s.find(func(x *saleState) bool { return x.id == id }) != nil {
			return false
		}
		h.state = affiliate.HoldConfirmed
		s.record(saleState{id: id, kept: 100, buyer: in.buyer}, in.code)
	}
	return out == nil || out.why == why && (why != "" || id != 0)
}

// record adds a sale, and counts its redemption.
func (s *redeemState) record(x saleState, code int) {
	s.sales[s.live] = x
	s.live++
	s.recorded++
	s.times++
	s.codes[code-1].times++
	s.sort()
}

func (s *redeemState) bought(buyer int) bool {
	return s.find(func(x *saleState) bool { return x.buyer == buyer && !x.done }) != nil
}

func (s *redeemState) find(is func(*saleState) bool) *saleState {
	for i := range s.live {
		if is(&s.sales[i]) {
			return &s.sales[i]
		}
	}
	return nil
}

func (s *redeemState) sell(in redeemIn, out *redeemOut) bool {
	if k := &s.keys[in.key]; in.key > 0 && k.used {
		return out == nil || out.why == k.why && (k.why != "" || s.shown(in, k, out.sale))
	}
	if in.ext > 0 && s.find(func(x *saleState) bool { return x.ext == in.ext }) != nil {
		return out == nil || out.fate == (fate{}) && out.duplicate
	}
	why, id := s.failing(in), affiliate.SaleID(0)
	if out != nil {
		id = out.sale
	}
	if why == "" {
		if id != 0 && s.find(func(x *saleState) bool { return x.id == id }) != nil {
			return false
		}
		s.record(saleState{id: id, kept: 100, ext: in.ext, buyer: in.buyer, key: in.key}, in.code)
	}
	if in.key > 0 {
		s.keys[in.key] = keyState{true, why, id}
	}
	return out == nil || out.why == why && !out.duplicate && (why != "" || id != 0)
}

// sort puts the sales into the order of their ids, so that two histories with the
// same sales are in the same state.
func (s *redeemState) sort() {
	slices.SortFunc(s.sales[:s.live], func(a, b saleState) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.ext, b.ext), cmp.Compare(a.key, b.key), cmp.Compare(a.buyer, b.buyer))
	})
}

// shown reports whether the replayed answer under a key can show a sale, and
// keeps its id.
func (s *redeemState) shown(in redeemIn, k *keyState, id affiliate.SaleID) bool {
	if k.sale != 0 {
		return k.sale == id
	}
	k.sale = id
	return s.named(s.find(func(x *saleState) bool { return x.id == 0 && x.key == in.key }), id)
}

// named gives a sale the id that an answer shows.
func (s *redeemState) named(x *saleState, id affiliate.SaleID) bool {
	if x == nil || id == 0 || s.find(func(y *saleState) bool { return y.id == id }) != nil {
		return false
	}
	x.id = id
	s.sort()
	return true
}

// back is a refund or the deletion of a sale.
func (s *redeemState) back(in redeemIn, out *redeemOut) bool {
	x := s.find(func(x *saleState) bool { return x.id == in.sale })
	if x == nil {
		return out == nil || in.verb == refund && out.why == notFound || in.verb == dropSale && out.fate == (fate{})
	}
	again := false
	switch {
	case in.verb == dropSale:
		at := slices.IndexFunc(s.sales[:s.live], func(y saleState) bool { return y.id == in.sale })
		copy(s.sales[at:s.live], s.sales[at+1:s.live])
		s.live--
		s.sales[s.live] = saleState{}
	case x.done || in.part > 0 && x.fractions&(1<<in.part) != 0:
		again = true
	case in.part > 0:
		x.fractions |= 1 << in.part
		x.kept -= 30
	default:
		x.kept, x.done = 0, true
	}
	return out == nil || out.fate == (fate{}) && out.again == again
}

func (s *redeemState) change(in redeemIn, out *redeemOut) bool {
	c := &s.codes[in.code-1]
	if c.gone {
		return out == nil || out.why == notFound
	}
	switch {
	case in.verb == dropCode:
		*c = codeState{gone: true}
	case in.max > 0:
		c.max = in.max
	default:
		c.active = in.on
	}
	return out == nil || out.fate == (fate{}) && (in.verb == dropCode || out.codes[in.code-1] == *c)
}

func (s *redeemState) changeAll(in redeemIn, out *redeemOut) bool {
	if s.gone {
		return out == nil || out.why == notFound
	}
	switch {
	case in.verb == dropCoupon:
		s.gone, s.valid, s.max, s.times = true, false, 0, 0
		s.codes = [2]codeState{{gone: true}, {gone: true}}
	case in.max > 0:
		s.max = in.max
	default:
		s.valid = in.on
	}
	return out == nil || out.fate == (fate{}) && in.verb == dropCoupon || in.verb == changeCoupon && s.readCoupon(out)
}

func (s *redeemState) readCoupon(out *redeemOut) bool {
	if s.gone {
		return out.why == notFound
	}
	return out.fate == (fate{}) && out.valid == s.valid && out.max == s.max && out.times == s.times && out.codes == s.codes
}

func (s *redeemState) readSales(in redeemIn, out *redeemOut) bool {
	x := s.find(func(x *saleState) bool { return x.ext == in.ext })
	if x == nil || out.count != 1 {
		return out.fate == (fate{}) && x == nil && out.count == 0
	}
	got := out.sales[0]
	if out.fate != (fate{}) || x.kept != got.kept || x.done != got.done {
		return false
	}
	return x.id == got.id || x.id == 0 && s.named(x, got.id)
}
