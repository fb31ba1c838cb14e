package creem_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
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
				Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
					return creem.Handler(p, configOf(cfg))
				},
				Map: func(body []byte, cfg adapter.Config) (pay.Action, error) {
					return creem.Map(body, configOf(cfg))
				},
				Sign: sign,
				Tell: func(step paytest.Step) []byte { return tell(t, first, step) },
			}.Run(t)
		})
	}
}

// tell is Creem's event of a step. It tells of customers only with their payments, and of no
// refund or dispute what becomes of it.
func tell(t *testing.T, first string, step paytest.Step) []byte {
	cents := func(a affiliate.Amount) int64 { return a.Scaled() / 100 }
	load := func(name string, changes ...any) []byte {
		pairs := []any{"id", "evt_" + step.ID, "created_at", step.At.UnixMilli()}
		for i := 0; i < len(changes); i += 2 {
			pairs = append(pairs, "object."+changes[i].(string), changes[i+1])
		}
		return shoptest.Load(t, "testdata/"+name+".json").With(pairs...).JSON()
	}
	payer := []any{"customer.id", step.Payer, "customer.email", step.Email, "customer.name", step.Name, "metadata", step.Data}
	net := cents(step.Amount) - cents(step.Tax)
	switch {
	case step.Kind == paytest.Paid && !step.Renewal && first == "checkout":
		return load("checkout", append(payer, "order.transaction", step.Payment, "order.updated_at", step.At.Format(time.RFC3339Nano),
			"order.amount_paid", cents(step.Amount), "order.tax_amount", cents(step.Tax), "order.sub_total", net)...)
	case step.Kind == paytest.Paid:
		name, began := "paid", step.At
		if step.Renewal {
			name, began = "renewal", step.At.AddDate(0, -1, 0)
		}
		return load(name, append(payer, "last_transaction.id", step.Payment, "last_transaction.created_at", step.At.UnixMilli(), "created_at", began.Format(time.RFC3339Nano),
			"last_transaction.amount_paid", cents(step.Amount), "last_transaction.tax_amount", cents(step.Tax), "last_transaction.amount", net)...)
	case step.Kind == paytest.Refund:
		return load("refund", "id", step.Of, "transaction.id", step.Payment, "refund_amount", cents(step.Amount))
	case step.Kind == paytest.Dispute:
		return load("dispute", "id", step.Of, "transaction.id", step.Payment, "amount", cents(step.Amount))
	case step.Kind == paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		return load("subscription", "id", step.Payment, "customer.id", step.Payer, "status", status)
	}
	return nil
}
