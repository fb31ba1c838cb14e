package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payout"
)

// A paidEntry is a commission or an adjustment with the payouts that name it.
type paidEntry struct {
	name      object
	affiliate uuid.UUID
	amount    affiliate.Amount
	payout    uuid.UUID
	frozen    bool
	sale      int64
	mine      bool // it was picked itself, not only its payout
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

// pickEntries picks what the picked payouts list, and the payouts of the picked entries: an
// entry that two payouts want, or that is there twice, concerns all of them.
func (a *audit) pickEntries() {
	chosen := func(k print) bool { return a.chosen[inPayouts][a.bucket(k)] }
	for r := range a.payouts.walk() {
		if chosen(a.key(r.ID)) {
			for _, item := range list(r) {
				a.pick(inPayouts, a.keyOf(key(&item)))
			}
		}
	}
	for r := range a.sales.walk() {
		for i := range r.Commissions {
			if c := &r.Commissions[i]; chosen(a.keyOf(entryKey{number: c.Number})) {
				a.pick(inPayouts, a.key(c.PayoutID))
			}
		}
	}
	for r := range a.adjusted.walk() {
		if chosen(a.keyOf(entryKey{id: r.ID})) {
			a.pick(inPayouts, a.key(r.PayoutID))
		}
	}
}

// verifyPayouts compares payouts with the entries that name them.
func (a *audit) verifyPayouts() {
	entries := a.entries()
	sums := map[uuid.UUID]affiliate.Amount{}
	for _, e := range entries {
		if e.payout == uuid.Nil || !a.mine(e.payout) {
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
		a.verifyListed(r, entries, a.mine(r.ID))
	}
	for _, e := range entries {
		if e.payout != uuid.Nil && a.mine(e.payout) && a.payouts.has(e.payout) && e.live != 1 {
			a.breach("I42", e.name, "payout %s lists it %d times", e.payout, e.live)
		}
		if e.frozen != e.ever && e.payout == uuid.Nil && e.mine {
			a.breach("I67", e.name, "frozen: %v, in the list of a payout: %v", e.frozen, e.ever)
		}
	}
}

// keyOf returns the print of the key of an entry.
func (a *audit) keyOf(k entryKey) print { return a.seed.num(isEntry).num(k.number).id(k.id) }

// entries returns the commissions of all sales, and the adjustments, that were picked, or
// are in a payout that was picked.
func (a *audit) entries() map[entryKey]*paidEntry {
	entries, wanted := map[entryKey]*paidEntry{}, map[entryKey]bool{}
	for r := range a.payouts.records() {
		if a.mine(r.ID) {
			for _, item := range list(r) {
				wanted[key(&item)] = true
			}
		}
	}
	for r := range a.sales.records() {
		for i := range r.Commissions {
			if c := &r.Commissions[i]; c.PayoutID != uuid.Nil && a.mine(c.PayoutID) {
				wanted[entryKey{number: c.Number}] = true
			}
		}
	}
	enter := func(k entryKey, e paidEntry) {
		e.mine = a.picks(a.keyOf(k))
		switch {
		case !e.mine && !wanted[k] && !a.mine(e.payout):
		case entries[k] == nil:
			entries[k] = &e
		case e.mine:
			a.breach("I53", e.name, "its number is not unique")
		}
	}
	for r := range a.sales.records() {
		for i := range r.Commissions {
			c := &r.Commissions[i]
			enter(entryKey{number: c.Number}, paidEntry{
				name: numbered("commission", c.Number), affiliate: c.AffiliateID, amount: c.Earned,
				payout: c.PayoutID, frozen: engine.CommissionFrozen(c), sale: r.Number,
			})
		}
	}
	for r := range a.adjusted.records() {
		enter(entryKey{id: r.ID}, paidEntry{
			name: named("adjustment", r.ID), affiliate: r.AffiliateID, amount: r.Amount,
			payout: r.PayoutID, sale: r.Sale,
		})
	}
	return entries
}

// verifyPayout checks a payout by itself; held is the sum of the entries that
// name it.
func (a *audit) verifyPayout(r *record.Payout, held affiliate.Amount) {
	name := named("payout", r.ID)
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I38", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	if !a.own(r.ID) {
		return
	}
	if !a.sifting && engine.IsLive(r) && held != r.Amount {
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

// verifyListed checks the list of a payout that was picked, and adds any to the entries. A
// canceled or returned payout equals the sum of its list as long as all of the
// list exists.
func (a *audit) verifyListed(r *record.Payout, entries map[entryKey]*paidEntry, picked bool) {
	name := named("payout", r.ID)
	sum, whole := affiliate.Amount{}, true
	for _, item := range list(r) {
		e := entries[key(&item)]
		if picked && engine.IsLive(r) && (e == nil || e.payout != r.ID) {
			a.breach("I38", name, "%v is gone, or in another payout", item)
		}
		if whole = whole && e != nil; e == nil {
			continue
		}
		if picked && len(r.Items) > 0 && item.Commission != 0 && e.sale != item.Sale {
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
	if picked && !engine.IsLive(r) && whole && sum != r.Amount {
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

func (a *audit) siftPayout(r *record.Payout) {
	k := a.key(r.ID)
	a.about(inPayouts, k)
	a.verifyPayout(r, affiliate.Amount{})
	a.siftImported(r.ID, record.ImportedAsPayout)
	if live := engine.IsLive(r); live {
		a.add(inPayouts, k, k.num(isHeld), -r.Amount.Scaled())
		for _, item := range list(r) {
			a.add(inPayouts, k, a.itemOf(k, key(&item), r.AffiliateID, item.Sale), -1)
		}
	} else {
		a.pick(inPayouts, k) // few are not; what they list may be in another one
		for _, item := range list(r) {
			a.pick(inPayouts, a.keyOf(key(&item)))
		}
	}
	if r.RunID != uuid.Nil {
		a.add(inRuns, k, k.num(isLine).id(r.RunID).id(r.AffiliateID).num(r.Amount.Scaled()), -1)
	}
	switch r.Status {
	case affiliate.PayoutPaid:
		a.account(r.AffiliateID, affiliate.AccountPaid, r.Amount)
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
	default:
		a.account(r.AffiliateID, affiliate.AccountInPayout, r.Amount)
	}
	if a.knows(k, k.num(isBrought)) {
		return
	}
	for cause, n := range stepsOf(r) {
		a.add(inMovements, k, k.num(isStep).text(string(cause)).num(r.Amount.Scaled()).id(r.AffiliateID), -int64(n))
	}
}

// itemOf is the print of an entry in a payout.
func (a *audit) itemOf(k print, e entryKey, owner uuid.UUID, sale int64) print {
	if e.id != uuid.Nil {
		sale = 0
	}
	return k.num(isItem).num(e.number).id(e.id).id(owner).num(sale)
}

// entry adds a commission or an adjustment of a payout.
func (a *audit) entry(payout uuid.UUID, e entryKey, owner uuid.UUID, sale int64, amount affiliate.Amount) {
	k := a.key(payout)
	a.add(inPayouts, k, k.num(isHeld), amount.Scaled())
	a.add(inPayouts, k, a.itemOf(k, e, owner, sale), 1)
}

// verifyRuns checks payout runs against their lines, and lines against their
// payouts.
func (a *audit) verifyRuns() {
	unique(a, "I43", "payout run", &a.runs, record.ByExternalID)
	unique(a, "I69", "payout line", &a.lines, record.ByLine)
	sums, of := map[uuid.UUID]affiliate.RunCounts{}, map[uuid.UUID]bool{}
	for r := range a.lines.records() {
		if a.mine(r.RunID) {
			sum := sums[r.RunID]
			if err := payout.AddLine(&sum, r); err != nil || sum != r.SoFar {
				a.breach("I69", named("payout line", r.ID), "the lines so far are %+v, it says %+v", sum, r.SoFar)
			}
			sums[r.RunID] = sum
		}
		if a.mine(r.PayoutID) {
			of[r.PayoutID] = true
		}
		a.verifyLine(r)
	}
	for r := range a.runs.records() {
		if a.mine(r.ID) {
			a.verifyRun(r, sums[r.ID])
		}
	}
	for r := range a.payouts.records() {
		if r.RunID != uuid.Nil && a.mine(r.ID) && !of[r.ID] {
			a.breach("I69", named("payout", r.ID), "no line of run %s names it", r.RunID)
		}
	}
}

// verifyLine checks a line by itself and against its payout. A canceled payout
// is deleted with its affiliate, and the line stays.
func (a *audit) verifyLine(r *record.Line) {
	name, own := named("payout line", r.ID), a.own(r.RunID)
	if a.runs.lacks(r.RunID) {
		a.breach("I69", name, "its run %s does not exist", r.RunID)
	}
	if paid := r.PayoutID != uuid.Nil; own && paid == (r.Skipped != "") {
		a.breach("I69", name, "payout %s, skipped %q", r.PayoutID, r.Skipped)
	}
	if r.Skipped != "" && own {
		listed(a, name, "skipped", r.Skipped, skipReasons...)
	}
	if r.Skipped != "" || a.sifting || !a.mine(r.PayoutID) {
		return
	}
	payout := a.payouts.get(r.PayoutID)
	switch {
	case payout == nil && a.affiliates.see(r.AffiliateID) != nil:
		a.breach("I69", name, "its payout %s does not exist", r.PayoutID)
	case payout != nil &&
		(payout.RunID != r.RunID || payout.AffiliateID != a.heir(r.AffiliateID) ||
			payout.Amount != r.Amount):
		a.breach("I69", name, "%v, its payout %s is %v of another run or affiliate", r.Amount,
			r.PayoutID, payout.Amount)
	}
}

// verifyRun checks a run against the counts of its lines.
func (a *audit) verifyRun(r *record.Run, lines affiliate.RunCounts) {
	name := named("payout run", r.ID)
	a.titled(name, r.ExternalID)
	listed(a, name, "status", r.Status, affiliate.RunRunning, affiliate.RunDone)
	if done := r.Status == affiliate.RunDone; done == r.FinishedAt.IsZero() {
		a.breach("I69", name, "it is %s, finished at %v", r.Status, r.FinishedAt)
	} else if !a.sifting && done && r.Counts != lines {
		a.breach("I69", name, "its lines are %+v, it says %+v", lines, r.Counts)
	}
	if r.StartedAt.IsZero() || !r.FinishedAt.IsZero() && r.FinishedAt.Before(r.StartedAt) {
		a.breach("I54", name, "started %v, finished %v", r.StartedAt, r.FinishedAt)
	}
}

// siftRuns sifts payout runs and their lines.
func (a *audit) siftRuns() {
	soFar := func(k print, c affiliate.RunCounts) print {
		return k.num(isSoFar).num(c.Created).num(c.Skipped).num(c.Total.Scaled())
	}
	sift(a, &a.runs, func(r *record.Run) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.runs.kind))
		a.about(inRuns, k)
		a.verifyRun(r, affiliate.RunCounts{})
		siftKeys(a, inRuns, &a.runs, r)
		if r.Status == affiliate.RunDone {
			a.add(inRuns, k, soFar(k, affiliate.RunCounts{}), 1)
			a.add(inRuns, k, soFar(k, r.Counts), -1)
		} else {
			a.pick(inRuns, k)
		}
	})
	sift(a, &a.lines, func(r *record.Line) {
		k := a.key(r.RunID)
		a.about(inRuns, k)
		a.verifyLine(r)
		siftKeys(a, inRuns, &a.lines, r)
		before, err := r.SoFar, error(nil)
		if r.Skipped != "" {
			before.Skipped--
		} else {
			before.Created--
			before.Total, err = before.Total.Sub(r.Amount)
		}
		if a.here(k) {
			a.learn(k, k.num(isSoFar))
			n := a.value(k.num(isSoFar))
			if n == nil {
				return // full
			}
			if *n++; err != nil || *n != r.SoFar.Created+r.SoFar.Skipped {
				a.pick(inRuns, k)
			}
		}
		a.add(inRuns, k, soFar(k, r.SoFar), 1)
		a.add(inRuns, k, soFar(k, before), -1)
		if r.PayoutID != uuid.Nil || r.Skipped == "" {
			p := a.key(r.PayoutID)
			a.add(inRuns, p, p.num(isLine).id(r.RunID).id(r.AffiliateID).num(r.Amount.Scaled()), 1)
		}
	})
}
