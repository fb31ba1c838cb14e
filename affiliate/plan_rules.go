package affiliate

import (
	"github.com/tributary-go/tributary/internal/plaintext"

	"github.com/tributary-go/tributary/internal/decimal"
)

func (up PlanUpdate) check() error {
	return first(
		notCleared("name", up.Name),
		given("name", up.Name, maxName),
		notCleared("terms", up.Terms),
		notCleared("paymentTrigger", up.PaymentTrigger),
		notCleared("holdRewards", up.HoldRewards),
		notCleared("commissionType", up.Type),
		notCleared("commissionRate", up.Rate),
		notCleared("holdDays", up.HoldDays),
	)
}

func (up PlanUpdate) merged(rec PlanRecord) PlanRecord {
	rec.Name = up.Name.Or(rec.Name)
	rec.Terms = up.Terms.Or(rec.Terms)
	rec.Trigger = up.PaymentTrigger.Or(rec.Trigger)
	rec.HoldRewards = up.HoldRewards.Or(rec.HoldRewards)
	rec.Terms.Type = up.Type.Or(rec.Terms.Type)
	rec.Terms.Rate = up.Rate.Or(rec.Terms.Rate)
	if !up.MaxPayments.IsZero() {
		rec.Terms.MaxPayments = up.MaxPayments.Or(0)
	}
	if !up.MaxMonths.IsZero() {
		rec.Terms.MaxMonths = up.MaxMonths.Or(0)
	}
	rec.Terms.HoldDays = up.HoldDays.Or(rec.Terms.HoldDays)
	return rec
}

// normalize validates a plan and fills in its defaults.
func (r *PlanRecord) normalize() error {
	r.Name = plaintext.Trim(r.Name)
	if err := required("name", r.Name, nameRequired, maxName); err != nil {
		return err
	}
	if err := normalizeTerms(&r.Terms); err != nil {
		return err
	}
	if r.Trigger == "" {
		r.Trigger = TriggerPurchase
	}
	return first(oneOf("paymentTrigger", r.Trigger, paymentTriggers))
}

// normalizeTerms fills in the type and checks rate, limits and holding period.
func normalizeTerms(t *Terms) error {
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
		return FieldNotAtLeastOne.Of("numberOfPayments") // 0 is no limit, which the wire writes as null
	}
	if t.MaxMonths < 0 {
		return FieldNotAtLeastOne.Of("numberOfMonths")
	}
	if t.MaxMonths > maxMonths {
		return FieldTooLarge.Of("numberOfMonths")
	}
	if !validHoldDays(t.HoldDays) {
		return holdDaysRange.Err()
	}
	return nil
}

func validHoldDays(days int64) bool { return days >= 0 && days <= maxHoldDays }

// checkRate checks a rate of the type: 0–100 for a percentage, an amount of
// zero or more for a flat commission. Rule 1, Rates.
func checkRate(rate Percent, typ CommissionType) error {
	if typ == CommissionFlat {
		if rate.Sign() < 0 {
			return rateNegative.Err()
		}
		return nil
	}
	if rate.Sign() < 0 || rate.Cmp(PercentFromScaled(100*decimal.Scale)) > 0 {
		return rateNotPercent.Err()
	}
	return nil
}
