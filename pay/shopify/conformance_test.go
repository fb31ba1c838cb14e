package shopify_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/shopify"
)

// TestConformance: what any adapter must do, in Shopify's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			return shopify.Handler(p, configOf(cfg))
		},
		Map: func(body []byte, cfg adapter.Config) (pay.Action, error) {
			return shopify.Map(body, configOf(cfg))
		},
		Sign: sign,
		Tell: func(step paytest.Step) []byte { return tell(t, step) },
	}.Run(t)
}

// tell is Shopify's event of a step. It tells of no disputes and no subscriptions. A refund that
// fails is told by its transaction. The only customer is that of the recorded events.
func tell(t *testing.T, step paytest.Step) []byte {
	at := step.At.Format(time.RFC3339)
	load := func(name string, changes ...any) []byte {
		return shoptest.Load(t, "testdata/"+name+".json").With(changes...).JSON()
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
		e := shoptest.Load(t, "testdata/order.json").With("id", payment, "updated_at", at, "processed_at", at, "created_at", at,
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
