package lemonsqueezy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Lemon Squeezy's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Sums:    true,
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(t, step) },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return lists(t, bodies) }, Unmarked: true,
	}.Run(t)
}

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	provider.Fuzz(f, "order", "invoice", "invoice_initial", "order_refunded", "subscription", "subscription_created")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	names := append(lemonsqueezy.Events(), "unknown_event", "covered_elsewhere", "unpaid", "zero_amount", "currency", "unit", "test_mode", "live_mode", "no_customer")
	shoptest.Named(t, "payments-lemonsqueezy.md", names, 45, `Get\("(\w+)"\)|case (?:t == )?("[A-Za-z_", ]+)`, "map.go")
}

// tell is Lemon Squeezy's event of a step. It tells of no disputes, of no refund that failed, and
// of customers only with their payments. Of a refund it tells the sum.
func tell(t *testing.T, step paytest.Step) []byte {
	at := step.At.Format(time.RFC3339Nano)
	load := func(name string, changes ...any) []byte {
		return provider.Event(t, name, append(changes, "updated_at", at, "created_at", at, "/meta.webhook_id", step.ID)...).JSON()
	}
	first := step.Payment == "p1"
	switch step.Kind {
	case paytest.Paid:
		name := map[bool]string{false: "order", true: "invoice"}[step.Renewal]
		return load(name, "/data.id", step.Payment, "total", shoptest.Cents(step.Amount), "tax", shoptest.Cents(step.Tax), "subtotal", shoptest.Cents(step.Amount)-shoptest.Cents(step.Tax),
			"user_email", step.Email, "user_name", step.Name, "/meta.custom_data", step.Data)
	case paytest.Refund:
		name := map[bool]string{true: "order_refunded", false: "invoice_refunded"}[first]
		return load(name, "/data.id", step.Payment, "refunded_amount", shoptest.Cents(step.Sum), "total", shoptest.Cents(step.Gross))
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "expired"}[step.Status]
		return load("subscription", "/data.id", step.Payment, "order_id", "p1", "status", status)
	}
	return nil
}
