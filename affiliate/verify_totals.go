package affiliate

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// verifyTotals recounts the totals of links, affiliates and referrals, and
// compares them with the running totals.
func (a *audit) verifyTotals() {
	c := recount{}
	for r := range a.clicks.records() {
		c.add(tally{clicks: 1}, r.AffiliateID, r.LinkID, r.ReferralID)
	}
	for r := range a.affiliates.records() {
		c.add(tally{clicks: r.OpeningClicks}, r.ID)
	}
	for r := range a.links.records() {
		c.add(tally{clicks: r.OpeningClicks}, r.ID)
	}
	for r := range a.referrals.records() {
		c.add(tally{referrals: 1}, r.AffiliateID, r.LinkID)
	}
	for r := range a.sales.records() {
		t, err := r.tally()
		if err == nil {
			err = c.add(t, r.AffiliateID, r.LinkID, r.ReferralID)
		}
		if err != nil {
			a.breach("I44", numbered("sale", r.Number), "the totals have no room for it")
		}
	}
	for r := range a.totals.records() {
		if !a.affiliates.has(r.ID) && !a.links.has(r.ID) && !a.referrals.has(r.ID) {
			a.breach("I31", named("totals", r.ID), "they have no owner")
			delete(c, r.ID)
			continue
		}
		want := c.of(r.ID).with(r.PrunedClicks)
		want.Books = r.Books // verifyMovements checks them
		if *r != want || r.PrunedClicks < 0 {
			a.breach("I31", named("totals", r.ID), "they say %s, a recount %s", r.figures(), want.figures())
		}
		delete(c, r.ID)
	}
	a.verifyUncounted(c)
}

// verifyUncounted reports counts for which there is no totals record. A
// reference to an owner that is gone is a breach of its own already.
func (a *audit) verifyUncounted(c recount) {
	for _, owners := range [][]uuid.UUID{ids(&a.affiliates), ids(&a.links), ids(&a.referrals)} {
		for _, id := range owners {
			if want := c.of(id); want != (TotalsRecord{ID: id}) {
				a.breach("I31", named("totals", id), "they are missing, a recount says %s", want.figures())
			}
		}
	}
}

func ids[R Record[R]](s *collection[R]) []uuid.UUID {
	list := make([]uuid.UUID, 0, s.n)
	for r := range s.records() {
		list = append(list, (*r).RecordID())
	}
	return list
}

// A recount is totals by owner.
type recount map[uuid.UUID]*TotalsRecord

// add counts t for each owner that there is.
func (c recount) add(t tally, owners ...uuid.UUID) error {
	for i, id := range owners {
		if id == uuid.Nil || slices.Contains(owners[:i], id) {
			continue
		}
		if c[id] == nil {
			c[id] = &TotalsRecord{ID: id}
		}
		if err := c[id].add(t); err != nil {
			return err
		}
	}
	return nil
}

// of is the totals of an owner, zero when nothing was counted.
func (c recount) of(id uuid.UUID) TotalsRecord {
	if rec := c[id]; rec != nil {
		return *rec
	}
	return TotalsRecord{ID: id}
}

// with is a recount that also has clicks whose records are gone.
func (r TotalsRecord) with(pruned int64) TotalsRecord {
	r.Clicks += pruned
	r.PrunedClicks = pruned
	return r
}

// figures shows totals in a breach.
func (r TotalsRecord) figures() string {
	return fmt.Sprintf("%d clicks (%d pruned), %d referrals, %d sales (%d free), revenue %v, commission %v",
		r.Clicks, r.PrunedClicks, r.Referrals, r.Sales, r.Free, r.Revenue, r.Commission)
}
