package dodo_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Dodo's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(t, step) },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return lists(t, bodies) },
	}.Run(t)
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "payment", "payment_converted", "payment_discount", "payment_trial", "refund", "dispute", "subscription")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(dodo.Events(), "unknown_event", "covered_elsewhere", "zero_amount", "currency", "unit", "no_customer")
	shoptest.Named(t, "payments-dodo.md", names, 65, `Get\("(\w+)"(?:, "(\w+)")?\)|case ("[A-Za-z_", ]+)`, "map.go")
}

// tell is Dodo's event of a step. It tells of customers only with their payments.
func tell(t *testing.T, step paytest.Step) []byte {
	load := func(name, kind string, changes ...any) []byte {
		return provider.Event(t, name, append(changes, "/timestamp", step.At.Format(time.RFC3339Nano), "/type", kind)...).JSON()
	}
	refund := func(status string) []byte {
		return load("refund", "refund."+status, "refund_id", step.Of, "payment_id", step.Payment, "amount", shoptest.Cents(step.Amount), "status", status)
	}
	dispute := func(status string) []byte {
		return load("dispute", "dispute."+status, "dispute_id", step.Of, "payment_id", step.Payment, "amount", strconv.FormatInt(shoptest.Cents(step.Amount), 10), "dispute_status", "dispute_"+status)
	}
	switch step.Kind {
	case paytest.Paid:
		name := map[bool]string{false: "payment", true: "payment_renewal"}[step.Renewal]
		return load(name, "payment.succeeded", "payment_id", step.Payment, "invoice_id", "inv_"+step.Payment, "created_at", step.At.Format(time.RFC3339Nano), "total_amount", shoptest.Cents(step.Amount), "tax", shoptest.Cents(step.Tax),
			"customer.customer_id", step.Payer, "customer.email", step.Email, "customer.name", step.Name, "metadata", step.Data)
	case paytest.Refund:
		return refund("succeeded")
	case paytest.RefundFailed:
		return refund("failed")
	case paytest.Dispute:
		return dispute("opened")
	case paytest.DisputeWon:
		return dispute("won")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "on_hold", "CANCELLED": "cancelled"}[step.Status]
		return load("subscription", "subscription.updated", "subscription_id", step.Payment, "customer.customer_id", step.Payer, "status", status)
	}
	return nil
}
