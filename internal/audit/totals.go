package audit

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// verifyTotals recounts the totals of links, affiliates and referrals, and
// compares them with the running totals.
func (a *audit) verifyTotals() {
	c := recount{}
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
		if !a.affiliates.has(r.ID) && !a.links.has(r.ID) && !a.referrals.has(r.ID) {
			a.breach("I31", named("totals", r.ID), "they have no owner")
			delete(c, r.ID)
			continue
		}
		want := c.total(r.ID)
		want.Clicks, want.PrunedClicks = want.Clicks+r.PrunedClicks, r.PrunedClicks // their records are gone
		want.Books = r.Books                                                        // verifyMovements checks them
		if *r != want || r.PrunedClicks < 0 {
			a.breach("I31", named("totals", r.ID), "they say %s, a recount %s", totalsFigures(*r), totalsFigures(want))
		}
		delete(c, r.ID)
	}
	a.verifyUncounted(c)
}

// verifyUncounted reports counts without a totals record. A reference to a
// deleted owner is reported elsewhere.
func (a *audit) verifyUncounted(c recount) {
	for _, owners := range [][]uuid.UUID{ids(&a.affiliates), ids(&a.links), ids(&a.referrals)} {
		for _, id := range owners {
			if want := c.total(id); want != (record.Totals{ID: id}) {
				a.breach("I31", named("totals", id), "they are missing, a recount says %s", totalsFigures(want))
			}
		}
	}
}

func ids[R record.Record[R]](s *collection[R]) []uuid.UUID {
	list := make([]uuid.UUID, 0, s.n)
	for r := range s.records() {
		list = append(list, (*r).RecordID())
	}
	return list
}

// A recount is totals by owner.
type recount map[uuid.UUID]*record.Totals

// add counts something for each of the owners, once; zero is none.
func (c recount) add(count func(*record.Totals), owners ...uuid.UUID) {
	for i, id := range owners {
		if id == uuid.Nil || slices.Contains(owners[:i], id) {
			continue
		}
		if c[id] == nil {
			c[id] = &record.Totals{ID: id}
		}
		count(c[id])
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
		if t.Sales++; r.Free || r.Past {
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
	if rec := c[id]; rec != nil {
		return *rec
	}
	return record.Totals{ID: id}
}

// totalsFigures shows totals in a breach.
func totalsFigures(r record.Totals) string {
	return fmt.Sprintf("%d clicks (%d pruned), %d referrals, %d sales (%d free), revenue %v, commission %v",
		r.Clicks, r.PrunedClicks, r.Referrals, r.Sales, r.Free, r.Revenue, r.Commission)
}
