package shopify_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/shopify"
)

// TestOrder: an order is a sale of what was paid, with its tax and its lines, for who was
// carried.
func TestOrder(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set("9200001"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	shoptest.Same(t, "name", s.Referral().Name, affiliate.Set("Tomas Novak"))
	s.Want(s.Mara, "20.00")
	s.Send(load(s, "order", "updated_at", s.Now.Add(time.Minute).Format(time.RFC3339))) // orders/updated says it again
	shoptest.Same(t, "outcome", s.Last().Outcome, affiliate.SaleDuplicate)
	s.Want(s.Mara, "20.00")
}

// TestIncluded: where prices include tax, neither the tax nor shipping earns a commission, and
// the discount of a code is on the lines. The customer saw pounds, in which refunds are told.
func TestIncluded(t *testing.T) {
	s := newShop(t, func(c *tributary.Config) { c.Currency = "EUR" })
	a := mapped(t, load(s, "order_included"))
	paid, _ := a.Payment.Sale.Get()
	var lines []string
	for _, l := range paid.Lines {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s less %s", l.Name, l.ProductID, l.PlanID, l.Amount, l.Discount))
	}
	shoptest.Same(t, "lines", strings.Join(lines, "; "), "House Blend 9400001 9410001: 100 less 10; Grinder 9400002 9410002: 25 less 2.5")
	shoptest.Same(t, "tax", paid.Tax, amount("23.5"))
	shoptest.Same(t, "shipping", paid.Shipping, amount("5"))
	shoptest.Same(t, "gross", paid.Gross, amount("112.8"))
	shoptest.Same(t, "gross in", paid.GrossCurrency, "GBP")
	actions := []pay.Action{a, mapped(t, load(s, "refund_included"))}
	shoptest.Orders(2, func(order []int) {
		s := newShop(t, func(c *tributary.Config) { c.Currency = "EUR" })
		for _, i := range order {
			shoptest.Must(pay.Apply(t.Context(), s.Program, actions[i]))
		}
		s.Want(s.Mara, "18.00") // of 112.50, and without 22.50 for goods; 5.50 of tax and 5 of shipping earned nothing
	})
}

// TestPending: a refund counts when its transaction succeeded, with the parts that the refund
// lists, in whatever order both are told.
func TestPending(t *testing.T) {
	s := newShop(t)
	told := []pay.Action{
		mapped(t, brought(s, "order", "total_price", "130.00", "current_total_price", "130.00", "current_total_price_set", nil,
			"shipping_lines", []any{map[string]any{"price": "15.00", "discount_allocations": []any{map[string]any{"amount": "5.00"}}}, map[string]any{"price": "7.00", "is_removed": true}})),
		mapped(t, load(s, "refund_pending")), mapped(t, load(s, "transaction")),
	}
	shoptest.Same(t, "state", told[1].Payment.Refunds[0].State, affiliate.RefundPending)
	shoptest.Orders(3, func(order []int) {
		if got := shoptest.Play(t, told, order).Money(); got != "Mara 10.00, Ben 0.00; sale of 130" {
			t.Errorf("%v: %s", order, got)
		}
	})
	shoptest.Orders(2, func(order []int) {
		if got := shoptest.Play(t, told[:2], order).Money(); got != "Mara 20.00, Ben 0.00; sale of 130" {
			t.Errorf("pending, %v: %s", order, got)
		}
	})
}

// TestOrders: an order, its refunds and what becomes of them are told in any order and repeatedly, also
// by the order itself, and the books are the same.
func TestOrders(t *testing.T) {
	s := newShop(t)
	back := func(status string) any {
		return []any{map[string]any{"id": 9900002, "transactions": []any{map[string]any{"id": 9920002, "kind": "refund", "amount": "30.00", "currency": "USD", "status": status}}}}
	}
	told := []pay.Action{
		mapped(t, load(s, "order", "financial_status", "pending")), mapped(t, brought(s, "order")), mapped(t, load(s, "refund_amount", "transactions.0.status", "pending")),
		mapped(t, brought(s, "order", "financial_status", "partially_refunded", "current_total_price", "90.00", "refunds", back("success"))),
		mapped(t, load(s, "transaction", "id", 9920002, "amount", "30.00")),
	}
	shoptest.Orders(5, func(order []int) {
		if got := shoptest.Play(t, told, order).Money(); got != "Mara 15.00, Ben 0.00; sale of 120" {
			t.Errorf("%v: %s", order, got)
		}
	})
}

// TestAmount: a refund of an amount, without lines, takes its part of the base.
func TestAmount(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "refund_amount"), brought(s, "order"))
	s.Want(s.Mara, "15.00")
	s.Send(load(s, "transaction", "id", 9920002, "amount", "30.00", "status", "error"))
	s.Want(s.Mara, "20.00")
}

// TestRefunded: an order that was given back before it was told earns nothing, and so does its
// refund alone.
func TestRefunded(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order_refunded"))
	shoptest.Same(t, "total", s.Sale().TotalEarned, amount("5.85"))
	s.Want(s.Mara, "0.00")
}

// TestGiftCard: gift cards that were bought and tips earn nothing; what goes back takes its part
// of the rest.
func TestGiftCard(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order_gift"))
	sale := s.Sale()
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	s.Want(s.Mara, "20.00")
	s.Send(load(s, "refund_amount", "order_id", 9200003, "transactions.0.amount", "87.50"))
	s.Want(s.Mara, "10.00")
	s.Send(load(s, "refund_amount", "order_id", 9200003, "transactions.0.amount", "87.50", "transactions.0.id", 5))
	s.Want(s.Mara, "0.00")
}

// TestEdited: an order that was changed before it was paid is of what was paid.
func TestEdited(t *testing.T) {
	s := newShop(t)
	edited := brought(s, "order", "current_total_price", "72.00", "current_total_tax", "12.00", "current_total_price_set.presentment_money.amount", "72.00",
		"refunds", []any{map[string]any{"id": 1, "transactions": []any{}}})
	a := mapped(t, edited)
	shoptest.Same(t, "lines", a.NoLines, pay.LinesUnclear)
	s.Send(edited)
	shoptest.Same(t, "total", s.Sale().TotalEarned, amount("72"))
	s.Want(s.Mara, "12.00")
	void, _ := mapped(t, brought(s, "order", "current_total_price", "72.00", "current_total_tax", "12.00",
		"refunds", []any{map[string]any{"id": 1, "transactions": []any{map[string]any{"id": 2, "kind": "void", "amount": "48.00", "currency": "USD", "status": "success"}}}})).Payment.Sale.Get()
	shoptest.Same(t, "what was never taken", void.TotalEarned, amount("72"))
	late, _ := mapped(t, brought(s, "order", "current_total_price", "0.00", "cancelled_at", "2026-01-01T00:00:00Z")).Payment.Sale.Get()
	shoptest.Same(t, "a cancelled one", late.TotalEarned, amount("120"))
}

// TestRemoved: what an edit removed before the payment is in no amount: neither a gift card, nor a
// line, nor its duties.
func TestRemoved(t *testing.T) {
	s := newShop(t)
	gift := brought(s, "order_gift", "line_items.1.current_quantity", 0, "current_total_price", "120.00", "current_total_price_set", nil, "total_tip_received", "0.00")
	a := mapped(t, gift)
	shoptest.Same(t, "lines", a.NoLines, "")
	s.Send(gift)
	s.Want(s.Mara, "20.00")
	half := mapped(t, brought(s, "order", "line_items.0.quantity", 2, "line_items.0.price", "50.00", "line_items.0.current_quantity", 1, "current_total_price", "60.00",
		"current_total_tax", "10.00", "current_total_price_set.presentment_money.amount", "60.00"))
	paid, _ := half.Payment.Sale.Get()
	shoptest.Same(t, "half of a line", paid.Lines[0].Amount, amount("50"))
	shoptest.Same(t, "its basket", paid.Subtotal, affiliate.Set(amount("50")))
	duties, _ := mapped(t, brought(s, "order", "total_price", "180.00", "current_total_price", "24.00", "current_total_tax", "4.00", "current_total_price_set", nil,
		"original_total_duties_set.shop_money.amount", "60.00", "current_total_duties_set.shop_money.amount", "0.00")).Payment.Sale.Get()
	shoptest.Same(t, "tax", duties.Tax, amount("4"))
	shoptest.Same(t, "basket before the edit", duties.Subtotal.IsZero(), true)
}

// TestDeposit: of an order that has nothing left, and of which less than its price went back, less
// was paid: it earns nothing, in whatever order that is told.
func TestDeposit(t *testing.T) {
	back := func(sum, c string) any {
		return []any{map[string]any{"id": 1, "transactions": []any{map[string]any{"id": 9920002, "kind": "refund", "amount": sum, "currency": c, "status": "success"}}}}
	}
	s := newShop(t)
	refunded := func(changes ...any) pay.Action {
		return mapped(t, brought(s, "order", append([]any{"financial_status", "refunded", "current_total_price", "0.00", "current_total_tax", "0.00"}, changes...)...))
	}
	told := []pay.Action{
		mapped(t, brought(s, "order", "current_total_price", "72.00", "current_total_tax", "12.00", "current_total_price_set.presentment_money.amount", "72.00")),
		refunded("refunds", back("72.00", "USD")), mapped(t, load(s, "refund_amount", "transactions.0.amount", "72.00")),
	}
	shoptest.Orders(3, func(order []int) {
		if got := shoptest.Play(t, told, order).Money(); got != "Mara 0.00, Ben 0.00; sale of 72" {
			t.Errorf("%v: %s", order, got)
		}
	})
	if got := shoptest.Play(t, told, []int{1, 2}).Money(); got != "Mara 0.00, Ben 0.00" {
		t.Errorf("without its payment: %s", got)
	}
	shoptest.Same(t, "in another currency", refunded("refunds", back("160.00", "CAD")).Reason, pay.Revoked)
	shoptest.Same(t, "all of it", refunded("refunds", back("120.00", "USD")).Kind, pay.KindSale)
}

// TestFreeShown: an order of nothing is one also when a tip was paid, or when the customer saw
// another currency.
func TestFreeShown(t *testing.T) {
	code := []any{map[string]any{"code": "MARA20", "amount": "100.00", "type": "percentage"}}
	for name, changes := range map[string][]any{
		"a tip":            {"total_price", "5.00", "current_total_price", "5.00", "total_tip_received", "5.00", "current_total_price_set.presentment_money.amount", "5.00"},
		"another currency": {"total_price", "0.00", "current_total_price", "0.00", "current_total_price_set.presentment_money", map[string]any{"amount": "0.00", "currency_code": "CAD"}},
	} {
		s := newShop(t, func(c *tributary.Config) { c.FreeOrders = true })
		s.Send(load(s, "order", append(changes, "discount_codes", code, "total_tax", "0.00", "current_total_tax", "0.00")...))
		shoptest.Same(t, name, s.Last().Outcome, affiliate.SaleRecorded)
		shoptest.Same(t, name, s.Sale().TotalEarned, amount("0"))
	}
}

// TestOthers: events of other topics do no harm, also those without the number of an object.
func TestOthers(t *testing.T) {
	s := newShop(t)
	for name, e := range map[string]event{
		"a cart":         {"id": "eeafa272cebfd4b22385bc4b645e762c", "token": "1", "line_items": []any{}},
		"a redaction":    {"shop_id": 954889, "shop_domain": "northwind-beans.myshopify.com", "orders_to_redact": []any{9200001}},
		"stock":          {"inventory_item_id": 271878, "available": 2, "updated_at": "2026-01-01T00:00:00Z", "admin_graphql_api_id": "gid://shopify/InventoryLevel/1"},
		"an app's plan":  {"app_subscription": map[string]any{"admin_graphql_api_id": "gid://shopify/AppSubscription/1"}},
		"a deleted one":  {"id": 9200001},
		"a bulk process": {"admin_graphql_api_id": "gid://shopify/BulkOperation/1", "status": "completed"},
	} {
		s.Send(e)
		shoptest.Same(t, name, s.Last().Action.Reason, pay.UnknownEvent)
	}
}

// TestLarge: an order of 500 lines is read, unless the host takes less.
func TestLarge(t *testing.T) {
	s := newShop(t)
	e := brought(s, "order")
	line := e["line_items"].([]any)[0].(map[string]any)
	var lines []any
	for i := range 500 {
		lines = append(lines, map[string]any(event(line).With("id", 9700001+i, "price", "0.20", "tax_lines", []any{}, "properties", []any{map[string]any{"name": "engraving", "value": strings.Repeat("x", 1500)}})))
	}
	e = e.With("line_items", lines)
	if size := len(e.JSON()); size < 1<<20 || size > 2<<20 {
		t.Errorf("%d bytes", size)
	}
	s.Send(e)
	shoptest.Same(t, "lines", s.Last().Action.NoLines, "")
	s.Want(s.Mara, "20.00")
	cfg := config(s)
	cfg.MaxBody = 1 << 20
	s.Hook = shoptest.Must(shopify.Handler(s.Program, cfg))
	shoptest.Same(t, "a smaller one", s.Status(e), http.StatusRequestEntityTooLarge)
}

// TestDuties: duties and additional fees are tax.
func TestDuties(t *testing.T) {
	s := newShop(t)
	e := brought(s, "order", "total_price", "135.00", "current_total_price", "135.00", "current_total_price_set", nil,
		"original_total_duties_set.shop_money.amount", "10.00", "original_total_additional_fees_set.shop_money.amount", "5.00")
	paid, _ := mapped(t, e).Payment.Sale.Get()
	shoptest.Same(t, "tax", paid.Tax, amount("35"))
	s.Send(e)
	s.Want(s.Mara, "20.00")
}

// TestTransactions: only what gives money back is a refund, in the currency of the payment.
func TestTransactions(t *testing.T) {
	s := newShop(t)
	money := func(id int, kind, c string) any {
		return map[string]any{"id": id, "kind": kind, "amount": "30.00", "currency": c, "status": "success"}
	}
	a := mapped(t, load(s, "refund_amount", "transactions", []any{money(1, "void", "USD"), money(2, "refund", "USD")}))
	shoptest.Same(t, "refunds", len(a.Payment.Refunds), 1)
	shoptest.Same(t, "id", a.Payment.Refunds[0].ID, "2")
	a = mapped(t, load(s, "order", "refunds", []any{map[string]any{"transactions": []any{money(3, "refund", "CAD"), money(4, "refund", "USD")}}}))
	shoptest.Same(t, "refunds in the order", len(a.Payment.Refunds), 1)
	shoptest.Same(t, "its id", a.Payment.Refunds[0].ID, "4")
	split := mapped(t, load(s, "refund_included", "order_adjustments", []any{map[string]any{"kind": "refund_discrepancy", "amount_set": map[string]any{"presentment_money": map[string]any{"amount": "1.00"}}}}))
	shoptest.Same(t, "a refund with another discrepancy has no parts", split.Payment.Refunds[0].Tax.IsZero(), true)
}

// TestForeign: money that goes back in the shop's currency, of an order that the customer saw in
// another one, is said to be no refund that counts, and never in the way of the order.
func TestForeign(t *testing.T) {
	s := newShop(t, func(c *tributary.Config) { c.Currency = "EUR" })
	listed := []any{map[string]any{"kind": "refund_discrepancy", "amount_set": map[string]any{"presentment_money": map[string]any{"amount": "-40.00", "currency_code": "GBP"}}}}
	for name, e := range map[string]event{
		"an amount": load(s, "refund_amount", "order_id", 9200002, "transactions.0.currency", "EUR", "order_adjustments", listed),
		"lines":     load(s, "refund_included", "transactions.0.currency", "EUR"),
		"a transaction": load(s, "transaction", "order_id", 9200002, "currency", "EUR",
			"total_unsettled_set", map[string]any{"presentment_money": map[string]any{"amount": "0.0", "currency": "GBP"}}),
	} {
		s.Send(e)
		shoptest.Same(t, name, s.Last().Action.Reason, pay.UnknownUnit)
	}
	s.Send(brought(s, "order_included"), load(s, "refund_included"))
	s.Want(s.Mara, "18.00")
}

// TestCode: a code credits its affiliate, also on an order of nothing.
func TestCode(t *testing.T) {
	code := []any{map[string]any{"code": "MARA20", "amount": "100.00", "type": "percentage"}}
	s := newShop(t)
	s.Send(load(s, "order", "discount_codes", code))
	s.Want(s.Mara, "20.00")
	free := newShop(t)
	free.Send(load(free, "order", "discount_codes", code, "total_price", "0.00", "current_total_price", "0.00", "total_tax", "0.00", "current_total_tax", "0.00"))
	shoptest.Same(t, "affiliate", free.Referral().AffiliateID, free.Mara.ID)
	shoptest.Same(t, "source", free.Referral().IntegrationReferralSource, affiliate.Set(affiliate.Integration("SHOPIFY")))
}

// TestCurrencies: amounts are in units of their currency, with as many decimals as it has.
func TestCurrencies(t *testing.T) {
	for _, row := range []struct {
		currency         affiliate.Currency
		total, tax, want string
	}{{"JPY", "1200", "200", "200"}, {"JPY", "1200.00", "200.00", "200"}, {"KWD", "12.345", "2.345", "2.000"}} {
		s := newShop(t, func(c *tributary.Config) { c.Currency = row.currency })
		s.Send(brought(s, "order", "currency", row.currency, "total_price", row.total, "current_total_price", row.total, "total_tax", row.tax, "current_total_tax", row.tax,
			"current_total_price_set.presentment_money", map[string]any{"amount": row.total, "currency_code": row.currency}))
		s.Want(s.Mara, row.want)
	}
	s := newShop(t)
	s.Send(brought(s, "order_included"))
	shoptest.Same(t, "another currency", s.Last().Action.Reason, pay.OtherCurrency)
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestNotRead: what cannot be booked safely is not, and says why.
func TestNotRead(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name string
		e    event
		want pay.Reason
	}{
		{"a test order", load(s, "order", "test", true), pay.TestMode},
		{"a test refund", load(s, "refund_pending", "transactions.0.test", true), pay.TestMode},
		{"not paid", load(s, "order", "financial_status", "pending"), pay.Unpaid},
		{"a deposit", load(s, "order", "financial_status", "partially_paid"), pay.Unpaid},
		{"authorized", load(s, "order", "financial_status", "authorized"), pay.Unpaid},
		{"voided", load(s, "order", "financial_status", "voided", "cancelled_at", "2026-01-01T00:00:00Z"), pay.Unpaid},
		{"nothing", load(s, "order", "total_price", "0.00", "current_total_price", "0.00", "total_tax", "0.00", "current_total_tax", "0.00"), pay.ZeroAmount},
		{"goods came back without money", load(s, "refund_pending", "transactions", []any{}), pay.ZeroAmount},
		{"nothing given back", load(s, "refund_amount", "transactions.0.amount", "0.00"), pay.ZeroAmount},
		{"a void", load(s, "refund_amount", "transactions.0.kind", "void"), pay.ZeroAmount},
		{"money in two currencies", load(s, "refund_pending", "transactions", []any{
			map[string]any{"id": 1, "kind": "refund", "amount": "1", "currency": "USD"}, map[string]any{"id": 2, "kind": "refund", "amount": "1", "currency": "CAD"},
		}), pay.UnknownUnit},
		{"the payment itself", load(s, "transaction", "kind", "sale"), pay.CoveredElsewhere},
		{"a product", load(s, "order", "admin_graphql_api_id", "gid://shopify/Product/1"), pay.UnknownEvent},
		{"a dispute", event{"id": 1, "order_id": 9200001, "type": "chargeback", "amount": "11.50", "currency": "USD", "status": "lost"}, pay.UnknownEvent},
	} {
		s.Send(row.e)
		shoptest.Same(t, row.name, s.Last().Action.Reason, row.want)
	}
	if !strings.Contains(s.Logs.String(), "it is not known in which unit") {
		t.Error("nothing was logged")
	}
	for name, e := range map[string]event{
		"no total": load(s, "order", "total_price", nil, "current_total_price", nil), "below zero": load(s, "order", "current_total_price", "-1"),
		"too exact": load(s, "order", "current_total_price", "1.23456"), "more tax than money": load(s, "order", "current_total_tax", "121"),
		"no tax": load(s, "order", "current_total_tax", nil), "an empty tax": load(s, "order", "current_total_tax", ""), "no currency": load(s, "order", "currency", nil),
		"no time": load(s, "order", "updated_at", nil, "created_at", nil), "no id": load(s, "order", "id", nil), "no order": load(s, "refund_amount", "order_id", nil), "a refund below zero": load(s, "refund_amount", "transactions.0.amount", "-30.00"),
		"more gift cards than money": load(s, "order_gift", "line_items.1.current_quantity", 4), "so many": load(s, "order_gift", "line_items.1.current_quantity", 1<<40),
	} {
		if got := s.Status(e); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestTestMode: an endpoint for test orders takes no others.
func TestTestMode(t *testing.T) {
	s := newShop(t)
	cfg := config(s)
	cfg.Test = true
	for test, want := range map[bool]pay.Reason{true: "", false: pay.LiveMode} {
		a, err := shopify.Map(load(s, "order", "test", test).JSON(), cfg)
		if err != nil || a.Reason != want || a.Event.Live == test {
			t.Errorf("%t: %s %v", test, a.Reason, err)
		}
	}
}

// TestHeaders: the topic of an event is not signed and not read; what an event of another shop
// is, is not verified.
func TestHeaders(t *testing.T) {
	s := newShop(t)
	s.Request = func(body []byte, now time.Time) *http.Request {
		r := signed(body, now)
		r.Header.Set("X-Shopify-Topic", "refunds/create")
		r.Header.Set("X-Shopify-Triggered-At", "never")
		return r
	}
	s.Send(brought(s, "order"))
	s.Want(s.Mara, "20.00")
	cfg := config(s)
	cfg.Shop = "northwind-beans.myshopify.com"
	body := load(s, "order").JSON()
	for domain, want := range map[string]error{"northwind-beans.myshopify.com": nil, "Northwind-Beans.MyShopify.com": nil, "other.myshopify.com": adapter.ErrSignature, "": adapter.ErrSignature} {
		h := http.Header{}
		sign(h, body, s.Now)
		h.Set("X-Shopify-Shop-Domain", domain)
		if err := shopify.Verify(h, body, cfg); !errors.Is(err, want) {
			t.Errorf("%q: %v", domain, err)
		}
	}
}

// TestTopics: every recorded event is of a topic in the list, and is read.
func TestTopics(t *testing.T) {
	s := newShop(t)
	shoptest.Same(t, "topics", strings.Join(shopify.Topics(), " "), "orders/paid refunds/create order_transactions/create customers/create customers/update")
	for name, want := range map[string]pay.Kind{
		"order": pay.KindSale, "order_included": pay.KindSale, "order_gift": pay.KindSale, "order_refunded": pay.KindSale, "refund_pending": pay.KindRefund,
		"refund_amount": pay.KindRefund, "refund_included": pay.KindRefund, "transaction": pay.KindRefund, "customer": pay.KindCustomer,
	} {
		a := mapped(t, load(s, name))
		shoptest.Same(t, name, a.Kind, want)
		shoptest.Same(t, name+" has lines", a.NoLines, "")
	}
}

// TestConfig: there is no tolerance where there is no time, and no wait where nothing waits.
func TestConfig(t *testing.T) {
	provider.Unusable(t, map[string]func(*shopify.Config){
		"a tolerance": func(cfg *shopify.Config) { cfg.Tolerance = 1 },
		"a wait":      func(cfg *shopify.Config) { cfg.Wait = 1 },
		"no secret":   func(cfg *shopify.Config) { cfg.Secrets = nil },
	})
}
