package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// Terms say what a sale earns. The zero Terms are 0 %: sales are recorded,
// attributed and counted, and earn nothing. No error says so, because a program
// may leave every rate to its affiliates, tiers and plans.
type Terms struct {
	Type        CommissionType // zero: PERCENTAGE
	Rate        Percent        // 0–100; FLAT: an amount for each payment, ≥ 0; zero pays nothing
	MaxPayments int64          // per referral, those refunded in full aside; 0: no limit
	MaxMonths   int64          // since the referral; 0: no limit
}

// A Plan is a set of terms that affiliates can be put on.
//
// Source: docs/contract.md 2.9.
type Plan struct {
	ID                 uuid.UUID      `json:"id"`
	Name               string         `json:"name"`
	CommissionRate     Percent        `json:"commissionRate"` // FLAT: an amount
	CommissionType     CommissionType `json:"commissionType"`
	NumberOfPayments   Opt[int64]     `json:"numberOfPayments"` // null: no stop
	NumberOfMonths     Opt[int64]     `json:"numberOfMonths"`   // null: no stop
	PaymentTrigger     PaymentTrigger `json:"paymentTrigger"`
	AutoApproveRewards bool           `json:"autoApproveRewards"` // false: new commissions are ON_HOLD
	RewardType         RewardType     `json:"rewardType"`
}

// NewPlan is the input of [Program.CreatePlan]. Name is required.
type NewPlan struct {
	Name           string         // 1–255 characters, not unique
	Terms          Terms          // zero: 0 %
	PaymentTrigger PaymentTrigger // zero: PURCHASE
	HoldRewards    bool           // new commissions are ON_HOLD until reviewed
}

// PlanUpdate is the input of [Program.UpdatePlan]; what is not given stays.
type PlanUpdate struct {
	Name           Opt[string]         `json:",omitzero"`
	Terms          Opt[Terms]          `json:",omitzero"` // replaced as a whole
	PaymentTrigger Opt[PaymentTrigger] `json:",omitzero"`
	HoldRewards    Opt[bool]           `json:",omitzero"`
}

// CreatePlan adds a commission plan.
//
// Errors: [MissingField] (name), [InvalidField] (name, commissionType,
// commissionRate, numberOfPayments, numberOfMonths, paymentTrigger).
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) CreatePlan(ctx context.Context, in NewPlan) (Plan, error) {
	rec := PlanRecord{Name: in.Name, Terms: in.Terms, Trigger: in.PaymentTrigger, HoldRewards: in.HoldRewards}
	rq := request{name: "plan.create", input: in, refused: rec.check()}
	o := p.op(ctx)
	return write(o, rq, func() (Plan, error) {
		rec := rec
		rec.ID, rec.CreatedAt, rec.UpdatedAt = o.newID(), o.now, o.now
		if err := o.tx.Plans.Insert(rec); err != nil {
			return Plan{}, internal("write plan", err)
		}
		return planOf(rec), nil
	})
}

// Plans lists the commission plans, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.9.
func (p *Program) Plans(ctx context.Context, pg Page) (List[Plan], error) {
	l, err := p.listing(pg, "plans", nil)
	if err != nil {
		return List[Plan]{}, err
	}
	return view(ctx, p, func(o *op) (List[Plan], error) {
		return collect(o.tx.Plans, l, func(rec PlanRecord) (Plan, error) { return planOf(rec), nil })
	})
}

// UpdatePlan changes a plan. It holds for future sales: recorded ones keep their
// commission, and no sale.updated fires, until [Program.RecalculateSales]
// calculates them again. The commission type of a plan in use stays: the own
// rates of the affiliates on it were set under it.
//
// Errors: [PlanNotFound], [PlanInUse], and those of [Program.CreatePlan].
//
// Effects: the plan; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.9.
func (p *Program) UpdatePlan(ctx context.Context, id uuid.UUID, up PlanUpdate) (Plan, error) {
	o := p.op(ctx)
	rq := request{name: "plan.update", input: []any{id, up}, refused: up.check()}
	return write(o, rq, func() (Plan, error) {
		old, err := o.tx.Plans.Get(id)
		if err != nil {
			return Plan{}, planMissing.orOther(err)
		}
		rec := up.applied(old)
		if err := rec.check(); err != nil {
			return Plan{}, err
		}
		if same(rec, old) {
			return planOf(old), nil
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
		return planOf(rec), nil
	})
}

// DeletePlan removes a plan.
//
// Errors: [PlanNotFound]; [PlanInUse] when an affiliate or a referral is on it.
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) DeletePlan(ctx context.Context, id uuid.UUID) error {
	o := p.op(ctx)
	_, err := write(o, request{name: "plan.delete", input: id}, func() (struct{}, error) {
		if _, err := o.tx.Plans.Get(id); err != nil {
			return struct{}{}, planMissing.orOther(err)
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
		return planInUse.err()
	}
	return err
}

func (up PlanUpdate) check() error {
	return first(
		notCleared("name", up.Name),
		given("name", up.Name, maxName),
		notCleared("terms", up.Terms),
		notCleared("paymentTrigger", up.PaymentTrigger),
		notCleared("holdRewards", up.HoldRewards),
	)
}

func (up PlanUpdate) applied(rec PlanRecord) PlanRecord {
	rec.Name = up.Name.Or(rec.Name)
	rec.Terms = up.Terms.Or(rec.Terms)
	rec.Trigger = up.PaymentTrigger.Or(rec.Trigger)
	rec.HoldRewards = up.HoldRewards.Or(rec.HoldRewards)
	return rec
}

// check validates a plan and fills in its defaults.
func (r *PlanRecord) check() error {
	if err := required("name", r.Name, nameRequired, maxName); err != nil {
		return err
	}
	if err := checkTerms(&r.Terms); err != nil {
		return err
	}
	if r.Trigger == "" {
		r.Trigger = TriggerPurchase
	}
	return first(oneOf("paymentTrigger", r.Trigger, paymentTriggers))
}

// checkTerms fills in the type and checks rate and limits.
func checkTerms(t *Terms) error {
	if t.Type == "" {
		t.Type = CommissionPercentage
	}
	if err := oneOf("commissionType", t.Type, []CommissionType{CommissionPercentage, CommissionFlat}); err != nil {
		return err
	}
	if err := checkRate(t.Rate, t.Type); err != nil {
		return err
	}
	if t.MaxPayments < 0 {
		return invalid("numberOfPayments", notAtLeastZero)
	}
	if t.MaxMonths < 0 {
		return invalid("numberOfMonths", notAtLeastZero)
	}
	if t.MaxMonths > maxMonths {
		return invalid("numberOfMonths", tooLarge)
	}
	return nil
}

// checkRate checks a rate of the type: 0–100 for a percentage, an amount of
// zero or more for a flat commission. Rule 1, Rates.
func checkRate(rate Percent, typ CommissionType) error {
	if typ == CommissionFlat {
		if rate.Sign() < 0 {
			return rateNegative.err()
		}
		return nil
	}
	if rate.Sign() < 0 || rate.Cmp(PercentFromScaled(hundredPercent)) > 0 {
		return rateNotPercent.err()
	}
	return nil
}

// planOf is the plan as events and dashboards show it.
func planOf(rec PlanRecord) Plan {
	return Plan{
		ID: rec.ID, Name: rec.Name, CommissionRate: rec.Terms.Rate, CommissionType: rec.Terms.Type,
		NumberOfPayments: orNull(rec.Terms.MaxPayments), NumberOfMonths: orNull(rec.Terms.MaxMonths),
		PaymentTrigger: rec.Trigger, AutoApproveRewards: !rec.HoldRewards, RewardType: RewardCash,
	}
}
