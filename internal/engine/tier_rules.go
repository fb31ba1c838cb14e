package engine

import (
	"github.com/google/uuid"

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
func normalizeTier(r *record.Tier) error {
	if r.Condition == "" {
		r.Condition = affiliate.ConditionAll
	}
	r.Rate, r.Name = refusal.UnlessNull(r.Rate), plaintext.Trim(r.Name)
	return refusal.First(
		refusal.FieldNotAtLeastOne.About("tier").When(r.Tier < 1),
		refusal.Required("name", r.Name, refusal.NameRequired, refusal.MaxName),
		refusal.Optional("emoji", r.Emoji, refusal.MaxName),
		refusal.FieldNotAtLeastZero.About("minReferrals").When(r.MinReferrals < 0),
		refusal.FieldNotAtLeastZero.About("minRevenue").When(r.MinRevenue.Sign() < 0),
		refusal.OneOf("conditionType", r.Condition, []affiliate.ConditionType{affiliate.ConditionAll, affiliate.ConditionSome}),
	)
}

// settleTierRate gives a new rate the type of the program's terms, and checks it.
func (o *Op) settleTierRate(r *record.Tier) error {
	rate, ok := r.Rate.Get()
	if !ok || r.RateType != "" {
		return nil
	}
	terms, err := o.TermsOf(uuid.Nil, refusal.PlanMissing)
	if err != nil {
		return err
	}
	r.RateType = terms.Type
	return CheckRate(rate, r.RateType)
}
