package proofs_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// BenchmarkSaleLines is one sale by code with an email, without lines and with five of them
// that two rules decide about. Source: docs/terms.md.
func BenchmarkSaleLines(b *testing.B) {
	rules := []affiliate.Rule{
		{Name: "gift cards", When: affiliate.RuleWhen{Categories: []string{"gift-card"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
		{Name: "seats", When: affiliate.RuleWhen{Products: []string{"p1", "p2"}}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("30")}},
	}
	for _, bb := range []struct {
		name  string
		lines int
		rules []affiliate.Rule
	}{{"none", 0, nil}, {"rules", 0, rules}, {"five", 5, rules}} {
		b.Run(bb.name, func(b *testing.B) {
			s := scene.NewShop(b, func(c *tributary.Config) { c.Terms.Rules = bb.rules })
			in := affiliate.SaleParams{PromoCode: "ADA20", Email: "tomas@example.net", TotalEarned: scene.Sum("100")}
			for i := range bb.lines {
				in.Lines = append(in.Lines, affiliate.Line{ID: fmt.Sprint(i), ProductID: fmt.Sprint("p", i), Quantity: affiliate.Set(scene.Sum("1")), Amount: scene.Sum("25")})
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				in.ExternalID = fmt.Sprint("order-", i)
				scene.Must(s.RecordSale(b.Context(), in))
			}
		})
	}
}
