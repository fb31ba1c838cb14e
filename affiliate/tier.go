package affiliate

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
)

// A Tier is a rank that affiliates reach by their results.
//
// Source: docs/contract.md 2.10.
type Tier struct {
	ID             uuid.UUID     `json:"id"`
	Tier           int64         `json:"tier"` // rank, 1 lowest
	Name           string        `json:"name"`
	Emoji          Opt[string]   `json:"emoji"`
	MinReferrals   int64         `json:"minReferrals"` // live ones
	MinRevenue     Amount        `json:"minRevenue"`   // of what is kept of live sales
	ConditionType  ConditionType `json:"conditionType"`
	CommissionRate Opt[Percent]  `json:"commissionRate"` // of the program's commission type; null: none of its own
}

// NewTier is the input of [Program.CreateTier]. Tier and Name are required.
type NewTier struct {
	Tier          int64  // rank, 1 lowest; ranks need not be unique
	Name          string // 1–255 characters
	Emoji         string // empty: none
	MinReferrals  int64  // live referrals, ≥ 0
	MinRevenue    Amount // of what is kept of live sales, ≥ 0
	ConditionType ConditionType
	Rate          Opt[Percent] // not given: none of its own
}

// TierUpdate is the input of [Program.UpdateTier]; what is not given stays.
type TierUpdate struct {
	Tier          Opt[int64]         `json:",omitzero"`
	Name          Opt[string]        `json:",omitzero"`
	Emoji         Opt[string]        `json:",omitzero"` // null: none
	MinReferrals  Opt[int64]         `json:",omitzero"`
	MinRevenue    Opt[Amount]        `json:",omitzero"`
	ConditionType Opt[ConditionType] `json:",omitzero"`
	Rate          Opt[Percent]       `json:",omitzero"` // null: none of its own
}

// CreateTier adds a tier.
//
// A rate is one of the program's own commission type, since a tier has no plan:
// under a plan of the other type it is passed over.
//
// Errors: [MissingField] (name), [InvalidField] (tier, name, emoji,
// minReferrals, minRevenue, conditionType, commissionRate).
//
// Effects: the tier; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.10.
func (p *Program) CreateTier(ctx context.Context, in NewTier) (Tier, error) {
	rec := TierRecord{
		Tier: in.Tier, Name: in.Name, Emoji: in.Emoji, MinReferrals: in.MinReferrals, MinRevenue: in.MinRevenue,
		Condition: in.ConditionType, Rate: in.Rate,
	}
	rq := request{name: "tier.create", input: in, refused: p.checkTier(&rec)}
	o := p.op(ctx)
	return write(o, rq, func() (Tier, error) {
		rec := rec
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.newID(), o.now, o.now
		if err := o.tx.Tiers.Insert(rec); err != nil {
			return Tier{}, internal("write tier", err)
		}
		return tierOf(rec), nil
	})
}

// Tiers lists the tiers, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.10.
func (p *Program) Tiers(ctx context.Context, pg Page) (List[Tier], error) {
	l, err := p.listing(pg, "tiers", nil)
	if err != nil {
		return List[Tier]{}, err
	}
	return view(ctx, p, func(o *op) (List[Tier], error) {
		return collect(o.tx.Tiers, l, func(rec TierRecord) (Tier, error) { return tierOf(rec), nil })
	})
}

// UpdateTier changes a tier. Nobody moves by it; see [Program.AssignTiers].
//
// Errors: [TierNotFound], and those of [Program.CreateTier].
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) UpdateTier(ctx context.Context, id uuid.UUID, up TierUpdate) (Tier, error) {
	o := p.op(ctx)
	rq := request{name: "tier.update", input: []any{id, up}, refused: up.check()}
	return write(o, rq, func() (Tier, error) {
		old, err := o.tx.Tiers.Get(id)
		if err != nil {
			return Tier{}, tierNotFound.orOther(err)
		}
		old.RateType = p.tierRateType(&old)
		rec := up.applied(old)
		if err := p.checkTier(&rec); err != nil {
			return Tier{}, err
		}
		if same(rec, old) {
			return tierOf(old), nil
		}
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		if err := o.tx.Tiers.Replace(rec); err != nil {
			return Tier{}, internal("write tier", err)
		}
		return tierOf(rec), nil
	})
}

// DeleteTier removes a tier.
//
// Errors: [TierNotFound]; [TierInUse] when an affiliate is in it.
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) DeleteTier(ctx context.Context, id uuid.UUID) error {
	o := p.op(ctx)
	_, err := write(o, request{name: "tier.delete", input: id}, func() (struct{}, error) {
		if _, err := o.tx.Tiers.Get(id); err != nil {
			return struct{}{}, tierNotFound.orOther(err)
		}
		used, err := holds(o.tx.Affiliates, Key{Index: OfTier, ID: id})
		if err != nil {
			return struct{}{}, err
		}
		if used {
			return struct{}{}, tierInUse.err()
		}
		return struct{}{}, o.tx.Tiers.Delete(id)
	})
	return err
}

// AssignTiers puts every affiliate into the highest tier whose minimums it
// meets, by its live referrals and what is kept of its live sales, and returns
// how many changed: revenue that was refunded lifts nobody. An affiliate that meets fewer than before is lowered, to no
// tier in the end; the exempt stay where they are. It walks all affiliates in
// one transaction: a job, not a request.
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/rules.md 5.7; docs/contract.md 2.10.
func (p *Program) AssignTiers(ctx context.Context) (int, error) {
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
			if rec.TierExempt {
				continue
			}
			totals, err := o.totals(rec.ID)
			if err != nil {
				return 0, internal("read totals", err)
			}
			tier := highestMet(tiers, totals)
			if tier == rec.TierID {
				continue
			}
			rec.TierID, rec.UpdatedAt = tier, later(o.now, rec.UpdatedAt)
			if err := o.notifyAffiliate(rec, AffiliateUpdated); err != nil {
				return 0, err
			}
			changed++
		}
		return changed, nil
	})
}

// tiersFromTheTop lists the tiers by rank, highest first; of one rank the
// newest first.
func (o *op) tiersFromTheTop() ([]TierRecord, error) {
	var tiers []TierRecord
	for rec, err := range o.tx.Tiers.List(Query{Desc: true}) {
		if err != nil {
			return nil, internal("read tiers", err)
		}
		tiers = append(tiers, rec)
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

func (up TierUpdate) applied(rec TierRecord) TierRecord {
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

// checkTier validates a tier and fills in its defaults.
func (p *Program) checkTier(r *TierRecord) error {
	if r.Condition == "" {
		r.Condition = ConditionAll
	}
	r.Rate = valueOrNothing(r.Rate)
	err := first(
		atLeastOne("tier", Set(r.Tier)),
		required("name", r.Name, nameRequired, maxName),
		optional("emoji", r.Emoji, maxName),
		atLeastZero("minReferrals", r.MinReferrals >= 0),
		atLeastZero("minRevenue", r.MinRevenue.Sign() >= 0),
		oneOf("conditionType", r.Condition, []ConditionType{ConditionAll, ConditionSome}),
	)
	rate, ok := r.Rate.Get()
	if !ok || r.RateType != "" || err != nil {
		return err
	}
	r.RateType = p.cfg.Terms.Type
	return checkRate(rate, r.RateType)
}

func atLeastZero(field string, ok bool) *Error {
	if !ok {
		return invalid(field, notAtLeastZero)
	}
	return nil
}

// tierOf is the tier as events and dashboards show it.
func tierOf(rec TierRecord) Tier {
	return Tier{
		ID: rec.ID, Tier: rec.Tier, Name: rec.Name, Emoji: orNull(rec.Emoji), MinReferrals: rec.MinReferrals,
		MinRevenue: rec.MinRevenue, ConditionType: rec.Condition, CommissionRate: nothingOrNull(rec.Rate),
	}
}
