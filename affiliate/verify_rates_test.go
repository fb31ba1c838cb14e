package affiliate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The rates that sales are paid by: plans, tiers and own rates.
func TestVerifyRates(t *testing.T) {
	flat := affiliate.CommissionFlat
	own := func(rate string, typ affiliate.CommissionType) func(*booksLedger, *affiliate.Tx) error {
		return func(_ *booksLedger, tx *affiliate.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *affiliate.AffiliateRecord) { r.Rate, r.RateType = percent(rate), typ })
		}
	}
	plan := func(change func(*affiliate.PlanRecord)) func(*booksLedger, *affiliate.Tx) error {
		return func(_ *booksLedger, tx *affiliate.Tx) error {
			rec := affiliate.PlanRecord{ID: uuid.UUID{1}, Name: "p", Trigger: affiliate.TriggerPurchase, CreatedAt: began, UpdatedAt: began,
				Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("100")}}
			change(&rec)
			return tx.Plans.Insert(rec)
		}
	}
	tier := func(change func(*affiliate.TierRecord)) func(*booksLedger, *affiliate.Tx) error {
		return func(_ *booksLedger, tx *affiliate.Tx) error {
			rec := affiliate.TierRecord{ID: uuid.UUID{1}, Tier: 1, Name: "t", Condition: affiliate.ConditionAll, CreatedAt: began, UpdatedAt: began,
				Rate: percent("100"), RateType: affiliate.CommissionPercentage}
			change(&rec)
			return tx.Tiers.Insert(rec)
		}
	}
	runBooksCorruptions(t, []booksCorruption{
		{"own rate of 101 %", own("101", affiliate.CommissionPercentage), []string{"I40"}},
		{"negative own rate", own("-1", flat), []string{"I40"}},
		{"negative own rate without a type", own("-1", ""), []string{"I40"}},
		{"own rate of no type", own("5", "SHARE"), []string{"I81"}},
		{"plan of 200 %", plan(func(r *affiliate.PlanRecord) { r.Terms.Rate = affiliate.MustPercent("200") }), []string{"I40"}},
		{"plan of a negative amount", plan(func(r *affiliate.PlanRecord) { r.Terms.Type, r.Terms.Rate = flat, affiliate.MustPercent("-1") }), []string{"I40"}},
		{"plan of no type", plan(func(r *affiliate.PlanRecord) { r.Terms.Type = "" }), []string{"I81"}},
		{"plan that stops before it begins", plan(func(r *affiliate.PlanRecord) { r.Terms.MaxPayments = -1 }), []string{"I40"}},
		{"plan that holds for ever", plan(func(r *affiliate.PlanRecord) { r.Terms.HoldDays = 3651 }), []string{"I40"}},
		{"plan that ends before it begins", plan(func(r *affiliate.PlanRecord) { r.Terms.MaxMonths = -1 }), []string{"I40"}},
		{"plan for an unknown payment", plan(func(r *affiliate.PlanRecord) { r.Trigger = "GIFT" }), []string{"I81"}},
		{"plan without a name", plan(func(r *affiliate.PlanRecord) { r.Name = "" }), []string{"I81"}},
		{"plan changed before it was made", plan(func(r *affiliate.PlanRecord) { r.UpdatedAt = began.Add(-time.Second) }), []string{"I54"}},
		{"tier of a negative rate", tier(func(r *affiliate.TierRecord) { r.Rate = percent("-0.0001") }), []string{"I40"}},
		{"tier of 101 %", tier(func(r *affiliate.TierRecord) { r.Rate = percent("101") }), []string{"I40"}},
		{"tier of no type", tier(func(r *affiliate.TierRecord) { r.RateType = "SHARE" }), []string{"I81"}},
		{"tier of rank 0", tier(func(r *affiliate.TierRecord) { r.Tier = 0 }), []string{"I44"}},
		{"tier from a negative revenue on", tier(func(r *affiliate.TierRecord) { r.MinRevenue = sum("-1") }), []string{"I44"}},
		{"tier from a negative number on", tier(func(r *affiliate.TierRecord) { r.MinReferrals = -1 }), []string{"I44"}},
		{"tier of an unknown condition", tier(func(r *affiliate.TierRecord) { r.Condition = "" }), []string{"I81"}},
		{"tier without a name", tier(func(r *affiliate.TierRecord) { r.Name = " " }), []string{"I81"}},
		{"tier changed before it was made", tier(func(r *affiliate.TierRecord) { r.UpdatedAt = began.Add(-time.Second) }), []string{"I54"}},
	})
	for name, fine := range map[string]func(*booksLedger, *affiliate.Tx) error{
		"own amount": own("250", flat), "own percentage": own("100", affiliate.CommissionPercentage),
		"own rate of before": own("20", ""), "own amount of before": own("250", ""), "plan": plan(func(*affiliate.PlanRecord) {}),
		"tier": tier(func(*affiliate.TierRecord) {}), "tier without a rate": tier(func(r *affiliate.TierRecord) { r.Rate, r.RateType = affiliate.Opt[affiliate.Percent]{}, "" }),
		"tier's rate of before":   tier(func(r *affiliate.TierRecord) { r.RateType = "" }),
		"tier's amount of before": tier(func(r *affiliate.TierRecord) { r.Rate, r.RateType = percent("250"), "" }),
	} {
		t.Run("OK "+name, func(t *testing.T) {
			b := newBooksLedger(t)
			b.raw(func(tx *affiliate.Tx) error { return fine(b, tx) })
			b.verify()
		})
	}
}

// A commission of a sale must be the credited affiliate's.
func TestVerifyCommissionOfAnother(t *testing.T) {
	s := newSaleShop(t)
	s.toTomas("100")
	s.insert(func(tx *affiliate.Tx) error {
		return booksEdit(tx.Sales, nil, func(r *affiliate.SaleRecord) { r.Commissions[0].AffiliateID = s.bob.ID })
	})
	equal(t, []string{"I40", "I64"}, booksBroken(s.Verify(t.Context())))
}
