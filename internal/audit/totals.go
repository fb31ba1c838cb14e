package audit

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyTotals recounts the totals of links, affiliates and referrals, and
// compares them with the running totals.
func (a *audit) verifyTotals() {
	c := recount{a: a, of: map[uuid.UUID]*record.Totals{}}
	for r := range a.clicks.records() {
		c.add(func(t *record.Totals) { t.Clicks++ }, r.AffiliateID, r.LinkID, r.ReferralID)
	}
	for r := range a.affiliates.records() {
		c.add(func(t *record.Totals) { t.Clicks += r.OpeningClicks }, r.ID)
	}
	for r := range a.links.records() {
		c.add(func(t *record.Totals) { t.Clicks += r.OpeningClicks }, r.ID)
	}
	for r := range a.referrals.records() {
		c.add(func(t *record.Totals) { t.Referrals++ }, r.AffiliateID, r.LinkID)
	}
	for r := range a.sales.records() {
		if err := c.addSale(r); err != nil {
			a.breach("I44", numbered("sale", r.Number), "the totals have no room for it")
		}
	}
	for r := range a.totals.records() {
		if !a.mine(r.ID) {
			continue
		}
		if !a.affiliates.has(r.ID) && !a.links.has(r.ID) && !a.referrals.has(r.ID) {
			a.breach("I31", named("totals", r.ID), "they have no owner")
			delete(c.of, r.ID)
			continue
		}
		want := c.total(r.ID)
		want.Clicks, want.PrunedClicks = want.Clicks+r.PrunedClicks, r.PrunedClicks // their records are gone
		want.Books = r.Books                                                        // verifyMovements checks them
		if *r != want || r.PrunedClicks < 0 {
			a.breach("I31", named("totals", r.ID), "they say %s, a recount %s", totalsFigures(*r), totalsFigures(want))
		}
		delete(c.of, r.ID)
	}
	a.verifyUncounted(c)
	a.verifyBudgets()
}

// verifyUncounted reports counts without a totals record. A reference to a
// deleted owner is reported elsewhere.
func (a *audit) verifyUncounted(c recount) {
	uncounted(c, &a.affiliates)
	uncounted(c, &a.links)
	uncounted(c, &a.referrals)
}

func uncounted[R record.Record[R]](c recount, s *collection[R]) {
	for r := range s.records() {
		id := (*r).RecordID()
		if want := c.total(id); want != (record.Totals{ID: id}) {
			c.a.breach("I31", named("totals", id), "they are missing, a recount says %s", totalsFigures(want))
		}
	}
}

// A recount is the totals of the owners that were picked.
type recount struct {
	a  *audit
	of map[uuid.UUID]*record.Totals
}

// add counts something for each of the owners, once; zero is none.
func (c recount) add(count func(*record.Totals), owners ...uuid.UUID) {
	for i, id := range owners {
		if id == uuid.Nil || slices.Contains(owners[:i], id) || !c.a.mine(id) {
			continue
		}
		if c.of[id] == nil {
			c.of[id] = &record.Totals{ID: id}
		}
		count(c.of[id])
	}
}

// addSale counts a sale, unless it was refunded in full.
func (c recount) addSale(r *record.Sale) error {
	if r.Status.Is(affiliate.SaleRefunded) {
		return nil
	}
	revenue, err := r.TotalEarned.Sub(r.Refunded)
	var commission affiliate.Amount
	for i := range r.Commissions {
		if e := &r.Commissions[i]; err == nil && !e.Approval.Is(affiliate.ApprovalDeclined) {
			commission, err = commission.Add(e.Earned)
		}
	}
	c.add(func(t *record.Totals) {
		if r.Conversion != "" {
			t.Conversions++
		} else if t.Sales++; r.Free || r.Past {
			t.Free++
		}
		if err == nil {
			t.Revenue, err = t.Revenue.Add(revenue)
		}
		if err == nil {
			t.Commission, err = t.Commission.Add(commission)
		}
	}, r.AffiliateID, r.LinkID, r.ReferralID)
	return err
}

// total returns what was counted for an owner, zero when nothing was.
func (c recount) total(id uuid.UUID) record.Totals {
	if rec := c.of[id]; rec != nil {
		return *rec
	}
	return record.Totals{ID: id}
}

// totalsFigures shows totals in a breach.
func totalsFigures(r record.Totals) string {
	return fmt.Sprintf("%d clicks (%d pruned), %d referrals, %d sales (%d free), %d conversions, revenue %v, commission %v",
		r.Clicks, r.PrunedClicks, r.Referrals, r.Sales, r.Free, r.Conversions, r.Revenue, r.Commission)
}

// The totals that are recounted.
const (
	ofClicks int64 = iota
	ofReferrals
	ofSales
	ofFree
	ofRevenue
	ofCommission
	ofConversions
)

// total adds something to a total of each of the owners, once; zero is none.
func (a *audit) total(of, n int64, owners ...uuid.UUID) {
	for i, id := range owners {
		if id != uuid.Nil && !contains(owners[:i], id) {
			k := a.key(id)
			a.add(inTotals, k, k.num(isTotal).num(of), n)
		}
	}
}

func contains(ids []uuid.UUID, id uuid.UUID) bool {
	for i := range ids {
		if ids[i] == id {
			return true
		}
	}
	return false
}

func (a *audit) siftTotals(r *record.Totals) {
	k, b := a.key(r.ID), &r.Books
	if a.here(k) && !a.knows(k, k.num(a.affiliates.kind)) && !a.knows(k, k.num(a.links.kind)) &&
		!a.knows(k, k.num(a.referrals.kind)) || r.PrunedClicks < 0 {
		a.pick(inTotals, k)
	}
	a.total(ofClicks, r.PrunedClicks, r.ID)
	for of, n := range [...]int64{r.Clicks, r.Referrals, r.Sales, r.Free, r.Revenue.Scaled(),
		r.Commission.Scaled(), r.Conversions} {
		a.add(inTotals, k, k.num(isTotal).num(int64(of)), -n)
	}
	a.add(inMovements, k, trailOf(k, 0, &record.Books{}), 1)
	a.add(inMovements, k, trailOf(k, b.Number, b), -1)
	if a.here(k) {
		last := a.value(k.num(isLast))
		if last == nil && !b.LastAt.IsZero() || last != nil && b.LastAt.Time().UnixMicro() != *last {
			a.pick(inMovements, k)
		}
	}
	if b.Opened.IsZero() {
		return
	}
	for name, amount := range accountsOf(b) {
		a.account(r.ID, name, amount.Neg())
	}
	a.add(inMovements, k, k.num(isCounted).num(ofRevenue), -r.Revenue.Scaled())
	a.add(inMovements, k, k.num(isCounted).num(ofCommission), -r.Commission.Scaled())
}

func accountsOf(b *record.Books) func(func(affiliate.Account, affiliate.Amount) bool) {
	return func(yield func(affiliate.Account, affiliate.Amount) bool) {
		for _, name := range allAccounts {
			if of := engine.AccountOf(b, name); of != nil && !yield(name, *of) {
				return
			}
		}
	}
}
