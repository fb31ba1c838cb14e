package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestShippingTax: the tax of shipping is deducted once, whether the price of
// shipping includes it or not, in a session and in an invoice.
func TestShippingTax(t *testing.T) {
	cost := func(sub, tax, total int) map[string]any {
		return map[string]any{"amount_subtotal": sub, "amount_tax": tax, "amount_total": total}
	}
	for name, changes := range map[string][]any{
		"included":     {"amount_total", 62400, "total_details.amount_tax", 10400, "total_details.amount_shipping", 2400, "shipping_cost", cost(2400, 400, 2400)},
		"not included": {"amount_total", 62400, "total_details.amount_tax", 10400, "total_details.amount_shipping", 2000, "shipping_cost", cost(2000, 400, 2400)},
		"without tax":  {"amount_total", 62000, "total_details.amount_tax", 10000, "total_details.amount_shipping", 2000, "shipping_cost", cost(2000, 0, 2000)},
		"not said":     {"amount_total", 62000, "total_details.amount_tax", 10000, "total_details.amount_shipping", 2000},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 62400, append(changes, "amount_subtotal", 50000, "metadata.tributary_click", "1")...))
			s.Want(s.Mara, "100.00")
			shoptest.Same(t, "shipping", s.Sale().ShippingAmount, affiliate.MustAmount("20"))
		})
	}
	for name, changes := range map[string][]any{
		"included":     {"amount_shipping", 2400, "shipping_cost", cost(2400, 400, 2400)},
		"not included": {"amount_shipping", 2000, "shipping_cost", cost(2000, 400, 2400)},
		"no sum":       {"shipping_cost", cost(2000, 400, 2400)},
	} {
		t.Run("an invoice, "+name, func(t *testing.T) {
			s := newShopWith(t, nil, func(cfg *stripe.Config) { cfg.OneOffInvoices = true })
			s.Send(s.invoice("in_1", "manual", 62400, append(changes, "parent", nil, "subtotal", 50000, "total_taxes",
				[]any{map[string]any{"amount": 10400}}, "metadata.tributary_click", "1")...))
			s.Want(s.Mara, "100.00")
		})
	}
}

// TestPartialCapture: what was authorized and not captured was never paid, so it
// is no refund, though Stripe counts it as one.
func TestPartialCapture(t *testing.T) {
	released := map[string]any{"id": "re_rest", "amount": 3000, "status": "succeeded"}
	mine := map[string]any{"id": "re_1", "amount": 4500, "status": "succeeded"}
	for name, tt := range map[string]struct {
		want    string
		changes []any
	}{
		"the rest alone":             {"15.00", []any{"amount_refunded", 3000}},
		"with its refund":            {"15.00", []any{"amount_refunded", 3000, "refunds", map[string]any{"data": []any{released}}}},
		"and a refund":               {"7.50", []any{"amount_refunded", 7500}},
		"and a refund, both listed":  {"7.50", []any{"amount_refunded", 7500, "refunds", map[string]any{"data": []any{mine, released}}}},
		"and all that was captured":  {"0.00", []any{"amount_refunded", 12000}},
		"not captured, all released": {"15.00", []any{"amount_captured", 0, "captured", false, "amount_refunded", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 9000, "amount_subtotal", 7500, "total_details.amount_tax", 1500, "metadata.tributary_click", "1"))
			s.Send(s.load("charge_refunded", append([]any{"amount_captured", 9000}, tt.changes...)...))
			s.Want(s.Mara, tt.want)
		})
	}
}

// TestManualCapture: a Checkout whose payment the host captures by hand is booked
// when it is captured, with what was captured, whichever event comes first.
func TestManualCapture(t *testing.T) {
	for _, customer := range []any{"cus_T", nil} {
		inEachOrder(t, 2, func(s *shop, order []int) {
			events := []event{
				s.first("payment_status", "unpaid", "customer", customer, "discounts", []any{map[string]any{"promotion_code": "promo_mara"}}, "metadata.tributary_click", "2"),
				s.load("intent", "id", "pi_1", "capture_method", "manual", "amount", 12000, "amount_received", 9000,
					"customer", customer, "receipt_email", nil, "metadata", map[string]any{"tributary_click": "2"}),
			}
			for i, next := range order {
				s.Send(events[next])
				if i == 0 {
					shoptest.Same(s.T, "sales", len(s.AllSales()), 0)
				}
			}
			s.Want(s.Mara, "15.00")
			shoptest.Same(s.T, "tax", s.Sale().TaxAmount, affiliate.MustAmount("15"))
			s.Send(s.refund("re_1", "pi_1", 4500))
			s.Want(s.Mara, "7.50")
		})
	}
	s := newShop(t) // nobody's word, no session
	s.Send(s.load("intent", "id", "pi_9", "capture_method", "manual", "metadata", map[string]any{}))
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestIntentEmail: an intent that the host books takes the email from the
// customer, or from the billing details of its charge, in whatever order they come.
func TestIntentEmail(t *testing.T) {
	for _, want := range []string{"payment_intent.succeeded", "customer.created", "charge.succeeded"} {
		if !slices.Contains(stripe.Events(), want) {
			t.Errorf("Events lacks %s", want)
		}
	}
	marks := map[string]any{"tributary_via": "intent", "tributary_click": "1"}
	for name, tell := range map[string]func(s *shop) event{
		"by the customer": func(s *shop) event {
			return s.load("customer", "/type", "customer.created", "id", "cus_T", "email", "tomas@example.com")
		},
		"by the charge": func(s *shop) event {
			return s.load("charge", "/type", "charge.succeeded", "id", "ch_1", "payment_intent", "pi_1", "customer", "cus_T", "metadata", marks,
				"billing_details", map[string]any{"email": "tomas@example.com", "name": "Tomas Reis"})
		},
		"by the charge of a guest": func(s *shop) event {
			return s.load("charge", "/type", "charge.succeeded", "id", "ch_1", "payment_intent", "pi_1", "customer", nil, "metadata", marks,
				"billing_details", map[string]any{"email": "tomas@example.com", "name": "Tomas Reis"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				var customer any = "cus_T"
				if name == "by the charge of a guest" {
					customer = nil
				}
				events := []event{tell(s), s.load("intent", "id", "pi_1", "amount", 10000, "amount_received", 10000, "latest_charge", "ch_1",
					"amount_details", nil, "customer", customer, "receipt_email", nil, "metadata", marks)}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "20.00")
				shoptest.Same(s.T, "email", s.Referral().Email, "tomas@example.com")
			})
		})
	}
}

// TestFirstInvoice: the first invoice of a subscription that began without
// Checkout waits for a session and is then booked. One whose session came, or says that
// it books, or of somebody whom nobody brought, is never asked for again.
func TestFirstInvoice(t *testing.T) {
	s := newShop(t)
	first := s.invoice("in_1", "subscription_create", 2900, "metadata.tributary_click", "1")
	shoptest.Same(t, "at once", s.Status(first), 503)
	s.Pass(time.Hour + time.Second)
	s.Send(first)
	s.Want(s.Mara, "5.80")

	s = newShop(t)
	s.Send(s.invoice("in_1", "subscription_create", 2900))
	s.Ignored(pay.FirstFromSession)

	s = newShop(t)
	first = s.invoice("in_1", "subscription_create", 2900, "metadata.tributary_click", "2")
	shoptest.Same(t, "before its session", s.Status(first), 503)
	s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), first)
	s.Ignored(pay.FirstFromSession)
	s.Pass(2 * time.Hour)
	s.Send(first)
	s.Want(s.Mara, "5.80")

	s = newShop(t)
	s.Pass(2 * time.Hour)
	s.Send(s.invoice("in_1", "subscription_create", 2900, "parent.subscription_details.metadata", map[string]any{"tributary_via": "session", "tributary_click": "1"}))
	s.Ignored(pay.FirstFromSession)
	if strings.Contains(s.Logs.String(), "WARN") {
		t.Errorf("logged %s", s.Logs.String())
	}
}

// TestOrganicRenewal: a renewal of somebody whom nobody brought is never asked for
// again, also when the host carries its way, or a click that credits nobody.
func TestOrganicRenewal(t *testing.T) {
	for name, meta := range map[string]map[string]any{
		"nothing": {}, "the way": {"tributary_via": "session"}, "the way and an order": {"tributary_via": "session", "tributary_order": "order-7", "tributary_customer": "u-7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata", meta), s.invoice("in_1", "subscription_create", 2900, "parent.subscription_details.metadata", meta))
			for _, reason := range []string{"subscription_cycle", "subscription_update", "subscription_cycle"} {
				s.Pass(30 * 24 * time.Hour)
				s.Send(s.invoice("in_"+s.Now.String(), reason, 2900, "parent.subscription_details.metadata", meta))
			}
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
		})
	}
	s := newShop(t)
	dead := map[string]any{"tributary_via": "session", "tributary_click": "77"}
	s.Send(s.subscribed("in_1", 2900, "metadata", dead))
	s.Pass(30 * 24 * time.Hour)
	s.Send(s.invoice("in_2", "subscription_cycle", 2900, "parent.subscription_details.metadata", dead))
	young := newShop(t) // an update in the first minutes, of a customer whom a code brought
	update := young.invoice("in_2", "subscription_update", 1000, "period_start", young.Now.Add(-5*time.Minute).Unix())
	shoptest.Same(t, "before the first", young.Status(update), 503)
	young.Send(young.subscribed("in_1", 2900, "discounts", []any{map[string]any{"promotion_code": "promo_mara"}}), update)
	young.Want(young.Mara, "7.80")
}

// TestRenewalOrder: a renewal that carries the first order's id is a sale of its
// own, and its refund is its own; it says which payment of the customer it is.
func TestRenewalOrder(t *testing.T) {
	s := newShop(t)
	meta := map[string]any{"tributary_via": "session", "tributary_order": "order-1042"}
	s.Send(s.subscribed("in_1", 4350, "metadata", map[string]any{"tributary_click": "1", "tributary_order": "order-1042"}))
	for i, reason := range []string{"subscription_cycle", "subscription_update", "subscription_cycle"} {
		s.Pass(30 * 24 * time.Hour)
		id := []string{"in_2", "in_3", "in_4"}[i]
		s.Send(s.invoice(id, reason, 4350, "parent.subscription_details.metadata", meta))
		s.Outcome(affiliate.SaleRecorded)
		s.Send(s.link(id, "pi_"+id))
	}
	s.Want(s.Mara, "34.80")
	s.Send(s.refund("re_1", "pi_in_3", 4350))
	s.Want(s.Mara, "26.10")
	for _, sale := range s.AllSales() {
		told := shoptest.Must(s.ExplainSale(t.Context(), sale.ID))
		if sale.ExternalID.Or("") == "order-1042" != (told.Terms.Payment.Or(0) == 1) {
			t.Errorf("sale %v of %v is payment %v", sale.ID, sale.ExternalID, told.Terms.Payment)
		}
	}
}

// TestTrialPayment: the first payment after a trial is the customer's first.
func TestTrialPayment(t *testing.T) {
	s := newShop(t)
	s.Send(s.subscribed("in_1", 0, "payment_status", "no_payment_required", "metadata.tributary_click", "1"))
	s.Send(s.invoice("in_2", "subscription_cycle", 2900))
	told := shoptest.Must(s.ExplainSale(t.Context(), s.Sale().ID))
	shoptest.Same(t, "payment", told.Terms.Payment, affiliate.Set(int64(1)))
}

// TestInvoiceLines: what an invoice says stands in any of its lines, and the sale has
// the products of all.
func TestInvoiceLines(t *testing.T) {
	line := func(amount int, product string, meta map[string]any) map[string]any {
		return map[string]any{"amount": amount, "metadata": meta, "pricing": map[string]any{"price_details": map[string]any{"product": product}}}
	}
	s := newShopWith(t, nil, func(cfg *stripe.Config) { cfg.OneOffInvoices = true })
	s.Send(s.invoice("in_1", "manual", 5000, "parent", nil, "lines.data", []any{
		line(2000, "prod_a", map[string]any{}), line(3000, "prod_b", map[string]any{"tributary_code": "MARA20"}),
	}))
	s.Want(s.Mara, "10.00")
	shoptest.Same(t, "products", len(s.Sale().ProductsBought), 2)
}

// TestSessionLines: a code that is restricted to a product does not depend on the
// order of the lines.
func TestSessionLines(t *testing.T) {
	a, b := map[string]any{"amount_total": 2000, "price": map[string]any{"product": "prod_a"}}, map[string]any{"amount_total": 3000, "price": map[string]any{"product": "prod_b"}}
	for _, tt := range []struct {
		lines []any
		want  string
	}{{[]any{a, b}, "10.00"}, {[]any{b, a}, "10.00"}, {[]any{b, b}, "10.00"}, {[]any{a, a}, "0.00"}} {
		s := newShop(t)
		shoptest.Must(s.UpdateCoupon(t.Context(), s.Coupon.ID, affiliate.CouponUpdate{LimitToProducts: affiliate.Set(true), ProductIDs: affiliate.Set([]string{"prod_b"})}))
		s.Send(s.session("pi_1", 5000, "discounts", []any{map[string]any{"promotion_code": "promo_mara"}}, "line_items", map[string]any{"data": tt.lines}))
		s.Want(s.Mara, tt.want)
	}
}

// TestOrganization: an event of an Organization names its account in the context.
func TestOrganization(t *testing.T) {
	s := newShop(t)
	cfg := configAt(s)
	for name, tt := range map[string]struct {
		changes []any
		want    string
	}{
		"the context":         {[]any{"/context", "acct_1"}, "acct_1"},
		"a path":              {[]any{"/context", "org_1/acct_2"}, "acct_2"},
		"both":                {[]any{"/context", "acct_3", "/account", "acct_4"}, "acct_4"},
		"a connected account": {[]any{"/account", "acct_5"}, "acct_5"},
		"neither":             {[]any{"/context", nil}, ""},
	} {
		action, err := stripe.Map(s.first(tt.changes...).JSON(), cfg)
		if err != nil || action.Event.Account != tt.want {
			t.Errorf("%s: %q, %v, want %q", name, action.Event.Account, err, tt.want)
		}
		if foreign := action.Reason == pay.OtherAccount; foreign != (tt.want != "") {
			t.Errorf("%s: %+v", name, action.Reason)
		}
	}
}

// TestPrevented: of a dispute that was prevented the money is away when it was
// taken from the host's balance; of a blocked one a refund tells.
func TestPrevented(t *testing.T) {
	moved := []any{map[string]any{"amount": -12000}}
	for name, tt := range map[string]struct {
		want    string
		changes []any
	}{
		"money was taken":       {"0.00", []any{"balance_transactions", moved}},
		"resolved":              {"0.00", []any{"balance_transactions", []any{}, "payment_method_details", map[string]any{"card": map[string]any{"case_type": "resolution"}}}},
		"blocked":               {"20.00", []any{"balance_transactions", []any{}, "payment_method_details", map[string]any{"card": map[string]any{"case_type": "block"}}}},
		"taken and given back":  {"20.00", []any{"balance_transactions", []any{moved[0], map[string]any{"amount": 12000}}}},
		"nothing is said of it": {"20.00", []any{"balance_transactions", []any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "prevented", 12000, tt.changes...))
			s.Want(s.Mara, tt.want)
		})
	}
}

// TestCreditNoteTax: of a refund with a credit note the note says how much is tax
// and shipping, before the refund's own event or after it.
func TestCreditNoteTax(t *testing.T) {
	taxes := func(n int) []any { return []any{map[string]any{"amount": n}} }
	for name, tt := range map[string]struct {
		want    string
		changes []any
	}{
		"the tax":             {"20.00", []any{"total", 2000, "total_taxes", taxes(2000)}},
		"goods alone":         {"16.00", []any{"total", 2000, "total_taxes", []any{}}},
		"goods and tax":       {"16.67", []any{"total", 2000, "total_taxes", taxes(333)}},
		"in an older version": {"20.00", []any{"total", 2000, "total_taxes", nil, "tax_amounts", taxes(2000)}},
		"with one refund":     {"20.00", []any{"total", 2000, "total_taxes", nil, "tax_amounts", taxes(2000), "refunds", shoptest.Gone, "refund", "re_1"}},
		"and it is an object": {"20.00", []any{"total", 3000, "total_taxes", nil, "tax_amounts", taxes(3000), "refunds", nil, "refund", map[string]any{"id": "re_1", "amount": 2000}, "customer_balance_transaction", "cbtxn_1"}},
		"not said":            {"16.67", []any{"total", 2000, "total_taxes", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.invoice("in_1", "subscription_cycle", 12000, "metadata.tributary_click", "1", "subtotal", 10000, "total_taxes", taxes(2000),
					"metadata.tributary_via", "invoice"), s.link("in_1", "pi_1"))
				events := []event{
					s.refund("re_1", "pi_1", 2000),
					s.load("credit_note", append([]any{"invoice", "in_1", "amount", 2000, "out_of_band_amount", 0,
						"refunds", []any{map[string]any{"refund": "re_1", "amount_refunded": 2000}}}, tt.changes...)...),
				}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, tt.want)
			})
		})
	}
	s := newShop(t) // given back by the host itself
	s.Send(s.invoice("in_1", "subscription_cycle", 12000, "metadata.tributary_click", "1", "subtotal", 10000, "total_taxes", taxes(2000), "metadata.tributary_via", "invoice"))
	s.Send(s.load("credit_note", "invoice", "in_1", "out_of_band_amount", 2000, "total", 2000, "total_taxes", taxes(2000)))
	s.Want(s.Mara, "20.00")
}

// TestConvertedSession: of a session whose customer was shown another currency, refunds
// and disputes come in that, and take their part of what was booked.
func TestConvertedSession(t *testing.T) {
	s := newShop(t)
	s.Send(s.load("session_converted", "metadata", map[string]any{"tributary_click": "1"}))
	s.Want(s.Mara, "20.00")
	s.Send(s.refund("re_1", "pi_1", 5400, "currency", "eur"))
	s.Want(s.Mara, "10.00")
	s.Send(s.dispute("du_1", "lost", 5400, "currency", "eur"))
	s.Want(s.Mara, "0.00")
	s.Send(s.refund("re_2", "pi_1", 100))
	if s.Last().Refusal == nil {
		t.Errorf("a refund in another currency: %+v", s.Last())
	}
	sum := newShop(t)
	sum.Send(sum.load("session_converted", "metadata", map[string]any{"tributary_click": "1"}))
	sum.Send(sum.load("charge_refunded", "currency", "eur", "amount", 10800, "amount_captured", 10800, "amount_refunded", 2700))
	sum.Want(sum.Mara, "15.00")
}

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
