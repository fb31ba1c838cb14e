package adapter_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// TestLinesKeepMoney: what lines cost is what their payment cost, whatever they give back; no
// discount is above its amount, and all are whole units.
func TestLinesKeepMoney(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(rt, name) }
		of := adapter.Whole{Unit: rapid.SampledFrom([]int64{10, 100, 10_000}).Draw(rt, "unit")}
		var parts []adapter.Part
		net, sold := int64(0), int64(0)
		for i := range number("lines", 1, 8) {
			p := adapter.Part{ID: fmt.Sprint("l", i), Of: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "of")}
			if p.Gross = number("gross", -1000, 9000); p.Gross < 0 {
				p.Net = p.Gross + number("tax given back", 0, -p.Gross)
			} else {
				p.Off = number("off", 0, p.Gross)
				p.Net = number("net", 0, p.Gross-p.Off)
				sold += p.Net
			}
			for _, n := range []*int64{&p.Gross, &p.Off, &p.Net} {
				*n *= of.Unit
			}
			parts, net, of.Gross = append(parts, p), net+p.Net, of.Gross+p.Gross
		}
		of.Net = net
		lines, why := adapter.Lines(parts, of)
		if net < 0 || sold == 0 {
			if net < 0 && why != pay.LinesUnclear {
				rt.Fatalf("%d is given back, and the lines are %v", -net, lines)
			}
			return
		}
		if why != "" {
			rt.Fatalf("no lines: %s", why)
		}
		for _, l := range lines {
			if l.Discount.Sign() < 0 || l.Discount.Cmp(l.Amount) > 0 || l.Amount.Scaled()%of.Unit != 0 || l.Discount.Scaled()%of.Unit != 0 {
				rt.Fatalf("line %v", l)
			}
			net -= l.Amount.Scaled() - l.Discount.Scaled()
		}
		if net != 0 {
			rt.Fatalf("%s is lost", affiliate.AmountFromScaled(net))
		}
	})
}
