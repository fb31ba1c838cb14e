package paddle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// line is a line of a transaction, in cents.
func line(id string, quantity, subtotal, discount, tax int) map[string]any {
	return map[string]any{
		"id": "txnitm_" + id, "price_id": "pri_" + id, "quantity": quantity, "product": map[string]any{"id": "pro_" + id[:1], "name": "Beans " + id},
		"totals": map[string]any{"subtotal": fmt.Sprint(subtotal), "discount": fmt.Sprint(discount), "tax": fmt.Sprint(tax), "total": fmt.Sprint(subtotal - discount + tax)},
	}
}

// sold is a transaction with these lines.
func sold(s *shop, subtotal, discount, tax int, lines ...any) event {
	return s.transaction("txn_1", subtotal-discount+tax, tax, "details.line_items", lines, "custom_data.tributary_click", "1",
		"details.totals.subtotal", fmt.Sprint(subtotal), "details.totals.discount", fmt.Sprint(discount))
}

// TestLinesOfTransaction: lines are without tax, what is given back comes off the lines of its
// product, and lines that do not add up are left out.
func TestLinesOfTransaction(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name, want string
		event      event
	}{
		{"one", "txnitm_a pro_a pri_a 1×100-0", sold(s, 10000, 0, 2000, line("a", 1, 10000, 0, 2000))},
		{"discounts", "txnitm_a pro_a pri_a 10×300-30, txnitm_b pro_b pri_b 1×100-0", sold(s, 40000, 3000, 3515, line("a", 10, 30000, 3000, 2565), line("b", 1, 10000, 0, 950))},
		{"unused time", "txnitm_a2 pro_a pri_a2 5×50-20, txnitm_b pro_b pri_b 1×10-0", sold(s, 4000, 0, 0, line("a1", -2, -2000, 0, 0), line("a2", 5, 5000, 0, 0), line("b", 1, 1000, 0, 0))},
		{"of another sum", "lines_unclear pro_a", sold(s, 10000, 0, 0, line("a", 1, 9000, 0, 0))},
		{"of other discounts", "lines_unclear pro_a", sold(s, 10000, 500, 0, line("a", 1, 10000, 0, 0))},
		{"of another type", "lines_unclear pro_a", sold(s, 10000, 0, 0, map[string]any{
			"id": 7, "product": map[string]any{"id": "pro_a"}, "totals": map[string]any{"subtotal": "10000"},
		})},
		{"none", "lines_missing", sold(s, 10000, 0, 0)},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := mapped(t, row.event)
			paid, _ := a.Payment.Sale.Get()
			var lines []string
			for _, l := range paid.Lines {
				lines = append(lines, fmt.Sprintf("%s %s %s %s×%s-%s", l.ID, l.ProductID, l.PlanID, l.Quantity.Or(affiliate.Amount{}), l.Amount, l.Discount))
			}
			if len(lines) == 0 {
				lines = []string{strings.TrimSpace(string(a.NoLines) + " " + paid.Product.Or(affiliate.Product{}).ProductID)}
			}
			shoptest.Same(t, "lines", strings.Join(lines, ", "), row.want)
		})
	}
}

// TestRulesOfTransaction: a transaction, its refund and repeats of both earn the same in any order: 50
// % of 270, 7 for each of two pieces, and 20 % of 20.
func TestRulesOfTransaction(t *testing.T) {
	shoptest.Orders(3, func(order []int) {
		s := newShopWith(t, nil, func(cfg *tributary.Config) {
			cfg.Terms.Rules = []affiliate.Rule{
				{Name: "a", When: affiliate.RuleWhen{Products: []string{"pro_a"}}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}},
				{Name: "b", When: affiliate.RuleWhen{Plans: []string{"pri_b"}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("7")}},
			}
		})
		events := []event{
			s.customer(),
			sold(s, 42000, 3000, 0, line("a", 10, 30000, 3000, 0), line("b", 2, 10000, 0, 0), line("c", 1, 2000, 0, 0)),
			s.adjusted("adj_1", "refund", "txn_1", 19500),
		}
		for range 2 {
			for _, i := range order {
				s.Send(events[i])
			}
		}
		s.Want(s.Mara, "76.50") // half of 135 + 14 + 4
	})
}
