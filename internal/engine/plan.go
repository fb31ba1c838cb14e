package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreatePlan implements tributary.Program.CreatePlan.
func (p *Program) CreatePlan(ctx context.Context, in affiliate.PlanParams) (_ affiliate.Plan, err error) {
	defer p.Begin(&ctx, "CreatePlan", Writes).End(&err)
	rec := record.Plan{Name: in.Name, Terms: in.Terms, Trigger: in.PaymentTrigger,
		HoldRewards: !in.AutoApproveRewards.Or(true)}
	rq := Request{Name: "plan.create", Input: in,
		Refused: planNormalize(&rec, func() error { return NormalizeTerms(&rec.Terms) })}
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Plan, error) {
		if err := o.couponsThere(&rec.Terms, &affiliate.Terms{}); err != nil {
			return affiliate.Plan{}, err
		}
		rec := rec
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.NewID(), o.Now, o.Now
		if err := o.Tx.Plans.Insert(rec); err != nil {
			return affiliate.Plan{}, refusal.Internal("write plan", err)
		}
		return o.answer(rec), nil
	})
}

// Plan implements tributary.Program.Plan.
func (p *Program) Plan(ctx context.Context, id uuid.UUID) (_ affiliate.Plan, err error) {
	defer p.Begin(&ctx, "Plan", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Plan, error) {
		rec, err := o.planRecord(id)
		return o.answer(rec), err
	})
}

// Plans implements tributary.Program.Plans.
func (p *Program) Plans(ctx context.Context, pg affiliate.Page) (_ affiliate.List[affiliate.Plan], err error) {
	defer p.Begin(&ctx, "Plans", Reads).End(&err)
	l, err := p.Listing(pg, "plans", nil)
	if err != nil {
		return affiliate.List[affiliate.Plan]{}, err
	}
	if l.cursor == "" {
		l.Query.After = programPlan() // newest first, so that it would be the first
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Plan], error) {
		return Collect(o.Tx.Plans, l, func(rec record.Plan) (affiliate.Plan, error) { return o.answer(rec), nil })
	})
}

// UpdatePlan implements tributary.Program.UpdatePlan.
func (p *Program) UpdatePlan(ctx context.Context, id uuid.UUID, up affiliate.PlanUpdate) (_ affiliate.Plan, err error) {
	defer p.Begin(&ctx, "UpdatePlan", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "plan.update", Input: []any{id, up},
		Refused: refusal.First(refusal.RefuseNoPlanID.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = planUpdateCheck(up)
	}
	return Write(o, rq, func() (affiliate.Plan, error) {
		old, err := o.planRecord(id)
		if err != nil {
			return affiliate.Plan{}, refusal.PlanMissing.IfMissing(err)
		}
		rec, err := o.planUpdateMerged(up, old)
		if err != nil {
			return affiliate.Plan{}, err
		}
		if Same(rec, old) {
			return o.answer(old), nil
		}
		if o.otherType(&rec, &old) {
			if err := o.planUnused(id); err != nil {
				return affiliate.Plan{}, err
			}
		}
		rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
		if err := o.Tx.Plans.Replace(rec); err != nil {
			return affiliate.Plan{}, refusal.Internal("write plan", err)
		}
		return o.answer(rec), nil
	})
}

// DeletePlan implements tributary.Program.DeletePlan.
func (p *Program) DeletePlan(ctx context.Context, id uuid.UUID) (err error) {
	defer p.Begin(&ctx, "DeletePlan", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "plan.delete", Input: id, Refused: refusal.First(refusal.RefuseNoPlanID.When(id == uuid.Nil))}
	_, err = Write(o, rq, func() (struct{}, error) {
		if _, err := o.planRecord(id); err != nil {
			return struct{}{}, refusal.PlanMissing.IfMissing(err)
		}
		if err := o.planUnused(id); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, o.Tx.Plans.Delete(id)
	})
	return err
}

// planUnused refuses when an affiliate or a referral is on the plan.
func (o *Op) planUnused(id uuid.UUID) error {
	key := record.Key{Index: record.OfPlan, ID: id}
	used, err := Holds(o.Tx.Affiliates, key)
	if err == nil && !used {
		used, err = Holds(o.Tx.Referrals, key)
	}
	if err == nil && used {
		return refusal.PlanInUse.Err()
	}
	return err
}

// otherType reports whether a change gives terms, in force or to come, another commission
// type than those in force had.
func (o *Op) otherType(r, old *record.Plan) bool {
	was := termsAt(old, o.Now).Type
	if termsAt(r, o.Now).Type != was {
		return true
	}
	return slices.ContainsFunc(r.Versions, func(v affiliate.StoredTerms) bool {
		i, there := version(old, v.From)
		known := there && old.Versions[i].Terms.Type == v.Terms.Type
		return v.From.After(o.Now) && v.Terms.Type != was && !known
	})
}

// planOf returns the plan as events at this time show it.
func planOf(rec *record.Plan, at affiliate.Instant) affiliate.Plan {
	t := shownTerms(termsAt(rec, at))
	return affiliate.Plan{
		ID: rec.ID, Name: rec.Name, CommissionRate: t.CommissionRate,
		CommissionType: t.CommissionType, NumberOfPayments: t.NumberOfPayments,
		NumberOfMonths: t.NumberOfMonths, PaymentTrigger: rec.Trigger,
		AutoApproveRewards: !rec.HoldRewards, RewardType: affiliate.RewardCash,
		HoldDays: t.HoldDays, Rules: t.Rules, MonthsFrom: t.MonthsFrom, MaxPerSale: t.MaxPerSale,
		MaxPerCustomer: t.MaxPerCustomer, Budgets: t.Budgets, Bonuses: t.Bonuses, OfferCouponID: t.OfferCouponID,
	}
}

// answer returns the plan as it is answered by itself.
func (o *Op) answer(rec record.Plan) affiliate.Plan {
	plan := planOf(&rec, o.Now)
	if len(rec.Versions) > 0 {
		plan.Versions = versionsOf(&rec, o.Now)
	}
	plan.CreatedAt, plan.UpdatedAt = affiliate.TimeOf(rec.CreatedAt.Time()), affiliate.TimeOf(rec.UpdatedAt.Time())
	return plan
}
