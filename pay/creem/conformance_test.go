package creem_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Creem's events, with a first payment that is an
// order of its own, and with one of a subscription.
func TestConformance(t *testing.T) {
	for _, first := range []string{"checkout", "paid"} {
		t.Run(first, func(t *testing.T) {
			paytest.Suite{
				Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
				Tell: func(step paytest.Step) []byte { return tell(t, first, step) },
			}.Run(t)
		})
	}
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "checkout", "checkout_trial", "paid", "renewal", "refund", "dispute", "subscription")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(creem.Events(), "unknown_event", "covered_elsewhere", "zero_amount", "currency", "unit", "no_customer")
	shoptest.Named(t, "payments-creem.md", names, 70, `Get\("(\w+)"(?:, "(\w+)")?\)|case ("[A-Za-z_", ]+)`, "map.go")
}

// tell is Creem's event of a step. It tells of customers only with their payments, and of no
// refund or dispute what becomes of it.
func tell(t *testing.T, first string, step paytest.Step) []byte {
	load := func(name string, changes ...any) []byte {
		return provider.Event(t, name, append(changes, "/id", "evt_"+step.ID, "/created_at", step.At.UnixMilli())...).JSON()
	}
	payer := []any{"customer.id", step.Payer, "customer.email", step.Email, "customer.name", step.Name, "metadata", step.Data}
	net := shoptest.Cents(step.Amount) - shoptest.Cents(step.Tax)
	switch {
	case step.Kind == paytest.Paid && !step.Renewal && first == "checkout":
		return load("checkout", append(payer, "order.transaction", step.Payment, "order.updated_at", step.At.Format(time.RFC3339Nano),
			"order.amount_paid", shoptest.Cents(step.Amount), "order.tax_amount", shoptest.Cents(step.Tax), "order.sub_total", net)...)
	case step.Kind == paytest.Paid:
		name, began := "paid", step.At
		if step.Renewal {
			name, began = "renewal", step.At.AddDate(0, -1, 0)
		}
		return load(name, append(payer, "last_transaction.id", step.Payment, "last_transaction.created_at", step.At.UnixMilli(), "created_at", began.Format(time.RFC3339Nano),
			"last_transaction.amount_paid", shoptest.Cents(step.Amount), "last_transaction.tax_amount", shoptest.Cents(step.Tax), "last_transaction.amount", net)...)
	case step.Kind == paytest.Refund:
		return load("refund", "id", step.Of, "transaction.id", step.Payment, "refund_amount", shoptest.Cents(step.Amount))
	case step.Kind == paytest.Dispute:
		return load("dispute", "id", step.Of, "transaction.id", step.Payment, "amount", shoptest.Cents(step.Amount))
	case step.Kind == paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		return load("subscription", "id", step.Payment, "customer.id", step.Payer, "status", status)
	}
	return nil
}
