package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// tierOf returns the tier as events show it.
func tierOf(rec record.Tier) affiliate.Tier {
	return affiliate.Tier{
		ID: rec.ID, Tier: rec.Tier, Name: rec.Name, Emoji: OrNull(rec.Emoji), MinReferrals: rec.MinReferrals,
		MinRevenue: rec.MinRevenue, Per: rec.Per, GracePeriods: rec.Grace, AtPeriodEnd: rec.AtEnd, ConditionType: rec.Condition, CommissionRate: refusal.NothingOrNull(rec.Rate),
	}
}

// tierAnswer returns the tier as it is answered by itself.
func tierAnswer(r record.Tier) affiliate.Tier {
	tier := tierOf(r)
	tier.CreatedAt, tier.UpdatedAt = affiliate.TimeOf(r.CreatedAt.Time()), affiliate.TimeOf(r.UpdatedAt.Time())
	return tier
}

// CreateTier implements tributary.Program.CreateTier.
func (p *Program) CreateTier(ctx context.Context, in affiliate.TierParams) (_ affiliate.Tier, err error) {
	defer p.Begin(&ctx, "CreateTier", Writes).End(&err)
	rec := record.Tier{
		Tier: in.Tier, Name: in.Name, Emoji: in.Emoji, MinReferrals: in.MinReferrals, MinRevenue: in.MinRevenue,
		Per: in.Per, Grace: in.GracePeriods, AtEnd: in.AtPeriodEnd, Condition: in.ConditionType, Rate: in.Rate,
	}
	rq := Request{Name: "tier.create", Input: in, Refused: normalizeTier(&rec)}
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Tier, error) {
		rec := rec
		if err := o.settleTierRate(&rec); err != nil {
			return affiliate.Tier{}, err
		}
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.NewID(), o.Now, o.Now
		if err := o.Tx.Tiers.Insert(rec); err != nil {
			return affiliate.Tier{}, refusal.Internal("write tier", err)
		}
		return tierAnswer(rec), nil
	})
}

// Tier implements tributary.Program.Tier.
func (p *Program) Tier(ctx context.Context, id uuid.UUID) (_ affiliate.Tier, err error) {
	defer p.Begin(&ctx, "Tier", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Tier, error) {
		rec, err := o.Tx.Tiers.Get(id)
		return tierAnswer(rec), err
	})
}

// Tiers implements tributary.Program.Tiers.
func (p *Program) Tiers(ctx context.Context, pg affiliate.Page) (_ affiliate.List[affiliate.Tier], err error) {
	defer p.Begin(&ctx, "Tiers", Reads).End(&err)
	l, err := p.Listing(pg, "tiers", nil)
	if err != nil {
		return affiliate.List[affiliate.Tier]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Tier], error) {
		return Collect(o.Tx.Tiers, l, func(rec record.Tier) (affiliate.Tier, error) { return tierAnswer(rec), nil })
	})
}

// UpdateTier implements tributary.Program.UpdateTier.
func (p *Program) UpdateTier(ctx context.Context, id uuid.UUID, up affiliate.TierUpdate) (_ affiliate.Tier, err error) {
	defer p.Begin(&ctx, "UpdateTier", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "tier.update", Input: []any{id, up},
		Refused: refusal.First(refusal.RefuseNoTierID.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = tierUpdateCheck(up)
	}
	return Write(o, rq, func() (affiliate.Tier, error) {
		old, err := o.Tx.Tiers.Get(id)
		if err != nil {
			return affiliate.Tier{}, refusal.TierNotFound.IfMissing(err)
		}
		if old.RateType, err = o.tierRateType(&old); err != nil {
			return affiliate.Tier{}, err
		}
		rec := tierUpdateMerged(up, old)
		if err := normalizeTier(&rec); err != nil {
			return affiliate.Tier{}, err
		}
		if err := o.settleTierRate(&rec); err != nil {
			return affiliate.Tier{}, err
		}
		if Same(rec, old) {
			return tierAnswer(old), nil
		}
		rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
		if err := o.Tx.Tiers.Replace(rec); err != nil {
			return affiliate.Tier{}, refusal.Internal("write tier", err)
		}
		return tierAnswer(rec), nil
	})
}

// DeleteTier implements tributary.Program.DeleteTier.
func (p *Program) DeleteTier(ctx context.Context, id uuid.UUID) (err error) {
	defer p.Begin(&ctx, "DeleteTier", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "tier.delete", Input: id, Refused: refusal.First(refusal.RefuseNoTierID.When(id == uuid.Nil))}
	_, err = Write(o, rq, func() (struct{}, error) {
		if _, err := o.Tx.Tiers.Get(id); err != nil {
			return struct{}{}, refusal.TierNotFound.IfMissing(err)
		}
		used, err := Holds(o.Tx.Affiliates, record.Key{Index: record.OfTier, ID: id})
		if err != nil {
			return struct{}{}, err
		}
		if used {
			return struct{}{}, refusal.TierInUse.Err()
		}
		return struct{}{}, o.Tx.Tiers.Delete(id)
	})
	return err
}
