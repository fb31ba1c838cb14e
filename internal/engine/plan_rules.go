package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

func planUpdateCheck(up affiliate.PlanUpdate) error {
	if err := refusal.First(
		refusal.NotCleared("name", up.Name),
		refusal.Given("name", up.Name, refusal.MaxName),
		refusal.NotCleared("paymentTrigger", up.PaymentTrigger),
		refusal.NotCleared("autoApproveRewards", up.AutoApproveRewards),
	); err != nil {
		return err
	}
	return termsUpdateCheck(up.TermsUpdate)
}

// planUpdateMerged returns a plan after an update.
func (o *Op) planUpdateMerged(up affiliate.PlanUpdate, old record.Plan) (record.Plan, error) {
	rec := old.Clone()
	rec.Name = up.Name.Or(rec.Name)
	rec.Trigger = up.PaymentTrigger.Or(rec.Trigger)
	rec.HoldRewards = !up.AutoApproveRewards.Or(!rec.HoldRewards)
	return rec, planNormalize(&rec, func() error { return o.changeTerms(&rec, up.TermsUpdate) })
}

// planNormalize validates a plan and fills in its defaults; terms does so with its terms.
func planNormalize(r *record.Plan, terms func() error) error {
	r.Name = plaintext.Trim(r.Name)
	if err := refusal.Required("name", r.Name, refusal.NameRequired, refusal.MaxName); err != nil {
		return err
	}
	if err := terms(); err != nil {
		return err
	}
	if r.Trigger == "" {
		r.Trigger = affiliate.TriggerPurchase
	}
	return refusal.First(refusal.OneOf("paymentTrigger", r.Trigger, paymentTriggers))
}

// NormalizeTerms fills in the type and checks rate, limits, holding period, budgets and rules.
func NormalizeTerms(t *affiliate.Terms) error {
	if t.Type == "" {
		t.Type = affiliate.CommissionPercentage
	}
	if err := refusal.OneOf("commissionType", t.Type, []affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}); err != nil {
		return err
	}
	if err := CheckRate(t.Rate, t.Type); err != nil {
		return err
	}
	if t.MaxPayments < 0 {
		return refusal.FieldNotAtLeastOne.Of("numberOfPayments") // 0 is no limit, which the wire writes as null
	}
	if t.MaxMonths < 0 {
		return refusal.FieldNotAtLeastOne.Of("numberOfMonths")
	}
	if t.MaxMonths > refusal.MaxMonths {
		return refusal.FieldTooLarge.Of("numberOfMonths")
	}
	if !ValidHoldDays(t.HoldDays) {
		return refusal.HoldDaysRange.Err()
	}
	if err := refusal.First(
		refusal.FieldNotAtLeastZero.About("maxPerSale").When(t.MaxPerSale.Sign() < 0),
		refusal.FieldNotAtLeastZero.About("maxPerCustomer").When(t.MaxPerCustomer.Sign() < 0),
	); err != nil {
		return err
	}
	if err := normalizeBudgets(t); err != nil {
		return err
	}
	if err := normalizeBonuses(t); err != nil {
		return err
	}
	return normalizeRules(t)
}

func ValidHoldDays(days int64) bool { return days >= 0 && days <= refusal.MaxHoldDays }

// CheckRate checks a rate of the type: 0–100 for a percentage, an amount of
// zero or more for a flat commission. Rule 1, Rates.
func CheckRate(rate affiliate.Percent, typ affiliate.CommissionType) error {
	return checkRateOf("commissionRate", rate, typ)
}

// checkRateOf is CheckRate of another field.
func checkRateOf(field string, rate affiliate.Percent, typ affiliate.CommissionType) error {
	if typ == affiliate.CommissionFlat {
		if rate.Sign() < 0 {
			return refusal.RateNegative.On(field)
		}
		return nil
	}
	if rate.Sign() < 0 || rate.Cmp(affiliate.PercentFromScaled(100*decimal.Scale)) > 0 {
		return refusal.RateNotPercent.On(field)
	}
	return nil
}
