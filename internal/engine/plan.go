package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// planOf returns the plan as events show it.
func planOf(rec record.Plan) affiliate.Plan {
	return affiliate.Plan{
		ID: rec.ID, Name: rec.Name, CommissionRate: rec.Terms.Rate, CommissionType: rec.Terms.Type,
		NumberOfPayments: OrNull(rec.Terms.MaxPayments), NumberOfMonths: OrNull(rec.Terms.MaxMonths),
		PaymentTrigger: rec.Trigger, AutoApproveRewards: !rec.HoldRewards, RewardType: affiliate.RewardCash,
		HoldDays: rec.Terms.HoldDays, Rules: rec.Terms.Clone().Rules, MonthsFrom: rec.Terms.MonthsFrom,
		MaxPerSale: rec.Terms.MaxPerSale, MaxPerCustomer: rec.Terms.MaxPerCustomer,
	}
}

// answer returns the plan as it is answered by itself.
func answer(r record.Plan) affiliate.Plan {
	plan := planOf(r)
	plan.CreatedAt, plan.UpdatedAt = affiliate.TimeOf(r.CreatedAt.Time()), affiliate.TimeOf(r.UpdatedAt.Time())
	return plan
}
