package generic_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in reports.
func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			cfg.Secrets = adapter.Secrets{secret}
			return generic.Handler(p, cfg)
		},
		Map: generic.Map, Sign: sign, Tell: tell,
	}.Run(t)
}

// tell is the report of a step.
func tell(step paytest.Step) []byte {
	report := object{
		"id": step.ID, "type": "payment", "at": step.At.Format(time.RFC3339), "provider": "acmepay",
		"customer": object{"id": step.Payer, "email": step.Email, "name": step.Name},
	}
	payment := func(name string, of any) {
		report["ids"], report["currency"], report[name] = []string{step.Payment}, "USD", of
	}
	switch step.Kind {
	case paytest.Customer:
		report["type"] = "customer"
	case paytest.Status:
		report["type"], report["subscription"] = "subscription", object{"id": step.Payment, "status": strings.ToLower(string(step.Status))}
	case paytest.Paid:
		payment("paid", object{"amount": step.Amount.String(), "tax": step.Tax.String(), "renewal": step.Renewal, "carried": step.Data})
	case paytest.Refund:
		payment("refunds", []object{{"id": step.Of, "amount": step.Amount.String(), "tax": step.Tax.String(), "state": "succeeded"}})
	case paytest.RefundFailed:
		payment("refunds", []object{{"id": step.Of, "amount": step.Amount.String(), "state": "failed"}})
	case paytest.Dispute:
		payment("disputes", []object{{"id": step.Of, "amount": step.Amount.String(), "state": "withdrawn"}})
	case paytest.DisputeWon:
		payment("disputes", []object{{"id": step.Of, "amount": step.Amount.String(), "state": "won"}})
	}
	return text(report)
}
