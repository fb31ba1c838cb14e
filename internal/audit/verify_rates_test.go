package audit_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// The rates that sales are paid by: plans, tiers and own rates.
func TestVerifyRates(t *testing.T) {
	flat := affiliate.CommissionFlat
	own := func(rate string, typ affiliate.CommissionType) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Rate, r.RateType = scene.Percent(rate), typ })
		}
	}
	plan := func(change func(*record.Plan)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			rec := record.Plan{ID: uuid.UUID{1}, Name: "p", Trigger: affiliate.TriggerPurchase, CreatedAt: scene.Began, UpdatedAt: scene.Began,
				Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("100")}}
			change(&rec)
			return tx.Plans.Insert(rec)
		}
	}
	tier := func(change func(*record.Tier)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			rec := record.Tier{ID: uuid.UUID{1}, Tier: 1, Name: "t", Condition: affiliate.ConditionAll, CreatedAt: scene.Began, UpdatedAt: scene.Began,
				Rate: scene.Percent("100"), RateType: affiliate.CommissionPercentage}
			change(&rec)
			return tx.Tiers.Insert(rec)
		}
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "own rate of 101 %", Change: own("101", affiliate.CommissionPercentage), Want: []string{"I40"}},
		{Name: "negative own rate", Change: own("-1", flat), Want: []string{"I40"}},
		{Name: "negative own rate without a type", Change: own("-1", ""), Want: []string{"I40"}},
		{Name: "own rate of no type", Change: own("5", "SHARE"), Want: []string{"I81"}},
		{Name: "plan of 200 %", Change: plan(func(r *record.Plan) { r.Terms.Rate = affiliate.MustPercent("200") }), Want: []string{"I40"}},
		{Name: "plan of a negative amount", Change: plan(func(r *record.Plan) { r.Terms.Type, r.Terms.Rate = flat, affiliate.MustPercent("-1") }), Want: []string{"I40"}},
		{Name: "plan of no type", Change: plan(func(r *record.Plan) { r.Terms.Type = "" }), Want: []string{"I81"}},
		{Name: "plan that stops before it begins", Change: plan(func(r *record.Plan) { r.Terms.MaxPayments = -1 }), Want: []string{"I40"}},
		{Name: "plan that holds for ever", Change: plan(func(r *record.Plan) { r.Terms.HoldDays = 3651 }), Want: []string{"I40"}},
		{Name: "plan that ends before it begins", Change: plan(func(r *record.Plan) { r.Terms.MaxMonths = -1 }), Want: []string{"I40"}},
		{Name: "version of 200 %", Change: plan(func(r *record.Plan) {
			r.Versions = versions(r, 1)
			r.Versions[0].Terms.Rate = affiliate.MustPercent("200")
		}), Want: []string{"I40"}},
		{Name: "version with rules that contradict", Change: plan(func(r *record.Plan) {
			r.Versions = versions(r, 1)
			r.Versions[0].Terms.Rules = []affiliate.Rule{{Name: "r", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew, PaymentFrom: 2}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}}
		}), Want: []string{"I40"}},
		{Name: "versions at one time", Change: plan(func(r *record.Plan) { r.Versions = versions(r, 2); r.Versions[1].From = r.Versions[0].From }), Want: []string{"I44"}},
		{Name: "33 versions", Change: plan(func(r *record.Plan) { r.Versions = versions(r, 32) }), Want: []string{"I44"}},
		{Name: "terms of the program with a name", Change: plan(func(r *record.Plan) { r.ID, r.Trigger = uuid.Max, "" }), Want: []string{"I44"}},
		{Name: "terms of the program with a trigger", Change: plan(func(r *record.Plan) { r.ID, r.Name = uuid.Max, "" }), Want: []string{"I44"}},
		{Name: "plan for an unknown payment", Change: plan(func(r *record.Plan) { r.Trigger = "GIFT" }), Want: []string{"I81"}},
		{Name: "plan without a name", Change: plan(func(r *record.Plan) { r.Name = "" }), Want: []string{"I81"}},
		{Name: "plan changed before it was made", Change: plan(func(r *record.Plan) { r.UpdatedAt = scene.Began.Add(-time.Second) }), Want: []string{"I54"}},
		{Name: "tier of a negative rate", Change: tier(func(r *record.Tier) { r.Rate = scene.Percent("-0.0001") }), Want: []string{"I40"}},
		{Name: "tier of 101 %", Change: tier(func(r *record.Tier) { r.Rate = scene.Percent("101") }), Want: []string{"I40"}},
		{Name: "tier of no type", Change: tier(func(r *record.Tier) { r.RateType = "SHARE" }), Want: []string{"I81"}},
		{Name: "tier of rank 0", Change: tier(func(r *record.Tier) { r.Tier = 0 }), Want: []string{"I44"}},
		{Name: "tier from a negative revenue on", Change: tier(func(r *record.Tier) { r.MinRevenue = scene.Sum("-1") }), Want: []string{"I44"}},
		{Name: "tier from a negative number on", Change: tier(func(r *record.Tier) { r.MinReferrals = -1 }), Want: []string{"I44"}},
		{Name: "tier of an unknown condition", Change: tier(func(r *record.Tier) { r.Condition = "" }), Want: []string{"I81"}},
		{Name: "tier without a name", Change: tier(func(r *record.Tier) { r.Name = " " }), Want: []string{"I81"}},
		{Name: "tier changed before it was made", Change: tier(func(r *record.Tier) { r.UpdatedAt = scene.Began.Add(-time.Second) }), Want: []string{"I54"}},
	})
	for name, fine := range map[string]func(*scene.Ledger, *record.Tx) error{
		"own amount": own("250", flat), "own percentage": own("100", affiliate.CommissionPercentage),
		"own rate of before": own("20", ""), "own amount of before": own("250", ""), "plan": plan(func(*record.Plan) {}),
		"tier": tier(func(*record.Tier) {}), "tier without a rate": tier(func(r *record.Tier) { r.Rate, r.RateType = affiliate.Opt[affiliate.Percent]{}, "" }),
		"tier's rate of before":   tier(func(r *record.Tier) { r.RateType = "" }),
		"tier's amount of before": tier(func(r *record.Tier) { r.Rate, r.RateType = scene.Percent("250"), "" }),
	} {
		t.Run("OK "+name, func(t *testing.T) {
			b := scene.NewLedger(t)
			b.Raw(func(tx *record.Tx) error { return fine(b, tx) })
			b.Verifies()
		})
	}
}

// A commission of a sale must be the credited affiliate's.
func TestVerifyCommissionOfAnother(t *testing.T) {
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Sales, nil, func(r *record.Sale) { r.Commissions[0].AffiliateID = s.Bob.ID })
	})
	scene.Equal(t, []string{"I40", "I64"}, scene.Broken(s.Verify(t.Context())))
}

// versions are later terms of a plan, an hour apart.
func versions(r *record.Plan, n int) (all []affiliate.StoredTerms) {
	for i := range n {
		all = append(all, affiliate.StoredTerms{From: scene.Began.Add(time.Duration(i) * time.Hour), Terms: r.Terms.Clone()})
	}
	return all
}
