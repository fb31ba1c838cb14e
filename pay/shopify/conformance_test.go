package shopify_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/shopify"
)

// TestConformance: what any adapter must do, in Shopify's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(t, step) },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return orders(t, bodies) },
	}.Run(t)
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "order", "order_included", "order_gift", "order_refunded", "refund_pending", "refund_included", "transaction", "customer")
}

// TestDocsLists: the guide names each topic, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(shopify.Topics(), shopify.HeaderName, "X-Shopify-Shop-Domain", "Order", "Refund", "OrderTransaction", "Customer", "refund", "presentment_money",
		"unknown_event", "unpaid", "zero_amount", "covered_elsewhere", "currency", "unit", "test_mode", "live_mode")
	shoptest.Named(t, "payments-shopify.md", names, 80, `Get\("(\w+)"|"(\w+_(?:at|set|price|tax))"|case ("[A-Za-z_", ]+)`, "map.go", "order.go", "refund.go")
}

// tell is Shopify's event of a step. It tells of no disputes and no subscriptions. A refund that
// fails is told by its transaction. The only customer is that of the recorded events.
func tell(t *testing.T, step paytest.Step) []byte {
	at := step.At.Format(time.RFC3339)
	load := func(name string, changes ...any) []byte {
		return provider.Event(t, name, changes...).JSON()
	}
	var payment, refund int64
	fmt.Sscanf(step.Payment, "p%d", &payment)
	fmt.Sscanf(step.Of, "r%d", &refund)
	refund += payment * 1000
	switch step.Kind {
	case paytest.Customer:
		return load("customer", "email", step.Email, "first_name", step.Name, "updated_at", at)
	case paytest.Paid:
		net := shoptest.Must(step.Amount.Sub(step.Tax)).String()
		total, tax := step.Amount.String(), step.Tax.String()
		e := provider.Event(t, "order", "id", payment, "updated_at", at, "processed_at", at, "created_at", at,
			"total_price", total, "total_price_set.presentment_money.amount", total, "total_tax", tax, "current_total_price", total,
			"current_total_price_set.presentment_money.amount", total, "current_total_tax", tax, "total_line_items_price", net,
			"line_items.0.price", net, "line_items.0.tax_lines.0.price", tax,
			"customer.email", step.Email, "email", step.Email, "contact_email", step.Email, "customer.first_name", step.Name)
		return carrying(e, step.Data).JSON()
	case paytest.Refund:
		return load("refund_amount", "id", refund, "order_id", payment, "created_at", at, "processed_at", at,
			"transactions.0.id", refund, "transactions.0.order_id", payment, "transactions.0.amount", step.Amount.String())
	case paytest.RefundFailed:
		return load("transaction", "id", refund, "order_id", payment, "created_at", at, "processed_at", at, "amount", step.Amount.String(), "status", "failure")
	}
	return nil
}
