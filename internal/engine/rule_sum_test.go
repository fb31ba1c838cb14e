package engine_test

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// What a new sale earns is the exact sum of its lines, rounded once: in all sizes, also
// where whole numbers do not hold the sum, and in currencies of all digits.
func TestSumOfLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scaled := func(name string, most int64) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.Int64Range(0, most)).Draw(rt, name))
		}
		var rules []affiliate.Rule
		for i, typ := range []affiliate.RuleType{affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone} {
			pay := affiliate.RulePay{Type: typ}
			switch typ {
			case affiliate.RulePercentage:
				pay.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 1_000_000).Draw(rt, "percent"))
			case affiliate.RuleNone:
			default:
				pay.Rate = affiliate.PercentFromScaled(scaled("amount", 1<<40).Scaled())
			}
			rules = append(rules, affiliate.Rule{Name: fmt.Sprint("r", i), When: affiliate.RuleWhen{Products: []string{fmt.Sprint("p", i)}}, Pay: pay})
		}
		s := scene.NewShop(t, func(c *tributary.Config) {
			c.Currency = rapid.SampledFrom([]affiliate.Currency{"USD", "JPY", "KWD"}).Draw(rt, "currency")
			c.Terms = affiliate.Terms{Type: rapid.SampledFrom([]affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}).Draw(rt, "type"), Rate: affiliate.MustPercent("7.77"), Rules: rules}
		})
		unit := s.Config().Currency.Unit().Scaled()
		in := affiliate.SaleParams{ReferralID: s.Tomas.ID.String()}
		var sum int64
		for i := range rapid.IntRange(1, 6).Draw(rt, "lines") {
			amount := scaled("line", 1<<48).Scaled() / unit * unit
			sum += amount
			in.Lines = append(in.Lines, affiliate.Line{
				ID: fmt.Sprint(i), ProductID: fmt.Sprint("p", rapid.IntRange(0, 5).Draw(rt, "product")), Amount: affiliate.AmountFromScaled(amount),
				Quantity: affiliate.Set(affiliate.AmountFromScaled(scaled("quantity", 1<<62).Scaled() + 1)),
			})
		}
		in.TotalEarned = affiliate.AmountFromScaled(max(sum-rapid.Int64Range(0, sum).Draw(rt, "off")/unit*unit, unit))
		if in.TotalEarned.Scaled() > sum {
			rt.Skip()
		}
		res, err := s.RecordSale(t.Context(), in)
		sale, ok := res.Sale.Get()
		if err != nil || !ok {
			return // the sum is larger than an amount
		}
		e := scene.Must(s.ExplainSale(t.Context(), sale.ID))
		exact, _ := new(big.Rat).SetString(e.Arithmetic.Exact)
		units := new(big.Rat).Quo(exact, big.NewRat(unit, 10_000))
		units.Add(units, big.NewRat(1, 2))
		want := new(big.Int).Quo(units.Num(), units.Denom())
		if got := big.NewInt(sale.CommissionEarned.Scaled() / unit); got.Cmp(want) != 0 || sale.CommissionEarned.Scaled()%unit != 0 {
			rt.Fatalf("%v of %s, want %v units", sale.CommissionEarned, e.Arithmetic.Exact, want)
		}
	})
}
