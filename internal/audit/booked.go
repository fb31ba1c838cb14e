package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// siftMovement adds the books after a movement and takes off those before it, which the
// movement before it has added.
func (a *audit) siftMovement(r *record.Movement) {
	k := a.key(r.AffiliateID)
	after := record.Books{Held: r.Held, Payable: r.Payable, InPayout: r.InPayout, Paid: r.Paid}
	before := after
	err := engine.MoveBetween(&before, r.To.Value(), r.From.Value(), r.Amount)
	if err != nil || a.siftPlace(k, r) || !movesWell(r) || !a.knows(k, k.num(a.affiliates.kind)) && a.here(k) {
		a.pick(inMovements, k)
	}
	a.add(inMovements, k, trailOf(k, r.Number, &after), 1)
	a.add(inMovements, k, trailOf(k, r.Number-1, &before), -1)
	var count engine.Standing
	count.Add(r)
	counted := k.num(isCounted)
	a.add(inMovements, k, counted.num(ofSales), count.Sales)
	a.add(inMovements, k, counted.num(ofConversions), count.Conversions)
	a.add(inMovements, k, counted.num(ofRevenue), count.Revenue.Scaled())
	a.add(inMovements, k, counted.num(ofRevenue), -count.Refunded.Scaled())
	a.add(inMovements, k, counted.num(ofCommission), count.Payable.Scaled())
	if r.Sale != 0 {
		a.siftSaleMovement(r)
	}
	if r.PayoutID != uuid.Nil {
		p := a.key(r.PayoutID)
		a.add(inMovements, p, p.num(isStep).text(string(r.Cause.Value())).num(r.Amount.Scaled()).id(r.AffiliateID), 1)
	}
}

// trailOf is the print of the books of an affiliate after a movement.
func trailOf(k print, number int64, b *record.Books) print {
	return k.num(isTrail).num(number).num(b.Held.Scaled()).num(b.Payable.Scaled()).num(b.InPayout.Scaled()).num(b.Paid.Scaled())
}

// siftPlace reports whether a movement is not where the one before it wants it. The ids of
// movements are in the order of their times, so it is enough that the numbers are, too.
func (a *audit) siftPlace(k print, r *record.Movement) bool {
	if !a.here(k) {
		return false
	}
	a.learn(k, k.num(isTrail))
	a.learn(k, k.num(isLast))
	number, last := a.value(k.num(isTrail)), a.value(k.num(isLast))
	if number == nil || last == nil {
		return true // full
	}
	*number++
	*last = r.At.Time().UnixMicro()
	return *number != r.Number || *last < 0 || r.ID != engine.MovementID(r.At, r.Number, r.AffiliateID)
}

// siftSaleMovement adds what a movement books for a sale. Whoever deletes a link takes it
// from its sales, and not from their movements.
func (a *audit) siftSaleMovement(r *record.Movement) {
	k, link := a.key(record.NumberID(r.Sale)), r.LinkID
	if l := a.key(link); a.here(l) && !a.knows(l, l.num(a.links.kind)) {
		link = uuid.Nil
	}
	of := bookedOf(k, r.AffiliateID, r.CodeID, link)
	for _, side := range [...]struct {
		account affiliate.Account
		sign    int64
	}{{r.From.Value(), -1}, {r.To.Value(), 1}} {
		switch side.account {
		case affiliate.AccountAccrual:
		case affiliate.AccountHeld, affiliate.AccountPayable:
			a.add(inMovements, k, of.text(string(side.account)).num(r.Commission), side.sign*r.Amount.Scaled())
		default:
			a.pick(inMovements, k)
		}
	}
	unweighed := r.Amount.IsZero() && r.Sales == 0 && r.Conversions == 0 &&
		(r.Commission != 0 || r.Revenue.IsZero() && r.Refunds.IsZero())
	begins := (r.Sales > 0 || r.Conversions > 0) && !r.Cause.Is(affiliate.CauseSale) && !r.Cause.Is(affiliate.CauseMove)
	moves := r.From == r.To && !r.Amount.IsZero() // a memo that is none
	if unweighed || begins || moves || r.Cause.Is(affiliate.CauseMove) {
		a.pick(inMovements, k)
	}
	a.add(inMovements, k, of.num(ofSales).num(r.Commission), r.Sales)
	a.add(inMovements, k, of.num(ofConversions).num(r.Commission), r.Conversions)
	a.add(inMovements, k, of.num(ofRevenue), r.Revenue.Scaled())
	a.add(inMovements, k, of.num(ofCommission), -r.Refunds.Scaled())
}

// bookedOf is the print of what the movements of a sale book for one affiliate, code, link
// and commission.
func bookedOf(k print, owner, code, link uuid.UUID) print {
	return k.num(isBooked).id(owner).id(code).id(link)
}

// siftBooked takes off what the movements of a sale add up to.
func (a *audit) siftBooked(r *record.Sale, k print) {
	of := bookedOf(k, r.AffiliateID, r.CodeID, r.LinkID)
	var first int64
	for i := range r.Commissions {
		c := &r.Commissions[i]
		if i == 0 {
			first = c.Number
		} else if c.Earned.IsZero() || c.Approval.Is(affiliate.ApprovalDeclined) {
			a.pick(inMovements, k) // what names it adds up to nothing
		}
		account := affiliate.AccountPayable
		switch {
		case c.Approval.Is(affiliate.ApprovalDeclined):
			continue
		case c.Approval.Is(affiliate.ApprovalOnHold):
			account = affiliate.AccountHeld
		}
		a.add(inMovements, k, of.text(string(account)).num(c.Number), -c.Earned.Scaled())
	}
	a.add(inMovements, k, of.num(countedAs(r)).num(first), -1)
	a.add(inMovements, k, of.num(ofRevenue), -r.TotalEarned.Scaled())
	a.add(inMovements, k, of.num(ofCommission), r.Refunded.Scaled())
}

// countedAs returns among which number of an affiliate a sale is.
func countedAs(r *record.Sale) int64 {
	if r.Conversion != "" {
		return ofConversions
	}
	return ofSales
}

// account adds what an account of an affiliate holds.
func (a *audit) account(owner uuid.UUID, name affiliate.Account, amount affiliate.Amount) {
	k := a.key(owner)
	a.add(inMovements, k, k.num(isAccount).text(string(name)), amount.Scaled())
}
