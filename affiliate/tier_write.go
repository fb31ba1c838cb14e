package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// CreateTier adds a tier.
//
// A tier has no plan, so its rate has the commission type of the program. The
// rate is ignored under a plan of the other type.
//
// Errors: [MissingField] (name), [InvalidField] (tier, name, emoji,
// minReferrals, minRevenue, conditionType, commissionRate).
//
// Effects: the tier; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.10.
func (p *Program) CreateTier(ctx context.Context, in NewTier) (_ Tier, err error) {
	defer p.begin(&ctx, "CreateTier", writes).end(&err)
	rec := TierRecord{
		Tier: in.Tier, Name: in.Name, Emoji: in.Emoji, MinReferrals: in.MinReferrals, MinRevenue: in.MinRevenue,
		Condition: in.ConditionType, Rate: in.Rate,
	}
	rq := request{name: "tier.create", input: in, refused: p.normalizeTier(&rec)}
	o := p.op(ctx)
	return write(o, rq, func() (Tier, error) {
		rec := rec
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.newID(), o.now, o.now
		if err := o.tx.Tiers.Insert(rec); err != nil {
			return Tier{}, internal("write tier", err)
		}
		return rec.answer(), nil
	})
}

// Tier finds a tier by its id.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 2.10.
func (p *Program) Tier(ctx context.Context, id uuid.UUID) (_ Tier, err error) {
	defer p.begin(&ctx, "Tier", reads).end(&err)
	return view(ctx, p, func(o *op) (Tier, error) {
		rec, err := o.tx.Tiers.Get(id)
		return rec.answer(), err
	})
}

// Tiers lists the tiers, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.10.
func (p *Program) Tiers(ctx context.Context, pg Page) (_ List[Tier], err error) {
	defer p.begin(&ctx, "Tiers", reads).end(&err)
	l, err := p.listing(pg, "tiers", nil)
	if err != nil {
		return List[Tier]{}, err
	}
	return view(ctx, p, func(o *op) (List[Tier], error) {
		return collect(o.tx.Tiers, l, func(rec TierRecord) (Tier, error) { return rec.answer(), nil })
	})
}

// UpdateTier changes a tier. It moves no affiliate; see [Program.AssignTiers].
//
// Errors: [MissingField] (commissionTierId), [TierNotFound], and those of
// [Program.CreateTier].
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) UpdateTier(ctx context.Context, id uuid.UUID, up TierUpdate) (_ Tier, err error) {
	defer p.begin(&ctx, "UpdateTier", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "tier.update", input: []any{id, up}, refused: first(RefuseNoTierID.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = up.check()
	}
	return write(o, rq, func() (Tier, error) {
		old, err := o.tx.Tiers.Get(id)
		if err != nil {
			return Tier{}, tierNotFound.ifMissing(err)
		}
		old.RateType = p.tierRateType(&old)
		rec := up.merged(old)
		if err := p.normalizeTier(&rec); err != nil {
			return Tier{}, err
		}
		if same(rec, old) {
			return old.answer(), nil
		}
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		if err := o.tx.Tiers.Replace(rec); err != nil {
			return Tier{}, internal("write tier", err)
		}
		return rec.answer(), nil
	})
}

// DeleteTier removes a tier.
//
// Errors: [MissingField] (commissionTierId); [TierNotFound]; [TierInUse] when an affiliate is in it.
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) DeleteTier(ctx context.Context, id uuid.UUID) (err error) {
	defer p.begin(&ctx, "DeleteTier", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "tier.delete", input: id, refused: first(RefuseNoTierID.when(id == uuid.Nil))}
	_, err = write(o, rq, func() (struct{}, error) {
		if _, err := o.tx.Tiers.Get(id); err != nil {
			return struct{}{}, tierNotFound.ifMissing(err)
		}
		used, err := holds(o.tx.Affiliates, Key{Index: OfTier, ID: id})
		if err != nil {
			return struct{}{}, err
		}
		if used {
			return struct{}{}, tierInUse.Err()
		}
		return struct{}{}, o.tx.Tiers.Delete(id)
	})
	return err
}
