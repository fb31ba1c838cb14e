package woocommerce_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// TestConformance: what any adapter must do, in WooCommerce's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(t, step) },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return orders(t, bodies) },
	}.Run(t)
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "order", "order_coupon", "order_refunded", "order_gift_cards", "order_renewal", "customer")
}

// TestDocsLists: the guide names each topic, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(woocommerce.Topics(), woocommerce.HeaderName, "_subscription_renewal", "key", "value", "unknown_event", "unpaid", "zero_amount", "currency")
	shoptest.Named(t, "payments-woocommerce.md", names, 50, `Get\("(\w+)"|"(\w+_gmt)"|case ("[A-Za-z_", -]+)`, "map.go")
}

// tell is WooCommerce's event of a step: always the order as it is. It tells of no disputes, no
// refunds that failed, and no subscriptions. The step of a refund does not know who paid and
// what was carried, so it is told as by an order that was cancelled besides. The only customer
// is that of the recorded events.
func tell(t *testing.T, step paytest.Step) []byte {
	at := stamp(step.At)
	var payment, refund int64
	fmt.Sscanf(step.Payment, "p%d", &payment)
	fmt.Sscanf(step.Of, "r%d", &refund)
	load := func(name string, changes ...any) shoptest.Event {
		return provider.Event(t, name, append([]any{"date_modified_gmt", at}, changes...)...)
	}
	switch step.Kind {
	case paytest.Customer:
		return load("customer", "email", step.Email, "first_name", step.Name).JSON()
	case paytest.Paid:
		net := shoptest.Must(step.Amount.Sub(step.Tax)).String()
		e := carrying(load("order", "id", payment, "number", fmt.Sprint(payment), "date_paid_gmt", at, "total", step.Amount.String(), "total_tax", step.Tax.String(),
			"line_items.0.subtotal", net, "line_items.0.total", net, "billing.email", step.Email, "billing.first_name", step.Name), step.Data)
		if step.Renewal {
			e = e.With("meta_data", append(e["meta_data"].([]any), map[string]any{"key": "_subscription_renewal", "value": "s1"}))
		}
		return e.JSON()
	case paytest.Refund:
		return load("order", "id", payment, "status", "cancelled", "total", step.Gross.String(),
			"refunds", []any{map[string]any{"id": payment*1000 + refund, "reason": "", "total": "-" + step.Amount.String()}}).JSON()
	}
	return nil
}
