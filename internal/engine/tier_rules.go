package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

func tierUpdateCheck(up affiliate.TierUpdate) error {
	return refusal.First(
		refusal.NotCleared("tier", up.Tier),
		refusal.NotCleared("name", up.Name),
		refusal.Given("name", up.Name, refusal.MaxName),
		refusal.Given("emoji", up.Emoji, refusal.MaxName),
		refusal.NotCleared("minReferrals", up.MinReferrals),
		refusal.NotCleared("minRevenue", up.MinRevenue),
		refusal.NotCleared("conditionType", up.ConditionType),
	)
}

func tierUpdateMerged(up affiliate.TierUpdate, rec record.Tier) record.Tier {
	rec.Tier = up.Tier.Or(rec.Tier)
	rec.Name = up.Name.Or(rec.Name)
	refusal.SetText(&rec.Emoji, up.Emoji)
	rec.MinReferrals = up.MinReferrals.Or(rec.MinReferrals)
	rec.MinRevenue = up.MinRevenue.Or(rec.MinRevenue)
	rec.Condition = up.ConditionType.Or(rec.Condition)
	if !up.Rate.IsZero() {
		rec.Rate, rec.RateType = up.Rate, ""
	}
	return rec
}

// normalizeTier validates a tier and fills in its defaults.
func (p *Program) normalizeTier(r *record.Tier) error {
	if r.Condition == "" {
		r.Condition = affiliate.ConditionAll
	}
	r.Rate, r.Name = refusal.UnlessNull(r.Rate), plaintext.Trim(r.Name)
	err := refusal.First(
		refusal.FieldNotAtLeastOne.About("tier").When(r.Tier < 1),
		refusal.Required("name", r.Name, refusal.NameRequired, refusal.MaxName),
		refusal.Optional("emoji", r.Emoji, refusal.MaxName),
		refusal.FieldNotAtLeastZero.About("minReferrals").When(r.MinReferrals < 0),
		refusal.FieldNotAtLeastZero.About("minRevenue").When(r.MinRevenue.Sign() < 0),
		refusal.OneOf("conditionType", r.Condition, []affiliate.ConditionType{affiliate.ConditionAll, affiliate.ConditionSome}),
	)
	rate, ok := r.Rate.Get()
	if !ok || r.RateType != "" || err != nil {
		return err
	}
	r.RateType = p.Cfg.Terms.Type
	return CheckRate(rate, r.RateType)
}
