package robustness

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An entry is an amount of a sale or a bonus. It is in a payout, by its number
// from 1, or open.
type entry struct {
	amount int64
	payout int
	frozen bool // a payout holds it or held it
	ahead  bool // recorded by a clock that is ahead
}

// A deal is a sale: its first entry and what refunds appended.
type deal struct {
	id        affiliate.SaleID
	live      bool
	kept      int64
	done      bool
	fractions uint8
	entries   [5]entry
	n         int
}

// A bonusState is a bonus, or what takes one back.
type bonusState struct {
	id       uuid.UUID
	ext      int
	of       int // the number of the bonus that it takes back; 0: none
	reversed bool
	entry
}

// A payoutState is a payout.
type payoutState struct {
	id     uuid.UUID
	amount int64
	status affiliate.PayoutStatus
}

// A moneyState is the program, as far as a treasury sees it. It is compared with
// ==.
type moneyState struct {
	deals                  [mostSales]deal
	bonuses                [mostBonuses]bonusState
	payouts                [mostPayouts]payoutState
	sold, awarded, paidOut int
}

func (*treasury) initial() any { return moneyState{} }

// step applies a call. A call without an answer may not have happened.
func (*treasury) step(state, input, output any) []any {
	s, in, out := state.(moneyState), input.(moneyIn), output.(moneyOut)
	if out.unknown {
		next := s
		next.apply(in, nil)
		if next == s {
			return []any{s}
		}
		return []any{s, next}
	}
	if !s.apply(in, &out) {
		return nil
	}
	return []any{s}
}

// apply does a call to the state and reports whether out can be its answer. A
// nil out is not known, and possible.
func (s *moneyState) apply(in moneyIn, out *moneyOut) bool {
	switch in.verb {
	case earn:
		d := &s.deals[s.sold]
		*d = deal{live: true, kept: 100, n: 1}
		d.entries[0] = entry{amount: 20, ahead: in.ahead}
		s.sold++
		return out == nil || out.why == "" && s.named(d, out.sale)
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

// named gives a sale the id that the answer shows.
func (s *moneyState) named(d *deal, id affiliate.SaleID) bool {
	if id == 0 || s.deal(id) != nil {
		return false
	}
	d.id = id
	return true
}

func (s *moneyState) deal(id affiliate.SaleID) *deal {
	for i := range s.sold {
		if s.deals[i].live && s.deals[i].id == id {
			return &s.deals[i]
		}
	}
	return nil
}

func (d *deal) earned() (sum int64) {
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
	by, part := s.held(d), int64(40)
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
func (d *deal) settle(earned int64) {
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
		*d = deal{}
	}
	return out == nil || out.why == ""
}

func (s *moneyState) bonus(in moneyIn, out *moneyOut) bool {
	b := bonusState{ext: in.ext, entry: entry{amount: 6, ahead: in.ahead}}
	for i := range s.awarded {
		known := &s.bonuses[i]
		if in.verb == award && known.of == 0 && known.ext == in.ext {
			return out == nil || out.why == string(affiliate.AdjustmentExternalIDTaken)
		}
		if in.verb == takeBack && known.id == in.record {
			if known.reversed {
				return out == nil || out.why == string(affiliate.AdjustmentReversed)
			}
			known.reversed, b.of, b.amount = true, i+1, -6
		}
	}
	if in.verb == takeBack && b.of == 0 {
		return false // its id was in an answer, so it is there
	}
	if out != nil {
		b.id = out.record
	}
	s.bonuses[s.awarded] = b
	s.awarded++
	return out == nil || out.why == ""
}
