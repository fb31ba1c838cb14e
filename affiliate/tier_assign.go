package affiliate

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
)

// AssignTiers puts every affiliate into the highest tier whose minimums it
// meets, and returns how many changed. The minimums are compared with its live
// referrals and the revenue of its live sales less refunds. An affiliate that
// does not meet its tier any more moves down, or to no tier. Exempt affiliates
// do not change. It walks all affiliates in one transaction, so run it as a
// job, not in a request; [AssignTiersJob] does it in steps.
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/rules.md 5.7; docs/contract.md 2.10.
func (p *Program) AssignTiers(ctx context.Context) (_ int, err error) {
	defer p.begin(&ctx, "AssignTiers", writes).end(&err)
	o := p.op(ctx)
	return write(o, request{name: "tier.assign"}, func() (int, error) {
		tiers, err := o.tiersFromTheTop()
		if err != nil {
			return 0, err
		}
		changed := 0
		for rec, err := range o.tx.Affiliates.List(Query{}) {
			if err != nil {
				return 0, internal("read affiliates", err)
			}
			moved, err := o.assignTier(tiers, rec)
			if err != nil {
				return 0, err
			}
			if moved {
				changed++
			}
		}
		return changed, nil
	})
}

// assignTier puts an affiliate into its tier, and reports whether that changed.
func (o *op) assignTier(tiers []TierRecord, rec AffiliateRecord) (bool, error) {
	if rec.TierExempt {
		return false, nil
	}
	totals, err := o.totals(rec.ID)
	if err != nil {
		return false, internal("read totals", err)
	}
	tier := highestMet(tiers, totals)
	if tier == rec.TierID {
		return false, nil
	}
	old := rec
	rec.TierID = tier
	_, err = o.saveAffiliate(old, rec)
	return err == nil, err
}

// tiersFromTheTop lists the tiers by rank, highest first. Tiers of the same
// rank are listed newest first.
func (o *op) tiersFromTheTop() ([]TierRecord, error) {
	tiers, err := gather(o.tx.Tiers, Query{Desc: true})
	if err != nil {
		return nil, internal("read tiers", err)
	}
	slices.SortStableFunc(tiers, func(a, b TierRecord) int { return cmp.Compare(b.Tier, a.Tier) })
	return tiers, nil
}

// highestMet is the first of the tiers whose minimums are met; zero: none.
func highestMet(tiers []TierRecord, t TotalsRecord) uuid.UUID {
	for i := range tiers {
		if tiers[i].metBy(t) {
			return tiers[i].ID
		}
	}
	return uuid.Nil
}

// metBy reports whether the totals meet the tier's minimums.
func (r TierRecord) metBy(t TotalsRecord) bool {
	referrals, revenue := t.Referrals >= r.MinReferrals, t.Revenue.Cmp(r.MinRevenue) >= 0
	if r.Condition == ConditionSome {
		return referrals || revenue
	}
	return referrals && revenue
}
