package affiliate

import "github.com/google/uuid"

// A paidEntry is a commission as payouts see it.
type paidEntry struct {
	*CommissionRecord
	sale int64
	live int  // live payouts that list it
	ever bool // some payout lists it
}

// verifyPayouts compares payouts with the commissions that name them.
func (a *audit) verifyPayouts() {
	entries := a.entries()
	sums := map[uuid.UUID]Amount{}
	for _, e := range entries {
		if e.PayoutID == uuid.Nil {
			continue
		}
		payout := a.payouts.get(e.PayoutID)
		if payout == nil {
			a.breach("I42", numbered("commission", e.Number), "its payout %s does not exist", e.PayoutID)
			continue
		}
		sum, err := sums[payout.ID].Add(e.Earned)
		if err != nil || payout.AffiliateID != e.AffiliateID || !payout.live() {
			a.breach("I42", numbered("commission", e.Number), "it does not fit into its payout %s", payout.ID)
		}
		sums[payout.ID] = sum
	}
	for r := range a.payouts.records() {
		a.verifyPayout(r, sums[r.ID])
		a.verifyListed(r, entries)
	}
	for _, e := range entries {
		if e.PayoutID != uuid.Nil && a.payouts.has(e.PayoutID) && e.live != 1 {
			a.breach("I42", numbered("commission", e.Number), "payout %s lists it %d times", e.PayoutID, e.live)
		}
		if e.frozen() != e.ever && e.PayoutID == uuid.Nil {
			a.breach("I67", numbered("commission", e.Number), "frozen: %v, in the list of a payout: %v", e.frozen(), e.ever)
		}
	}
}

// entries are the commissions of all sales by number.
func (a *audit) entries() map[int64]*paidEntry {
	entries := map[int64]*paidEntry{}
	for r := range a.sales.records() {
		for i := range r.Commissions {
			c := &r.Commissions[i]
			if entries[c.Number] != nil {
				a.breach("I53", numbered("commission", c.Number), "its number is not unique")
				continue
			}
			entries[c.Number] = &paidEntry{CommissionRecord: c, sale: r.Number}
		}
	}
	return entries
}

// verifyPayout checks a payout by itself; held is the sum of the commissions
// that name it.
func (a *audit) verifyPayout(r *PayoutRecord, held Amount) {
	name := named("payout", r.ID)
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I38", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	if r.live() && held != r.Amount {
		a.breach("I42", name, "it is %v, its commissions add up to %v", r.Amount, held)
	}
	if r.Amount.Sign() <= 0 {
		a.breach("I68", name, "it is %v", r.Amount)
	}
	listed(a, name, "status", r.Status, payoutStatuses...)
	if paid := r.Status == PayoutPaid; paid == r.PaidAt.IsZero() {
		a.breach("I42", name, "it is %s, paid at %v", r.Status, r.PaidAt)
	}
	if r.live() != r.CanceledAt.IsZero() {
		a.breach("I42", name, "it is %s, canceled at %v", r.Status, r.CanceledAt)
	}
	a.instants("payout", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyListed checks the list of a payout, and notes it with the commissions. A
// canceled payout is the sum of its list as long as all of it is there.
func (a *audit) verifyListed(r *PayoutRecord, entries map[int64]*paidEntry) {
	name := named("payout", r.ID)
	for _, item := range r.Items {
		if e := entries[item.Commission]; e != nil && e.sale != item.Sale {
			a.breach("I38", name, "commission %d is of sale %d, not of %d", item.Commission, e.sale, item.Sale)
		}
	}
	sum, whole := Amount{}, true
	for _, n := range r.commissions() {
		e := entries[n]
		if r.live() && (e == nil || e.PayoutID != r.ID) {
			a.breach("I38", name, "commission %d is gone, or in another payout", n)
		}
		if whole = whole && e != nil; e == nil {
			continue
		}
		e.ever = true
		if r.live() {
			e.live++
		}
		sum, _ = sum.Add(e.Earned) // an overflow is another sum
	}
	if !r.live() && whole && sum != r.Amount {
		a.breach("I38", name, "it was %v, its commissions add up to %v", r.Amount, sum)
	}
}
