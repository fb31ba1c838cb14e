package polar_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/polar"
)

// TestConformance: what any adapter must do, in Polar's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			cfg.Secrets = adapter.Secrets{secret}
			return polar.Handler(p, cfg)
		},
		Map: polar.Map, Sign: sign,
		Tell: func(step paytest.Step) []byte { return tell(t, step) },
	}.Run(t)
}

// tell is Polar's event of a step. It never tells of disputes.
func tell(t *testing.T, step paytest.Step) []byte {
	cents := func(a affiliate.Amount) int64 { return a.Scaled() / 100 }
	load := func(name string, changes ...any) []byte {
		pairs := []any{"timestamp", step.At.Format(time.RFC3339Nano)}
		for i := 0; i < len(changes); i += 2 {
			pairs = append(pairs, "data."+changes[i].(string), changes[i+1])
		}
		return shoptest.Load(t, "testdata/"+name+".json").With(pairs...).JSON()
	}
	refund := func(kind, status string) []byte {
		return load("refund", "id", step.Of, "order_id", step.Payment, "amount", cents(step.Amount)-cents(step.Tax), "tax_amount", cents(step.Tax), "status", status)
	}
	switch step.Kind {
	case paytest.Customer:
		return load("customer", "id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		name := map[bool]string{false: "order_paid", true: "order_cycle"}[step.Renewal]
		net := cents(step.Amount) - cents(step.Tax)
		return load(name, "id", step.Payment, "invoice_number", "inv_"+step.Payment, "created_at", step.At.Format(time.RFC3339Nano), "total_amount", cents(step.Amount), "tax_amount", cents(step.Tax),
			"net_amount", net, "subtotal_amount", net, "customer.id", step.Payer, "customer.email", step.Email, "customer.name", step.Name, "metadata", step.Data)
	case paytest.Refund:
		return refund("refund.created", "succeeded")
	case paytest.RefundFailed:
		return refund("refund.updated", "failed")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		return load("subscription", "id", step.Payment, "customer_id", step.Payer, "status", status)
	}
	return nil
}
