package engine

import (
	"cmp"
	"slices"
	"time"

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
		refusal.NotCleared("atPeriodEnd", up.AtPeriodEnd),
		refusal.NotCleared("conditionType", up.ConditionType),
	)
}

func tierUpdateMerged(up affiliate.TierUpdate, rec record.Tier) record.Tier {
	rec.Tier = up.Tier.Or(rec.Tier)
	rec.Name = up.Name.Or(rec.Name)
	refusal.SetText(&rec.Emoji, up.Emoji)
	rec.MinReferrals = up.MinReferrals.Or(rec.MinReferrals)
	rec.MinRevenue = up.MinRevenue.Or(rec.MinRevenue)
	if !up.Per.IsZero() {
		if rec.Per = up.Per.Or(""); rec.Per == "" {
			rec.Grace, rec.AtEnd = 0, false
		}
	}
	if !up.GracePeriods.IsZero() {
		rec.Grace = up.GracePeriods.Or(0)
	}
	rec.AtEnd = up.AtPeriodEnd.Or(rec.AtEnd)
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
		refusal.OneOfOrNone("per", r.Per, Intervals),
		refusal.FieldNotAtLeastZero.About("gracePeriods").When(r.Grace < 0),
		refusal.FieldTooLarge.About("gracePeriods").When(r.Grace > refusal.MaxGrace),
		refusal.FieldNotAllowed.About("gracePeriods").When(r.Per == "" && r.Grace > 0),
		refusal.FieldNotAllowed.About("atPeriodEnd").When(r.Per == "" && r.AtEnd),
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
	tier, err := o.highestMet(tiers, rec.ID)
	if err != nil {
		return false, refusal.Internal("read what tiers ask for", err)
	}
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

// highestMet returns the first tier whose minimums an affiliate meets; zero: none.
func (o *Op) highestMet(tiers []record.Tier, id uuid.UUID) (uuid.UUID, error) {
	ever, err := o.Totals(id)
	if err != nil {
		return uuid.Nil, err
	}
	periods := map[affiliate.Interval][]record.Totals{"": {ever}}
	for i := range tiers {
		t := &tiers[i]
		all, known := periods[t.Per]
		if !known {
			if all, err = o.byPeriod(t.Per, longestGrace(tiers, t.Per)+2, id); err != nil {
				return uuid.Nil, err
			}
			periods[t.Per] = all
		}
		if t.Per != "" {
			if all = all[:t.Grace+2]; t.AtEnd {
				all = all[1:]
			}
		}
		if slices.ContainsFunc(all, func(in record.Totals) bool { return metBy(t, &in) }) {
			return t.ID, nil
		}
	}
	return uuid.Nil, nil
}

// longestGrace returns the longest grace of the tiers of an interval.
func longestGrace(tiers []record.Tier, per affiliate.Interval) (longest int64) {
	for i := range tiers {
		if tiers[i].Per == per {
			longest = max(longest, tiers[i].Grace)
		}
	}
	return longest
}

// byPeriod returns what an affiliate did in the present period, and in those before it, the latest first: the
// referrals that came, and the revenue less the refunds that were booked.
func (o *Op) byPeriod(per affiliate.Interval, periods int64, id uuid.UUID) ([]record.Totals, error) {
	all, begins := make([]record.Totals, periods), make([]affiliate.Instant, periods)
	for i := range begins {
		if begins[i] = o.periodWith(per, o.Now); i > 0 {
			begins[i] = o.periodWith(per, begins[i-1].Add(-time.Millisecond))
		}
	}
	in := func(at affiliate.Instant) *record.Totals {
		i := slices.IndexFunc(begins, func(begin affiliate.Instant) bool { return !at.Before(begin) })
		return &all[i]
	}
	oldest, key := begins[periods-1], record.Key{Index: record.OfAffiliate, ID: id}
	for r, err := range o.Tx.Movements.List(record.Query{Key: key, After: FirstMovement(oldest)}) {
		if err != nil {
			return nil, err
		}
		if r.At.Before(oldest) || r.Cause.Is(affiliate.CauseOpening) {
			continue
		}
		if err := AddTally(in(r.At), Tally{Revenue: r.Revenue}); err != nil {
			return nil, err
		}
		if err := AddTally(in(r.At), Tally{Revenue: r.Refunds.Neg()}); err != nil {
			return nil, err
		}
	}
	for r, err := range o.Tx.Referrals.List(record.Query{Key: key, Desc: true}) {
		switch {
		case err != nil:
			return nil, err
		case o.Before(r.CreatedAt, oldest):
			return all, nil
		case !r.CreatedAt.Before(oldest):
			in(r.CreatedAt).Referrals++
		}
	}
	return all, nil
}

// metBy reports whether totals meet the tier's minimums.
func metBy(r *record.Tier, t *record.Totals) bool {
	referrals, revenue := t.Referrals >= r.MinReferrals, t.Revenue.Cmp(r.MinRevenue) >= 0
	if r.Condition == affiliate.ConditionSome {
		return referrals || revenue
	}
	return referrals && revenue
}
