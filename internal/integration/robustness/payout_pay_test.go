package robustness

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

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
