package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// planOf returns the plan as events at this time show it.
func planOf(rec *record.Plan, at affiliate.Instant) affiliate.Plan {
	t := shownTerms(termsAt(rec, at))
	return affiliate.Plan{
		ID: rec.ID, Name: rec.Name, CommissionRate: t.CommissionRate, CommissionType: t.CommissionType,
		NumberOfPayments: t.NumberOfPayments, NumberOfMonths: t.NumberOfMonths,
		PaymentTrigger: rec.Trigger, AutoApproveRewards: !rec.HoldRewards, RewardType: affiliate.RewardCash,
		HoldDays: t.HoldDays, Rules: t.Rules, MonthsFrom: t.MonthsFrom, MaxPerSale: t.MaxPerSale, MaxPerCustomer: t.MaxPerCustomer, OfferCouponID: t.OfferCouponID,
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
