package dodo_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Dodo's events.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			cfg.Secrets = adapter.Secrets{secret}
			return dodo.Handler(p, cfg)
		},
		Map: dodo.Map, Sign: sign,
		Tell: func(step paytest.Step) []byte { return tell(t, step) },
	}.Run(t)
}

// tell is Dodo's event of a step. It tells of customers only with their payments.
func tell(t *testing.T, step paytest.Step) []byte {
	cents := func(a affiliate.Amount) int64 { return a.Scaled() / 100 }
	load := func(name, kind string, changes ...any) []byte {
		pairs := []any{"timestamp", step.At.Format(time.RFC3339Nano), "type", kind}
		for i := 0; i < len(changes); i += 2 {
			pairs = append(pairs, "data."+changes[i].(string), changes[i+1])
		}
		return shoptest.Load(t, "testdata/"+name+".json").With(pairs...).JSON()
	}
	refund := func(status string) []byte {
		return load("refund", "refund."+status, "refund_id", step.Of, "payment_id", step.Payment, "amount", cents(step.Amount), "status", status)
	}
	dispute := func(status string) []byte {
		return load("dispute", "dispute."+status, "dispute_id", step.Of, "payment_id", step.Payment, "amount", strconv.FormatInt(cents(step.Amount), 10), "dispute_status", "dispute_"+status)
	}
	switch step.Kind {
	case paytest.Paid:
		name := map[bool]string{false: "payment", true: "payment_renewal"}[step.Renewal]
		return load(name, "payment.succeeded", "payment_id", step.Payment, "invoice_id", "inv_"+step.Payment, "created_at", step.At.Format(time.RFC3339Nano), "total_amount", cents(step.Amount), "tax", cents(step.Tax),
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
