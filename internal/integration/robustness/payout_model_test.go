package robustness

import (
	"bytes"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

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
