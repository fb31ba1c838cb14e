package robustness

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A treasury is the trade of one affiliate's sales of 100 at 20 %, refunds with
// and without claw-back, bonuses, payouts with every status, and balances. It
// stops the clocks, because a payout takes what was recorded up to its own time;
// clients of a process whose clock is ahead see what others cannot pay yet.
type treasury struct {
	mara uuid.UUID
	left struct {
		sync.Mutex
		sales, payouts, bonuses int // how many more may be tried
	}
	sales   ids[affiliate.SaleID]
	payouts ids[uuid.UUID]
	bonuses ids[uuid.UUID]
}

const mostSales, mostPayouts, mostBonuses = 20, 40, 12

type moneyVerb uint8

const (
	earn moneyVerb = iota
	giveBack
	unmake
	award
	takeBack // the bonus
	payOut
	setStatus
	readBalance
	readPayout
	readSale
)

// A moneyIn is one call.
type moneyIn struct {
	verb   moneyVerb
	ahead  bool // by a process whose clock is ahead
	sale   affiliate.SaleID
	record uuid.UUID // payout or bonus
	part   int       // of a refund: its id; 0: the whole rest
	claw   bool
	ext    int
	status affiliate.PayoutStatus
}

// A moneyOut is its answer.
type moneyOut struct {
	fate
	sale    affiliate.SaleID
	record  uuid.UUID
	again   bool
	amount  int16 // of a payout, or the commission of a sale
	status  affiliate.PayoutStatus
	balance balance
}

// A balance is what readBalance shows, in whole units.
type balance struct{ payable, inPayout, paid, earned int16 }

func (d *treasury) open(ctx context.Context, ops api.Operations) error {
	d.left.sales, d.left.payouts, d.left.bonuses = mostSales, mostPayouts, mostBonuses
	mara, err := ops.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: "mara@example.com"})
	if err != nil {
		return err
	}
	d.mara = mara.ID
	coupon, err := ops.CreateCoupon(ctx, affiliate.CouponParams{Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	if err != nil {
		return err
	}
	_, err = ops.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: codeText(1), AffiliateID: mara.ID})
	return err
}

// draw is a call at random.
func (d *treasury) draw(r *rand.Rand, at turn) moneyIn {
	in := moneyIn{ahead: at.ahead, claw: r.IntN(4) > 0}
	for _, v := range []struct {
		verb  moneyVerb
		share int
	}{{earn, 10}, {giveBack, 18}, {unmake, 4}, {award, 8}, {takeBack, 6}, {payOut, 16}, {setStatus, 34}, {readBalance, 40}, {readPayout, 40}, {readSale, 100}} {
		if in.verb = v.verb; r.IntN(100) < v.share {
			break
		}
	}
	known := true
	switch in.verb {
	case earn:
		known = d.spend(&d.left.sales)
	case giveBack, unmake, readSale:
		in.part = r.IntN(4)
		in.sale, known = d.sales.draw(r)
	case award:
		in.ext = 1 + r.IntN(8)
		known = d.spend(&d.left.bonuses)
	case takeBack:
		in.record, known = d.bonuses.draw(r)
		known = known && d.spend(&d.left.bonuses)
	case payOut:
		known = d.spend(&d.left.payouts)
	case setStatus, readPayout:
		all := []affiliate.PayoutStatus{affiliate.PayoutPaid, affiliate.PayoutProcessing, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutCanceled, affiliate.PayoutReturned}
		in.status = all[r.IntN(len(all))]
		in.record, known = d.payouts.draw(r)
	}
	if !known {
		return moneyIn{verb: readBalance, ahead: at.ahead}
	}
	return in
}

// spend reports whether something may be tried once more.
func (d *treasury) spend(left *int) bool {
	d.left.Lock()
	defer d.left.Unlock()
	*left--
	return *left >= 0
}

func (d *treasury) call(ctx context.Context, ops api.Operations, r *rand.Rand, at turn) (any, outputOfCall, bool) {
	in := d.draw(r, at)
	out := d.answer(ctx, ops, in)
	return in, out, in.verb >= readBalance
}

func (d *treasury) answer(ctx context.Context, ops api.Operations, in moneyIn) (out moneyOut) {
	var err error
	switch in.verb {
	case earn:
		got, failed := ops.RecordSale(ctx, affiliate.SaleParams{PromoCode: codeText(1), TotalEarned: affiliate.MustAmount("100")})
		if s, ok := got.Sale.Get(); ok {
			out.sale = s.ID
			d.sales.add(s.ID)
		}
		err = failed
	case giveBack:
		re := affiliate.Refund{SaleID: in.sale, ClawBack: in.claw}
		if in.part > 0 {
			re.RefundID, re.Amount = fmt.Sprint("r", in.part), affiliate.Set(affiliate.MustAmount("40"))
		}
		got, failed := ops.RefundSale(ctx, re)
		out.again, err = got.AlreadyRefunded, failed
	case unmake:
		err = ops.DeleteSale(ctx, in.sale)
	case award, takeBack:
		return d.bonus(ctx, ops, in)
	case payOut, setStatus, readPayout:
		return d.payout(ctx, ops, in)
	case readSale:
		got, failed := ops.Sale(ctx, in.sale)
		out.amount, err = units(got.CommissionEarned), failed
	case readBalance:
		got, failed := ops.Balance(ctx, affiliate.AffiliateRef{ID: d.mara})
		err = failed
		out.balance = balance{units(got.Payable) + units(got.Maturing), units(got.InPayout), units(got.Paid), units(got.Earned)}
	}
	out.fate = fateOf(err)
	return out
}

func (d *treasury) bonus(ctx context.Context, ops api.Operations, in moneyIn) moneyOut {
	bonus := affiliate.AdjustmentParams{AffiliateID: d.mara, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("6"), Reason: "r", ExternalID: fmt.Sprint("b", in.ext)}
	if in.verb == takeBack {
		bonus = affiliate.AdjustmentParams{Reverses: in.record, Reason: "r"}
	}
	got, err := ops.RecordAdjustment(ctx, bonus)
	if err == nil && in.verb == award {
		d.bonuses.add(got.ID)
	}
	return moneyOut{fate: fateOf(err), record: got.ID}
}

func (d *treasury) payout(ctx context.Context, ops api.Operations, in moneyIn) moneyOut {
	var got affiliate.Payout
	var err error
	switch in.verb {
	case payOut:
		if got, err = ops.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: d.mara}); err == nil {
			d.payouts.add(got.ID)
		}
	case setStatus:
		got, err = ops.SetPayoutStatus(ctx, in.record, in.status)
	case readPayout:
		got, err = ops.Payout(ctx, in.record)
	}
	return moneyOut{fate: fateOf(err), record: got.ID, amount: units(got.Amount), status: got.Status}
}

// units is an amount in whole units.
func units(a affiliate.Amount) int16 { return int16(a.Scaled() / 10_000) }

// An entry is an amount of a sale or a bonus. It is in a payout, by its number
// from 1, or open.
type entry struct {
	amount int16
	payout int16
	frozen bool // a payout holds it or held it
	ahead  bool // recorded by a clock that is ahead
}

// A deal is a sale: its first entry and what refunds appended.
type deal struct {
	id        affiliate.SaleID
	kept      int16
	done      bool
	fractions uint8
	n         uint8
	entries   [4]entry
}

// A bonusState is a bonus, or what takes one back.
type bonusState struct {
	id       uuid.UUID
	ext      int16
	takes    bool // it takes a bonus back
	reversed bool
	entry
}

// A payoutState is a payout.
type payoutState struct {
	id     uuid.UUID
	amount int16
	status affiliate.PayoutStatus
}

// A moneyState is the program, as far as a treasury sees it. It is compared with
// ==.
type moneyState struct {
	deals                  [mostSales]deal
	bonuses                [mostBonuses]bonusState
	payouts                [mostPayouts]payoutState
	sold, awarded, paidOut int16
}

func (*treasury) initial() any { return moneyState{} }

// step applies a call. A call without an answer may not have happened.
func (*treasury) step(state, input, output any) []any {
	return steps(state.(moneyState), output.(moneyOut), func(s *moneyState, out *moneyOut) bool { return s.apply(input.(moneyIn), out) })
}

// apply does a call to the state and reports whether out can be its answer. A
// nil out is not known, and possible.
func (s *moneyState) apply(in moneyIn, out *moneyOut) bool {
	switch in.verb {
	case earn:
		return s.earn(in, out)
	case giveBack:
		return s.giveBack(in, out)
	case unmake:
		return s.unmake(in, out)
	case award, takeBack:
		return s.bonus(in, out)
	case payOut:
		return s.pay(in, out)
	case setStatus:
		return s.set(in, out)
	case readPayout:
		p := s.payout(in.record)
		return p != nil && out.why == "" && out.status == p.status && out.amount == p.amount
	case readSale:
		d := s.deal(in.sale)
		if d == nil {
			return out.why == notFound
		}
		return out.why == "" && out.amount == d.earned()
	}
	return out.why == "" && out.balance == s.balance()
}

// earn adds a sale. Sales and bonuses are kept in the order of their ids, so that
// two histories with the same records are in the same state.
func (s *moneyState) earn(in moneyIn, out *moneyOut) bool {
	d := deal{kept: 100, n: 1}
	d.entries[0] = entry{amount: 20, ahead: in.ahead}
	if out != nil {
		d.id = out.sale
	}
	if out != nil && (out.why != "" || d.id == 0 || s.deal(d.id) != nil) {
		return false
	}
	at := s.sold
	for ; at > 0 && s.deals[at-1].id > d.id; at-- {
		s.deals[at] = s.deals[at-1]
	}
	s.deals[at] = d
	s.sold++
	return true
}

func (s *moneyState) deal(id affiliate.SaleID) *deal {
	for i := range s.sold {
		if s.deals[i].id == id {
			return &s.deals[i]
		}
	}
	return nil
}

func (d *deal) earned() (sum int16) {
	for _, e := range d.entries[:d.n] {
		sum += e.amount
	}
	return sum
}

// held are the statuses of the payouts that hold the entries of a sale.
func (s *moneyState) held(d *deal) (by []affiliate.PayoutStatus) {
	for _, e := range d.entries[:d.n] {
		if e.payout > 0 {
			by = append(by, s.payouts[e.payout-1].status)
		}
	}
	return by
}

func (s *moneyState) giveBack(in moneyIn, out *moneyOut) bool {
	d := s.deal(in.sale)
	if d == nil {
		return out == nil || out.why == notFound
	}
	by, part := s.held(d), int16(40)
	if in.part == 0 {
		part = d.kept
	}
	var why affiliate.Reason
	switch {
	case d.done || in.part > 0 && d.fractions&(1<<in.part) != 0:
		return out == nil || out.why == "" && out.again
	case !in.claw && slices.Contains(by, affiliate.PayoutPaid):
		why = affiliate.AlreadyPaid
	case !in.claw && len(by) > 0:
		why = affiliate.IncludedInPayout
	case part > d.kept:
		why = affiliate.RefundExceedsSale
	}
	if why != "" {
		return out == nil || out.why == string(why)
	}
	d.kept -= part
	d.done = d.kept == 0
	d.fractions |= 1 << in.part &^ 1
	d.settle(d.kept / 5)
	return out == nil || out.why == "" && !out.again
}

// settle brings the entries to what is earned: the only one is changed, unless
// a payout held it; then one is appended.
func (d *deal) settle(earned int16) {
	rest := earned - d.earned()
	frozen := slices.ContainsFunc(d.entries[:d.n], func(e entry) bool { return e.frozen })
	switch {
	case !frozen:
		d.entries[0].amount += rest
	case rest != 0:
		d.entries[d.n] = entry{amount: rest}
		d.n++
	}
}

func (s *moneyState) unmake(in moneyIn, out *moneyOut) bool {
	d := s.deal(in.sale)
	if d != nil && len(s.held(d)) > 0 {
		return out == nil || out.why == string(affiliate.InPayout)
	}
	if d != nil {
		at := slices.IndexFunc(s.deals[:], func(x deal) bool { return x.id == in.sale })
		copy(s.deals[at:], s.deals[at+1:])
		s.sold--
		s.deals[s.sold] = deal{}
	}
	return out == nil || out.why == ""
}

func (s *moneyState) bonus(in moneyIn, out *moneyOut) bool {
	b := bonusState{ext: int16(in.ext), entry: entry{amount: 6, ahead: in.ahead}}
	for i := range s.awarded {
		known := &s.bonuses[i]
		if in.verb == award && !known.takes && known.ext == int16(in.ext) {
			return out == nil || out.why == string(affiliate.AdjustmentExternalIDTaken)
		}
		if in.verb == takeBack && known.id == in.record {
			if known.reversed {
				return out == nil || out.why == string(affiliate.AdjustmentReversed)
			}
			known.reversed, b.takes, b.amount = true, true, -6
		}
	}
	if in.verb == takeBack && !b.takes {
		return false // its id was in an answer, so it is there
	}
	if out != nil {
		b.id = out.record
	}
	at := s.awarded
	for ; at > 0 && bytes.Compare(s.bonuses[at-1].id[:], b.id[:]) > 0; at-- {
		s.bonuses[at] = s.bonuses[at-1]
	}
	s.bonuses[at] = b
	s.awarded++
	return out == nil || out.why == ""
}

// each calls fn with every entry.
func (s *moneyState) each(fn func(e *entry)) {
	for i := range s.sold {
		for j := range s.deals[i].n {
			fn(&s.deals[i].entries[j])
		}
	}
	for i := range s.awarded {
		fn(&s.bonuses[i].entry)
	}
}

// pay makes a payout of every open entry. A clock that is behind does not pay
// what one that is ahead recorded, unless it is a debt.
func (s *moneyState) pay(in moneyIn, out *moneyOut) bool {
	taken := func(e *entry) bool {
		return e.payout == 0 && (e.amount < 0 || e.amount > 0 && (in.ahead || !e.ahead))
	}
	var sum int16
	s.each(func(e *entry) {
		if taken(e) {
			sum += e.amount
		}
	})
	if sum <= 0 {
		return out == nil || out.why == string(affiliate.NothingPayable)
	}
	p := payoutState{amount: sum, status: affiliate.PayoutPending}
	if out != nil {
		p.id = out.record
	}
	s.payouts[s.paidOut] = p
	s.paidOut++
	s.each(func(e *entry) {
		if taken(e) {
			e.payout, e.frozen = s.paidOut, true
		}
	})
	return out == nil || out.why == "" && out.amount == sum && out.status == affiliate.PayoutPending
}

func (s *moneyState) payout(id uuid.UUID) *payoutState {
	for i := range s.paidOut {
		if s.payouts[i].id == id {
			return &s.payouts[i]
		}
	}
	return nil
}

// after are the statuses that a payout can get.
var after = map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
	affiliate.PayoutPending:    {affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled},
	affiliate.PayoutProcessing: {affiliate.PayoutPaid, affiliate.PayoutFailed},
	affiliate.PayoutFailed:     {affiliate.PayoutProcessing, affiliate.PayoutCanceled},
	affiliate.PayoutPaid:       {affiliate.PayoutReturned},
}

func (s *moneyState) set(in moneyIn, out *moneyOut) bool {
	p := s.payout(in.record)
	if p == nil {
		return false // its id was in an answer, so it is there
	}
	if p.status != in.status && !slices.Contains(after[p.status], in.status) {
		return out == nil || out.why == string(affiliate.StatusNotAllowed)
	}
	if p.status != in.status && (in.status == affiliate.PayoutCanceled || in.status == affiliate.PayoutReturned) {
		number := 1 + int16(slices.IndexFunc(s.payouts[:], func(q payoutState) bool { return q.id == in.record }))
		s.each(func(e *entry) {
			if e.payout == number {
				e.payout = 0
			}
		})
	}
	p.status = in.status
	return out == nil || out.why == "" && out.status == in.status && out.amount == p.amount
}

// balance adds up what is open and what is in payouts. A payout that was
// canceled or came back has let go what it took.
func (s *moneyState) balance() (b balance) {
	s.each(func(e *entry) {
		switch {
		case e.payout == 0:
			b.payable += e.amount
		case s.payouts[e.payout-1].status == affiliate.PayoutPaid:
			b.paid += e.amount
		default:
			b.inPayout += e.amount
		}
		b.earned += e.amount
	})
	return b
}
