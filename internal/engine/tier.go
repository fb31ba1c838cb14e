package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// tierOf returns the tier as events show it.
func tierOf(rec record.Tier) affiliate.Tier {
	return affiliate.Tier{
		ID: rec.ID, Tier: rec.Tier, Name: rec.Name, Emoji: OrNull(rec.Emoji), MinReferrals: rec.MinReferrals,
		MinRevenue: rec.MinRevenue, ConditionType: rec.Condition, CommissionRate: refusal.NothingOrNull(rec.Rate),
	}
}

// tierAnswer returns the tier as it is answered by itself.
func tierAnswer(r record.Tier) affiliate.Tier {
	tier := tierOf(r)
	tier.CreatedAt, tier.UpdatedAt = affiliate.TimeOf(r.CreatedAt.Time()), affiliate.TimeOf(r.UpdatedAt.Time())
	return tier
}
