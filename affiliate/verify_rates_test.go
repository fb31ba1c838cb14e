package affiliate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// The rates that sales are paid by: plans, tiers and own rates.
func TestVerifyRates(t *testing.T) {
	flat := affiliate.CommissionFlat
	own := func(rate string, typ affiliate.CommissionType) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Rate, r.RateType = percent(rate), typ })
		}
	}
	plan := func(change func(*record.Plan)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			rec := record.Plan{ID: uuid.UUID{1}, Name: "p", Trigger: affiliate.TriggerPurchase, CreatedAt: began, UpdatedAt: began,
				Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("100")}}
			change(&rec)
			return tx.Plans.Insert(rec)
		}
	}
	tier := func(change func(*record.Tier)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			rec := record.Tier{ID: uuid.UUID{1}, Tier: 1, Name: "t", Condition: affiliate.ConditionAll, CreatedAt: began, UpdatedAt: began,
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
		{"plan of 200 %", plan(func(r *record.Plan) { r.Terms.Rate = affiliate.MustPercent("200") }), []string{"I40"}},
		{"plan of a negative amount", plan(func(r *record.Plan) { r.Terms.Type, r.Terms.Rate = flat, affiliate.MustPercent("-1") }), []string{"I40"}},
		{"plan of no type", plan(func(r *record.Plan) { r.Terms.Type = "" }), []string{"I81"}},
		{"plan that stops before it begins", plan(func(r *record.Plan) { r.Terms.MaxPayments = -1 }), []string{"I40"}},
		{"plan that holds for ever", plan(func(r *record.Plan) { r.Terms.HoldDays = 3651 }), []string{"I40"}},
		{"plan that ends before it begins", plan(func(r *record.Plan) { r.Terms.MaxMonths = -1 }), []string{"I40"}},
		{"plan for an unknown payment", plan(func(r *record.Plan) { r.Trigger = "GIFT" }), []string{"I81"}},
		{"plan without a name", plan(func(r *record.Plan) { r.Name = "" }), []string{"I81"}},
		{"plan changed before it was made", plan(func(r *record.Plan) { r.UpdatedAt = began.Add(-time.Second) }), []string{"I54"}},
		{"tier of a negative rate", tier(func(r *record.Tier) { r.Rate = percent("-0.0001") }), []string{"I40"}},
		{"tier of 101 %", tier(func(r *record.Tier) { r.Rate = percent("101") }), []string{"I40"}},
		{"tier of no type", tier(func(r *record.Tier) { r.RateType = "SHARE" }), []string{"I81"}},
		{"tier of rank 0", tier(func(r *record.Tier) { r.Tier = 0 }), []string{"I44"}},
		{"tier from a negative revenue on", tier(func(r *record.Tier) { r.MinRevenue = sum("-1") }), []string{"I44"}},
		{"tier from a negative number on", tier(func(r *record.Tier) { r.MinReferrals = -1 }), []string{"I44"}},
		{"tier of an unknown condition", tier(func(r *record.Tier) { r.Condition = "" }), []string{"I81"}},
		{"tier without a name", tier(func(r *record.Tier) { r.Name = " " }), []string{"I81"}},
		{"tier changed before it was made", tier(func(r *record.Tier) { r.UpdatedAt = began.Add(-time.Second) }), []string{"I54"}},
	})
	for name, fine := range map[string]func(*booksLedger, *record.Tx) error{
		"own amount": own("250", flat), "own percentage": own("100", affiliate.CommissionPercentage),
		"own rate of before": own("20", ""), "own amount of before": own("250", ""), "plan": plan(func(*record.Plan) {}),
		"tier": tier(func(*record.Tier) {}), "tier without a rate": tier(func(r *record.Tier) { r.Rate, r.RateType = affiliate.Opt[affiliate.Percent]{}, "" }),
		"tier's rate of before":   tier(func(r *record.Tier) { r.RateType = "" }),
		"tier's amount of before": tier(func(r *record.Tier) { r.Rate, r.RateType = percent("250"), "" }),
	} {
		t.Run("OK "+name, func(t *testing.T) {
			b := newBooksLedger(t)
			b.raw(func(tx *record.Tx) error { return fine(b, tx) })
			b.verify()
		})
	}
}

// A commission of a sale must be the credited affiliate's.
func TestVerifyCommissionOfAnother(t *testing.T) {
	s := newSaleShop(t)
	s.toTomas("100")
	s.insert(func(tx *record.Tx) error {
		return booksEdit(tx.Sales, nil, func(r *record.Sale) { r.Commissions[0].AffiliateID = s.bob.ID })
	})
	equal(t, []string{"I40", "I64"}, booksBroken(s.Verify(t.Context())))
}
