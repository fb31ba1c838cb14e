package generic_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in reports.
func TestConformance(t *testing.T) {
	paytest.Suite{Handler: provider.HandlerOf, Map: provider.MapOf, Sign: sign, Tell: tell}.Run(t)
}

// FuzzMap: a report is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	for _, block := range []string{
		`{"id":"r1","type":"payment","at":"2026-01-01T00:00:00Z","provider":"acmepay","ids":["p1"],"currency":"USD","customer":{"id":"c1","email":"a@b.example"},"paid":{"amount":"12","tax":2,"renewal":true,"credit":[{"code":"MARA20"},{"click":1}],"lines":[{"amount":"10","quantity":2}]}}`,
		`{"id":"r2","type":"payment","at":"2026-01-01T00:00:00Z","provider":"acmepay","ids":["p1"],"currency":"USD","refunds":[{"id":"x","amount":1,"state":"failed"}],"refunded":3,"disputes":[{"id":"d","amount":2,"state":"won"}]}`,
		`{"id":"r3","type":"subscription","at":"2026-01-01T00:00:00Z","provider":"acmepay","customer":{"id":"c1"},"subscription":{"id":"s1","status":"past_due"}}`,
		`{"id":"r4","type":"customer","at":"2026-01-01T00:00:00Z","provider":"acmepay","customer":{"id":"c1","externalId":"17"}}`,
	} {
		f.Add([]byte(block))
	}
	provider.Fuzz(f)
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
