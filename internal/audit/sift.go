package audit

import (
	"github.com/tributary-go/tributary/affiliate/record"
)

// What is sifted. A check of one record is the check itself, and what it finds is picked.
// A check that compares records is written as sums: what one record says is added, and
// what the other must say is taken off, as facts about the object that both name.

// The kinds of facts, besides that a record exists, which has the kind of its table.
const (
	isOwned     int64 = 100 + iota // a link is of an affiliate
	isHidden                       // the erasure of a customer has ended
	isAlias                        // a link names an alias
	isEntry                        // of the key of a commission or an adjustment
	isBrought                      // an import made it
	isImported                     // an import names it, as a kind
	isFigures                      // an imported sale has these
	isEvent                        // an event has a type
	isQueued                       // a delivery waits; an event goes to an endpoint
	isEnd                          // an object other than a sale was deleted
	isSilent                       // the first event is not the creation
	isOfCoupon                     // a code is of a coupon
	isRedeemed                     // of a code or a coupon, how often
	isByCode                       // a sale is by a code
	isGiven                        // what the redemptions of a coupon took off
	isPlaced                       // holds keep so many places, or take so much off
	isPlace                        // a customer has a place of a code and a coupon
	isConfirmed                    // a hold was confirmed by a sale
	isGivenBack                    // the redemption of a sale was, when it was refunded
	isStatus                       // of a customer
	isHeld                         // a payout holds so much
	isItem                         // a payout holds an entry
	isStep                         // a revision of an object; a step of a payout
	isLine                         // a line of a run pays a payout
	isSoFar                        // the counts of a run
	isReversal                     // of an adjustment by another one
	isLeaving                      // a sale left an affiliate, with so much
	isTrail                        // the books after a movement
	isLast                         // the last movement
	isBooked                       // the movements of a sale add up to it
	isCounted                      // the movements of an affiliate count it
	isAccount                      // an account holds so much
	isTotal                        // totals count it
	isKeyed                        // a payment has an id of its provider
	isClicked                      // a sale names a click
)

// siftAll goes over all tables once. What others refer to comes first.
func (a *audit) siftAll() {
	imports := a.siftImports(true)
	a.siftEvents()
	a.forget()
	if imports {
		a.siftImports(false)
	}
	sift(a, &a.receipts, func(r *record.Receipt) { siftKeys(a, inPeople, &a.receipts, r) })
	a.siftRates()
	a.siftPeople()
	a.siftCodes()
	sift(a, &a.payouts, a.siftPayout)
	sift(a, &a.sales, a.siftSale)
	sift(a, &a.clicks, a.siftClick)
	sift(a, &a.adjusted, a.siftAdjustment)
	sift(a, &a.movements, a.siftMovement)
	sift(a, &a.totals, a.siftTotals)
	a.siftRuns()
	a.siftPayments()
}

// sift runs fn on the records of a table, and counts them. It reports whether there are
// any.
func sift[R record.Record[R]](a *audit, s *collection[R], fn func(*R)) bool {
	was := a.records
	for r := range s.walk() {
		a.records++
		if fn(r); a.full {
			break
		}
	}
	return a.records > was
}

// any reports whether a table has a record.
func (s *collection[R]) any() bool {
	for range s.walk() {
		return true
	}
	return false
}
