package lemonsqueezy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Lemon Squeezy's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Sums: true,
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			return lemonsqueezy.Handler(p, configOf(cfg))
		},
		Map: func(body []byte, cfg adapter.Config) (pay.Action, error) {
			return lemonsqueezy.Map(body, configOf(cfg))
		},
		Sign: sign,
		Tell: func(step paytest.Step) []byte { return tell(t, step) },
	}.Run(t)
}

// tell is Lemon Squeezy's event of a step. It tells of no disputes, of no refund that failed, and
// of customers only with their payments. Of a refund it tells the sum.
func tell(t *testing.T, step paytest.Step) []byte {
	cents := func(a affiliate.Amount) int64 { return a.Scaled() / 100 }
	load := func(name string, changes ...any) []byte {
		pairs := []any{"data.attributes.updated_at", step.At.Format(time.RFC3339Nano), "data.attributes.created_at", step.At.Format(time.RFC3339Nano), "meta.webhook_id", step.ID}
		return shoptest.Load(t, "testdata/"+name+".json").With(append(pairs, changes...)...).JSON()
	}
	first := step.Payment == "p1"
	switch step.Kind {
	case paytest.Paid:
		name := map[bool]string{false: "order", true: "invoice"}[step.Renewal]
		return load(name, "data.id", step.Payment, "data.attributes.total", cents(step.Amount), "data.attributes.tax", cents(step.Tax), "data.attributes.subtotal", cents(step.Amount)-cents(step.Tax),
			"data.attributes.user_email", step.Email, "data.attributes.user_name", step.Name, "meta.custom_data", step.Data)
	case paytest.Refund:
		name := map[bool]string{true: "order_refunded", false: "invoice_refunded"}[first]
		return load(name, "data.id", step.Payment, "data.attributes.refunded_amount", cents(step.Sum), "data.attributes.total", cents(step.Gross))
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "expired"}[step.Status]
		return load("subscription", "data.id", step.Payment, "data.attributes.status", status)
	}
	return nil
}
