package affiliate

import "github.com/tributary-go/tributary/internal/plaintext"

func (up TierUpdate) check() error {
	return first(
		notCleared("tier", up.Tier),
		notCleared("name", up.Name),
		given("name", up.Name, maxName),
		given("emoji", up.Emoji, maxName),
		notCleared("minReferrals", up.MinReferrals),
		notCleared("minRevenue", up.MinRevenue),
		notCleared("conditionType", up.ConditionType),
	)
}

func (up TierUpdate) merged(rec TierRecord) TierRecord {
	rec.Tier = up.Tier.Or(rec.Tier)
	rec.Name = up.Name.Or(rec.Name)
	setText(&rec.Emoji, up.Emoji)
	rec.MinReferrals = up.MinReferrals.Or(rec.MinReferrals)
	rec.MinRevenue = up.MinRevenue.Or(rec.MinRevenue)
	rec.Condition = up.ConditionType.Or(rec.Condition)
	if !up.Rate.IsZero() {
		rec.Rate, rec.RateType = up.Rate, ""
	}
	return rec
}

// normalizeTier validates a tier and fills in its defaults.
func (p *Program) normalizeTier(r *TierRecord) error {
	if r.Condition == "" {
		r.Condition = ConditionAll
	}
	r.Rate, r.Name = unlessNull(r.Rate), plaintext.Trim(r.Name)
	err := first(
		FieldNotAtLeastOne.about("tier").when(r.Tier < 1),
		required("name", r.Name, nameRequired, maxName),
		optional("emoji", r.Emoji, maxName),
		fieldNotAtLeastZero.about("minReferrals").when(r.MinReferrals < 0),
		fieldNotAtLeastZero.about("minRevenue").when(r.MinRevenue.Sign() < 0),
		oneOf("conditionType", r.Condition, []ConditionType{ConditionAll, ConditionSome}),
	)
	rate, ok := r.Rate.Get()
	if !ok || r.RateType != "" || err != nil {
		return err
	}
	r.RateType = p.cfg.Terms.Type
	return checkRate(rate, r.RateType)
}
