package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// A paidEntry is a commission or an adjustment with the payouts that name it.
type paidEntry struct {
	name      string
	affiliate uuid.UUID
	amount    affiliate.Amount
	payout    uuid.UUID
	frozen    bool
	sale      int64
	live      int  // live payouts that list it
	ever      bool // some payout lists it
}

// An entryKey names a commission by its number, or an adjustment by its id.
type entryKey struct {
	number int64
	id     uuid.UUID
}

// key returns the key of what the payout holds for the item.
func key(i *affiliate.PayoutItem) entryKey {
	if i.Adjustment != uuid.Nil {
		return entryKey{id: i.Adjustment}
	}
	return entryKey{number: i.Commission}
}

// verifyPayouts compares payouts with the entries that name them.
func (a *audit) verifyPayouts() {
	entries := a.entries()
	sums := map[uuid.UUID]affiliate.Amount{}
	for _, e := range entries {
		if e.payout == uuid.Nil {
			continue
		}
		payout := a.payouts.get(e.payout)
		if payout == nil {
			a.breach("I42", e.name, "its payout %s does not exist", e.payout)
			continue
		}
		sum, err := sums[payout.ID].Add(e.amount)
		if err != nil || payout.AffiliateID != e.affiliate || !engine.IsLive(payout) {
			a.breach("I42", e.name, "it does not fit into its payout %s", payout.ID)
		}
		sums[payout.ID] = sum
	}
	for r := range a.payouts.records() {
		a.verifyPayout(r, sums[r.ID])
		a.verifyListed(r, entries)
	}
	for _, e := range entries {
		if e.payout != uuid.Nil && a.payouts.has(e.payout) && e.live != 1 {
			a.breach("I42", e.name, "payout %s lists it %d times", e.payout, e.live)
		}
		if e.frozen != e.ever && e.payout == uuid.Nil {
			a.breach("I67", e.name, "frozen: %v, in the list of a payout: %v", e.frozen, e.ever)
		}
	}
}

// entries returns the commissions of all sales, and the adjustments.
func (a *audit) entries() map[entryKey]*paidEntry {
	entries := map[entryKey]*paidEntry{}
	for r := range a.sales.records() {
		for i := range r.Commissions {
			c := &r.Commissions[i]
			name, key := numbered("commission", c.Number), entryKey{number: c.Number}
			if entries[key] != nil {
				a.breach("I53", name, "its number is not unique")
				continue
			}
			entries[key] = &paidEntry{
				name: name, affiliate: c.AffiliateID, amount: c.Earned, payout: c.PayoutID, frozen: engine.CommissionFrozen(c), sale: r.Number,
			}
		}
	}
	for r := range a.adjusted.records() {
		entries[entryKey{id: r.ID}] = &paidEntry{
			name: named("adjustment", r.ID), affiliate: r.AffiliateID, amount: r.Amount, payout: r.PayoutID, sale: r.Sale,
		}
	}
	return entries
}

// verifyPayout checks a payout by itself; held is the sum of the entries that
// name it.
func (a *audit) verifyPayout(r *record.Payout, held affiliate.Amount) {
	name := named("payout", r.ID)
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I38", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	if engine.IsLive(r) && held != r.Amount {
		a.breach("I42", name, "it is %v, its entries add up to %v", r.Amount, held)
	}
	if r.Amount.Sign() <= 0 {
		a.breach("I68", name, "it is %v", r.Amount)
	}
	listed(a, name, "status", r.Status, payoutStatuses...)
	if paid := r.Status == affiliate.PayoutPaid || r.Status == affiliate.PayoutReturned; paid == r.PaidAt.IsZero() {
		a.breach("I42", name, "it is %s, paid at %v", r.Status, r.PaidAt)
	}
	if canceled := r.Status == affiliate.PayoutCanceled; canceled == r.CanceledAt.IsZero() {
		a.breach("I42", name, "it is %s, canceled at %v", r.Status, r.CanceledAt)
	}
	if back := r.Status == affiliate.PayoutReturned; back == r.ReturnedAt.IsZero() || !back && r.ReturnedReason != "" || back && r.ReturnedAt.Before(r.PaidAt) {
		a.breach("I42", name, "it is %s, paid at %v, returned at %v", r.Status, r.PaidAt, r.ReturnedAt)
	}
	a.instants("payout", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyListed checks the list of a payout, and adds it to the entries. A
// canceled or returned payout equals the sum of its list as long as all of the
// list exists.
func (a *audit) verifyListed(r *record.Payout, entries map[entryKey]*paidEntry) {
	name := named("payout", r.ID)
	sum, whole := affiliate.Amount{}, true
	for _, item := range list(r) {
		e := entries[key(&item)]
		if engine.IsLive(r) && (e == nil || e.payout != r.ID) {
			a.breach("I38", name, "%v is gone, or in another payout", item)
		}
		if whole = whole && e != nil; e == nil {
			continue
		}
		if len(r.Items) > 0 && item.Commission != 0 && e.sale != item.Sale {
			a.breach("I38", name, "commission %d is of sale %d, not of %d", item.Commission, e.sale, item.Sale)
		}
		e.ever = true
		if item.Adjustment != uuid.Nil {
			e.frozen = true // it never changes, so it does not say so
		}
		if engine.IsLive(r) {
			e.live++
		}
		sum, _ = sum.Add(e.amount) // an overflow is another sum
	}
	if !engine.IsLive(r) && whole && sum != r.Amount {
		a.breach("I38", name, "it was %v, its entries add up to %v", r.Amount, sum)
	}
}

// list returns what the payout took, also of a record older than Items.
func list(r *record.Payout) []affiliate.PayoutItem {
	if len(r.Items) > 0 {
		return r.Items
	}
	list := make([]affiliate.PayoutItem, len(r.Commissions))
	for i, n := range r.Commissions {
		list[i].Commission = n
	}
	return list
}
