package audit_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// lined gives the last sale of the ledger, of 100 at 20 %, two lines: a rule decides about
// the second, and pays as much as the rate does.
func lined(change func(*record.Sale)) func(*scene.Ledger, *record.Tx) error {
	return func(_ *scene.Ledger, tx *record.Tx) error {
		return scene.Edit(tx.Sales, booksSale(5), func(r *record.Sale) {
			r.Subtotal = affiliate.Set(scene.Sum("100"))
			r.Lines = []affiliate.StoredLine{
				{ID: "a", Quantity: scene.Sum("1"), Amount: scene.Sum("60")},
				{ID: "b", Quantity: scene.Sum("4"), Amount: scene.Sum("40"), Rule: "r", Pay: paid(affiliate.RulePercentage, "20")},
			}
			change(r)
		})
	}
}

func paid(typ affiliate.RuleType, rate string) affiliate.RulePay {
	return affiliate.RulePay{Type: typ, Rate: affiliate.MustPercent(rate)}
}

// What each type of rule pays is recounted, with what refunds named of a line.
func TestVerifyLinesPass(t *testing.T) {
	for name, change := range map[string]func(*record.Sale){
		"PERCENTAGE": func(*record.Sale) {},
		"FLAT":       func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleFlat, "8") },
		"FLAT, once": func(r *record.Sale) {
			r.Lines[1].Pay = paid(affiliate.RuleFlat, "20")
			r.Lines[0].Rule, r.Lines[0].Pay = r.Lines[1].Rule, r.Lines[1].Pay
		},
		"UNIT": func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleUnit, "2") },
		"NONE": func(r *record.Sale) {
			r.Lines[1].Pay = affiliate.RulePay{Type: affiliate.RuleNone}
			r.Lines[0].Rule, r.Lines[0].Pay = "more", paid(affiliate.RuleFlat, "20")
		},
		"by what discounts left": func(r *record.Sale) {
			r.Lines[0].CodeDiscount, r.Lines[1].Discount = scene.Sum("10"), scene.Sum("40")
			r.Lines[1].Pay = paid(affiliate.RulePercentage, "90") // of nothing
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := scene.NewLedger(t)
			b.Raw(func(tx *record.Tx) error { return lined(change)(b, tx) })
			b.Verifies()
		})
	}
}

func TestVerifyLines(t *testing.T) {
	rules := func(list ...affiliate.Rule) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Plans.Insert(record.Plan{
				ID: uuid.UUID{1}, Name: "n", Trigger: affiliate.TriggerPurchase, Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rules: list},
				CreatedAt: affiliate.InstantOf(b.Now), UpdatedAt: affiliate.InstantOf(b.Now),
			})
		}
	}
	rule := affiliate.Rule{Name: "r", Pay: paid(affiliate.RulePercentage, "20")}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "rule of another rate", Change: lined(func(r *record.Sale) { r.Lines[1].Pay.Rate = affiliate.MustPercent("30") }), Want: []string{"I40"}},
		{Name: "flat amount of another sum", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleFlat, "9") }), Want: []string{"I40"}},
		{Name: "unit amount of one piece", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleUnit, "8") }), Want: []string{"I40"}},
		{Name: "nothing is paid", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = affiliate.RulePay{Type: affiliate.RuleNone} }), Want: []string{"I40"}},
		{Name: "pay of no rule", Change: lined(func(r *record.Sale) { r.Lines[1].Rule = "" }), Want: []string{"I40"}},
		{Name: "rule that pays nothing known", Change: lined(func(r *record.Sale) { r.Lines[1].Pay.Type = "GIFT" }), Want: []string{"I40"}},
		{Name: "rule of two amounts", Change: lined(func(r *record.Sale) {
			r.Lines[0].Rule, r.Lines[0].Pay = "r", paid(affiliate.RuleFlat, "12")
		}), Want: []string{"I40"}},
		{Name: "rule beside the rate of the sale", Change: lined(func(r *record.Sale) {
			r.RateFixed, r.Why.RateFrom = true, affiliate.EnumOf(affiliate.RateOfSale)
		}), Want: []string{"I40"}},
		{Name: "discount above the line", Change: lined(func(r *record.Sale) { r.Lines[0].Discount = scene.Sum("60.01") }), Want: []string{"I44"}},
		{Name: "discounts above the line", Change: lined(func(r *record.Sale) {
			r.Lines[0].Discount, r.Lines[0].CodeDiscount = scene.Sum("30"), scene.Sum("30.01")
		}), Want: []string{"I44"}},
		{Name: "no piece", Change: lined(func(r *record.Sale) { r.Lines[0].Quantity = affiliate.Amount{} }), Want: []string{"I44"}},
		{Name: "an id twice", Change: lined(func(r *record.Sale) { r.Lines[1].ID = "a" }), Want: []string{"I44"}},
		{Name: "subtotal of other lines", Change: lined(func(r *record.Sale) { r.Subtotal = affiliate.Set(scene.Sum("100.01")) }), Want: []string{"I44"}},
		{Name: "whole, and two lines", Change: lined(func(r *record.Sale) { r.Lines[0].Whole = true }), Want: []string{"I44"}},
		{Name: "refund of a line that no refund named", Change: lined(func(r *record.Sale) { r.Lines[0].Refunded = scene.Sum("1") }), Want: []string{"I41"}},
		{Name: "negative refund of a line", Change: lined(func(r *record.Sale) { r.Lines[0].Refunded = scene.Sum("-1") }), Want: []string{"I41"}},
		{Name: "two rules of a name", Change: rules(rule, affiliate.Rule{Name: "r", When: affiliate.RuleWhen{Products: []string{"p"}}, Pay: rule.Pay}), Want: []string{"I40"}},
		{Name: "rule that another one covers", Change: rules(rule, affiliate.Rule{Name: "s", Pay: rule.Pay}), Want: []string{"I40"}},
		{Name: "rule above 100 %", Change: rules(affiliate.Rule{Name: "r", Pay: paid(affiliate.RulePercentage, "101")}), Want: []string{"I40"}},
	})
}
