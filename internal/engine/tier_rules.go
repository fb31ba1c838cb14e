package engine

import (
	"cmp"
	"slices"

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
