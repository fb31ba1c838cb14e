package polar_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/polar"
)

// TestConformance: what any adapter must do, in Polar's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(t, step) },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return lists(t, bodies) },
	}.Run(t)
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "order_paid", "order_trial", "order_discount", "refund", "subscription", "customer")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(polar.Events(), "unknown_event", "covered_elsewhere", "zero_amount", "currency", "unit", "no_customer")
	shoptest.Named(t, "payments-polar.md", names, 60, `Get\("(\w+)"(?:, "(\w+)")?\)|case ("[A-Za-z_", ]+)`, "map.go")
}

// tell is Polar's event of a step. It never tells of disputes.
func tell(t *testing.T, step paytest.Step) []byte {
	load := func(name string, changes ...any) []byte {
		return provider.Event(t, name, append(changes, "/timestamp", step.At.Format(time.RFC3339Nano))...).JSON()
	}
	refund := func(kind, status string) []byte {
		return load("refund", "id", step.Of, "order_id", step.Payment, "amount", shoptest.Cents(step.Amount)-shoptest.Cents(step.Tax), "tax_amount", shoptest.Cents(step.Tax), "status", status)
	}
	switch step.Kind {
	case paytest.Customer:
		return load("customer", "id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		name := map[bool]string{false: "order_paid", true: "order_cycle"}[step.Renewal]
		net := shoptest.Cents(step.Amount) - shoptest.Cents(step.Tax)
		return load(name, "id", step.Payment, "invoice_number", "inv_"+step.Payment, "created_at", step.At.Format(time.RFC3339Nano), "total_amount", shoptest.Cents(step.Amount), "tax_amount", shoptest.Cents(step.Tax),
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
