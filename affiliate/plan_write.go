package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// CreatePlan adds a commission plan.
//
// Errors: [MissingField] (name), [InvalidField] (name, commissionType,
// commissionRate, numberOfPayments, numberOfMonths, paymentTrigger).
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) CreatePlan(ctx context.Context, in NewPlan) (_ Plan, err error) {
	defer p.begin(&ctx, "CreatePlan", writes).end(&err)
	rec := PlanRecord{Name: in.Name, Terms: in.Terms, Trigger: in.PaymentTrigger, HoldRewards: in.HoldRewards}
	rq := request{name: "plan.create", input: in, refused: rec.normalize()}
	o := p.op(ctx)
	return write(o, rq, func() (Plan, error) {
		rec := rec
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.newID(), o.now, o.now
		if err := o.tx.Plans.Insert(rec); err != nil {
			return Plan{}, internal("write plan", err)
		}
		return rec.answer(), nil
	})
}

// Plan finds a plan by its id.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 2.9.
func (p *Program) Plan(ctx context.Context, id uuid.UUID) (_ Plan, err error) {
	defer p.begin(&ctx, "Plan", reads).end(&err)
	return view(ctx, p, func(o *op) (Plan, error) {
		rec, err := o.tx.Plans.Get(id)
		return rec.answer(), err
	})
}

// Plans lists the commission plans, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.9.
func (p *Program) Plans(ctx context.Context, pg Page) (_ List[Plan], err error) {
	defer p.begin(&ctx, "Plans", reads).end(&err)
	l, err := p.listing(pg, "plans", nil)
	if err != nil {
		return List[Plan]{}, err
	}
	return view(ctx, p, func(o *op) (List[Plan], error) {
		return collect(o.tx.Plans, l, func(rec PlanRecord) (Plan, error) { return rec.answer(), nil })
	})
}

// UpdatePlan changes a plan for future sales. Recorded sales keep their
// commission, without an event, until [Program.RecalculateSales] calculates
// them again. The commission type of a plan in use cannot change, because the
// own rates of its affiliates have that type.
//
// Errors: [MissingField] (commissionPlanId), [PlanNotFound], [PlanInUse], and
// those of [Program.CreatePlan].
//
// Effects: the plan; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.9.
func (p *Program) UpdatePlan(ctx context.Context, id uuid.UUID, up PlanUpdate) (_ Plan, err error) {
	defer p.begin(&ctx, "UpdatePlan", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "plan.update", input: []any{id, up}, refused: first(RefuseNoPlanID.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = up.check()
	}
	return write(o, rq, func() (Plan, error) {
		old, err := o.tx.Plans.Get(id)
		if err != nil {
			return Plan{}, planMissing.ifMissing(err)
		}
		rec := up.merged(old)
		if err := rec.normalize(); err != nil {
			return Plan{}, err
		}
		if same(rec, old) {
			return old.answer(), nil
		}
		if rec.Terms.Type != old.Terms.Type {
			if err := o.planUnused(id); err != nil {
				return Plan{}, err
			}
		}
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		if err := o.tx.Plans.Replace(rec); err != nil {
			return Plan{}, internal("write plan", err)
		}
		return rec.answer(), nil
	})
}

// DeletePlan removes a plan.
//
// Errors: [MissingField] (commissionPlanId); [PlanNotFound]; [PlanInUse] when an affiliate or a referral is on it.
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) DeletePlan(ctx context.Context, id uuid.UUID) (err error) {
	defer p.begin(&ctx, "DeletePlan", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "plan.delete", input: id, refused: first(RefuseNoPlanID.when(id == uuid.Nil))}
	_, err = write(o, rq, func() (struct{}, error) {
		if _, err := o.tx.Plans.Get(id); err != nil {
			return struct{}{}, planMissing.ifMissing(err)
		}
		if err := o.planUnused(id); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, o.tx.Plans.Delete(id)
	})
	return err
}

// planUnused refuses when an affiliate or a referral is on the plan.
func (o *op) planUnused(id uuid.UUID) error {
	key := Key{Index: OfPlan, ID: id}
	used, err := holds(o.tx.Affiliates, key)
	if err == nil && !used {
		used, err = holds(o.tx.Referrals, key)
	}
	if err == nil && used {
		return planInUse.Err()
	}
	return err
}
