package engine

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// AssignTier puts an affiliate into its tier, and reports whether that changed.
func (o *Op) AssignTier(tiers []record.Tier, rec record.Affiliate) (bool, error) {
	if rec.TierExempt {
		return false, nil
	}
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return false, refusal.Internal("read totals", err)
	}
	tier := highestMet(tiers, totals)
	if tier == rec.TierID {
		return false, nil
	}
	old := rec
	rec.TierID = tier
	_, err = o.SaveAffiliate(old, rec)
	return err == nil, err
}

// TiersFromTheTop lists the tiers by rank, highest first. Tiers of the same
// rank are listed newest first.
func (o *Op) TiersFromTheTop() ([]record.Tier, error) {
	tiers, err := Gather(o.Tx.Tiers, record.Query{Desc: true})
	if err != nil {
		return nil, refusal.Internal("read tiers", err)
	}
	slices.SortStableFunc(tiers, func(a, b record.Tier) int { return cmp.Compare(b.Tier, a.Tier) })
	return tiers, nil
}

// highestMet returns the first tier whose minimums are met; zero: none.
func highestMet(tiers []record.Tier, t record.Totals) uuid.UUID {
	for i := range tiers {
		if metBy(tiers[i], t) {
			return tiers[i].ID
		}
	}
	return uuid.Nil
}

// metBy reports whether the totals meet the tier's minimums.
func metBy(r record.Tier, t record.Totals) bool {
	referrals, revenue := t.Referrals >= r.MinReferrals, t.Revenue.Cmp(r.MinRevenue) >= 0
	if r.Condition == affiliate.ConditionSome {
		return referrals || revenue
	}
	return referrals && revenue
}
