package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

type object = map[string]any

// told writes the lines of a payment, or why it has none, with its product.
func told(a pay.Action) string {
	paid, _ := a.Payment.Sale.Get()
	if len(paid.Lines) == 0 {
		product, _ := paid.Product.Get()
		return strings.TrimSpace(string(a.NoLines) + " " + product.ProductID)
	}
	lines := make([]string, len(paid.Lines))
	for i, l := range paid.Lines {
		lines[i] = fmt.Sprintf("%s %s %s %s×%s-%s", l.ID, l.ProductID, l.PlanID, l.Quantity.Or(affiliate.Amount{}), l.Amount, l.Discount)
	}
	return strings.Join(lines, ", ")
}

// line is a line of an invoice as versions since 2025-03-31 write it.
func line(id, item string, quantity, amount int, more ...any) object {
	l := object{
		"id": "il_" + id, "amount": amount, "quantity": quantity, "metadata": object{},
		"parent":  object{"type": "subscription_item_details", "subscription_item_details": object{"subscription_item": item, "proration": amount < 0}},
		"pricing": object{"type": "price_details", "price_details": object{"price": "price_" + id, "product": "prod_" + id}},
	}
	for i := 0; i < len(more); i += 2 {
		l[more[i].(string)] = more[i+1]
	}
	return l
}

// tax is the tax of a line, as it is written since 2025-03-31.
func tax(amount int, behavior string) []any {
	return []any{object{"amount": amount, "tax_behavior": behavior}}
}

func off(amount int) []any { return []any{object{"amount": amount, "discount": "di_1"}} }

// billed is a renewal with these lines, which costs total with tax.
func billed(s *shop, total, tax int, lines ...any) event {
	return s.invoice("in_2", "subscription_cycle", total, "lines.data", lines, "lines.total_count", len(lines), "total_taxes", []any{object{"amount": tax}})
}

// TestLinesOfInvoice: lines are without tax, what is given back comes off the lines of its
// item, and lines that do not add up are left out.
func TestLinesOfInvoice(t *testing.T) {
	s := newShop(t)
	old := func(id string, amount, discount, tax int) object {
		return object{
			"id": "il_" + id, "amount": amount, "quantity": 2, "price": object{"id": "price_" + id, "product": object{"id": "prod_" + id}},
			"discount_amounts": off(discount), "tax_amounts": []any{object{"amount": tax, "inclusive": true}, object{"amount": 7, "inclusive": false}},
		}
	}
	for _, row := range []struct {
		name, want string
		event      event
	}{
		{
			"discount", "il_a prod_a price_a 3×90-9, il_b prod_b price_b 1×10-0",
			billed(s, 10920, 1820, line("a", "si_1", 3, 9000, "discount_amounts", off(900), "taxes", tax(1620, "exclusive")), line("b", "si_2", 1, 1000, "taxes", tax(200, "exclusive"))),
		},
		{
			"tax in the price", "il_a prod_a price_a 1×10-1, il_b prod_b price_b 1×5-0",
			billed(s, 1680, 280, line("a", "si_1", 1, 1200, "discount_amounts", off(120), "taxes", tax(180, "inclusive")), line("b", "si_2", 1, 600, "taxes", tax(100, "inclusive"))),
		},
		{"a version before", "il_a prod_a price_a 2×10-1", billed(s, 1087, 187, old("a", 1200, 120, 180))},
		{"the oldest", "il_a prod_a plan_a 0×29-0", billed(s, 2900, 0, object{"id": "il_a", "amount": 2900, "quantity": nil, "plan": object{"id": "plan_a", "product": "prod_a"}})},
		{
			"a credit before tax", "il_a prod_a price_a 1×29-9",
			billed(s, 2000, 0, line("a", "si_1", 1, 2900, "pretax_credit_amounts", []any{object{"amount": 900, "type": "credit_balance_transaction"}})),
		},
		{
			"free for nothing", "il_a prod_a price_a 1×10-10, il_b prod_b price_b 1×5-0",
			billed(s, 500, 0, line("a", "si_1", 1, 1000, "discount_amounts", off(1000)), line("b", "si_2", 1, 500), line("c", "si_3", 1, 0)),
		},
		{
			"unused time", "il_b prod_b price_b 1×15-10, il_c prod_c price_c 1×20-0",
			billed(s, 2500, 0, line("a", "si_1", 1, -1000), line("b", "si_1", 1, 1500), line("c", "si_2", 1, 2000)),
		},
		{
			"unused time of more than its item", "il_b prod_b price_b 1×15-15, il_c prod_c price_c 1×20-5",
			billed(s, 1500, 0, line("b", "si_1", 1, 1500), line("c", "si_2", 1, 2000), line("a", "si_1", 1, -2000)),
		},
		{
			"a credit of no item", "il_a prod_a price_a 1×1-0.34, il_b prod_b price_b 1×1-0.33, il_c prod_c price_c 1×1-0.33",
			billed(s, 200, 0, line("a", "si_1", 1, 100), line("b", "si_2", 1, 100), line("c", "si_3", 1, 100), line("d", "", 1, -100)),
		},
		{"a part by balance", "il_a prod_a price_a 1×29-0", billed(s, 2900, 0, line("a", "si_1", 1, 2900)).With("data.object.amount_paid", 900)},
		{"cut", "lines_cut", billed(s, 2900, 0, line("a", "si_1", 1, 2900)).With("data.object.lines.has_more", true)},
		{"of more", "lines_cut", billed(s, 2900, 0, line("a", "si_1", 1, 2900)).With("data.object.lines.total_count", 11)},
		{"too many", "lines_cut", billed(s, 501, 0, slices.Repeat([]any{line("a", "si_1", 1, 1)}, 501)...)},
		{"none", "lines_missing", billed(s, 2900, 0)},
		{"of another sum", "lines_unclear prod_a", billed(s, 2900, 0, line("a", "si_1", 1, 2000))},
		{"twice", "lines_unclear", billed(s, 2900, 0, line("a", "si_1", 1, 1900), line("b", "si_1", 1, 1000, "id", "il_a"))},
		{"of another type", "lines_unclear prod_a", billed(s, 2900, 0, line("a", "si_1", 1, 2900, "quantity", "1.5"))},
		{"more off than it costs", "lines_unclear prod_a", billed(s, 2900, 0, line("a", "si_1", 1, 2900, "discount_amounts", off(3000)))},
		{"more back than all", "lines_unclear prod_b", billed(s, 2900, 0, line("b", "si_1", 1, 1000), line("a", "si_1", 1, -4000), line("c", "si_3", -1, 0))},
		{"too much", "lines_unclear prod_a", billed(s, 2900, 0, line("a", "si_1", 1, 9e15), line("b", "si_1", 1, -9e15+2900))},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := shoptest.Must(stripe.Map(row.event.JSON(), configAt(s)))
			shoptest.Same(t, "kind", a.Kind, pay.KindSale)
			shoptest.Same(t, "lines", told(a), row.want)
		})
	}
}

// item is a line of a session, in cents.
func item(id string, quantity, subtotal, discount, tax, total int) object {
	return object{
		"id": "li_" + id, "amount_subtotal": subtotal, "amount_discount": discount, "amount_tax": tax, "amount_total": total, "quantity": quantity,
		"price": object{"id": "price_" + id, "product": "prod_" + id},
	}
}

// TestLinesOfSession: the event of a session seldom has its lines; then the host gives them.
func TestLinesOfSession(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name, want string
		event      event
	}{
		{
			"tax besides", "li_a prod_a price_a 2×100-10, li_b prod_b price_b 1×20-0",
			s.session("pi_1", 13200, "amount_subtotal", 12000, "total_details.amount_tax", 2200, "line_items.data", []any{item("a", 2, 10000, 1000, 1800, 10800), item("b", 1, 2000, 0, 400, 2400)}),
		},
		{
			"tax in the price", "li_a prod_a price_a 2×100-10",
			s.session("pi_1", 10800, "amount_subtotal", 12000, "total_details.amount_tax", 1800, "line_items.data", []any{item("a", 2, 12000, 1200, 1800, 10800)}),
		},
		{"none", "lines_missing", s.session("pi_1", 10800)},
		{"converted", "lines_unclear prod_a", s.session("pi_1", 10800, "line_items.data", []any{item("a", 1, 10800, 0, 0, 10800)}, "currency_conversion", object{"source_currency": "eur", "amount_total": 9000, "amount_subtotal": 9000})},
	} {
		t.Run(row.name, func(t *testing.T) {
			shoptest.Same(t, "lines", told(shoptest.Must(stripe.Map(row.event.JSON(), configAt(s)))), row.want)
		})
	}
}

// ruled gives a program rules: 50 % of prod_a, and 7 for each piece of price_b.
func ruled(cfg *tributary.Config) {
	cfg.Terms.Rules = []affiliate.Rule{
		{Name: "a", When: affiliate.RuleWhen{Products: []string{"prod_a"}}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}},
		{Name: "b", When: affiliate.RuleWhen{Plans: []string{"price_b"}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("7")}},
	}
}

// TestLookUp: the host gives the lines of a session. What it does not know is booked without
// them, and what it cannot say now comes again.
func TestLookUp(t *testing.T) {
	for _, row := range []struct {
		name, want string
		answer     string
		err        error
		status     int
	}{
		{"lines", "Mara 64.00, Ben 0.00; sale of 120", `{"data":[
			{"id":"li_a","quantity":1,"amount_subtotal":10000,"amount_discount":0,"amount_tax":0,"amount_total":10000,"price":{"id":"price_a","product":"prod_a"}},
			{"id":"li_b","quantity":2,"amount_subtotal":2000,"amount_discount":0,"amount_tax":0,"amount_total":2000,"price":{"id":"price_b","product":"prod_b"}}
		],"has_more":false}`, nil, http.StatusNoContent},
		{"not known", "Mara 24.00, Ben 0.00; sale of 120", "", nil, http.StatusNoContent},
		{"cut", "Mara 24.00, Ben 0.00; sale of 120", `{"data":[{"id":"li_a"}],"has_more":true}`, nil, http.StatusNoContent},
		{"no list", "Mara 0.00, Ben 0.00", "[", nil, http.StatusServiceUnavailable},
		{"a failure", "Mara 0.00, Ben 0.00", "", errors.New("no answer"), http.StatusServiceUnavailable},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked := ""
			s := newShopWith(t, ruled, func(cfg *stripe.Config) {
				cfg.Lines = func(_ context.Context, account, id string) ([]byte, error) {
					asked += account + id
					return []byte(row.answer), row.err
				}
			})
			shoptest.Same(t, "status", s.Status(s.session("pi_1", 12000, "metadata.tributary_click", "1")), row.status)
			shoptest.Same(t, "asked", asked, "cs_pi_1")
			shoptest.Same(t, "money", s.Money(), row.want)
			if row.status == http.StatusNoContent {
				s.Send(s.refund("re_1", "pi_1", 12000))
				s.Want(s.Mara, "0.00")
			}
			shoptest.Same(t, "asked for a refund", asked, "cs_pi_1")
			shoptest.Same(t, "warned", strings.Contains(s.Logs.String(), "does not say what was bought"), row.name == "not known")
		})
	}
}

// TestRulesOfInvoice: a renewal, its refund and repeats of both earn the same in any order: 50 %
// of 90 less 9, 7 for each of two pieces and 20 % of 9.
func TestRulesOfInvoice(t *testing.T) {
	shoptest.Orders(3, func(order []int) {
		s := newShopWith(t, ruled, nil)
		s.Send(s.subscribed("in_1", 0, "payment_status", "no_payment_required", "metadata.tributary_click", "1"))
		events := []event{
			billed(s, 10000, 0, line("a", "si_1", 3, 9000, "discount_amounts", off(900)), line("b", "si_2", 2, 1000), line("c", "si_3", 1, 900)),
			s.link("in_2", "pi_2"),
			s.refund("re_1", "pi_2", 5000),
		}
		for _, i := range append(slices.Clone(order), order...) {
			s.Send(events[i])
		}
		s.Want(s.Mara, "28.15") // half of 40.50 + 14 + 1.80
		shoptest.Same(t, "lines", len(s.Sale().Lines), 3)
	})
}

// TestCodeOfLines: the discount of a code is in what Stripe charged, and is not taken off a second
// time: 50 % of 100 less 50, and 20 % of 100.
func TestCodeOfLines(t *testing.T) {
	s := newShopWith(t, ruled, nil)
	shoptest.Must(s.UpdateCoupon(t.Context(), s.Coupon.ID, affiliate.CouponUpdate{LimitToProducts: affiliate.Set(true), ProductIDs: affiliate.Set([]string{"prod_a"})}))
	s.Send(s.session("pi_1", 15000, "amount_subtotal", 20000, "discounts", promotions("promo_mara"),
		"line_items.data", []any{item("a", 1, 10000, 5000, 0, 5000), item("c", 1, 10000, 0, 0, 10000)}))
	s.redeemed(1)
	s.Want(s.Mara, "45.00")
}

// TestLinesWarned: lines that were left out are in the log.
func TestLinesWarned(t *testing.T) {
	s := newShop(t)
	s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
	if strings.Contains(s.Logs.String(), "its lines were left out") {
		t.Error("a session without lines is in the log")
	}
	s.Send(billed(s, 2900, 0, line("a", "si_1", 1, 2000)))
	s.Outcome(affiliate.SaleRecorded)
	if !strings.Contains(s.Logs.String(), "its lines were left out") {
		t.Error("nothing in the log")
	}
	s.Want(s.Mara, "11.60")
}
