// Package generic brings what a host reports by itself into a program: payments, refunds,
// disputes and subscriptions of any provider or cart, as JSON in a documented form, signed
// by Standard Webhooks. It is for hosts in other languages, and for providers that have no
// package here:
//
//	hook, err := generic.Handler(program, generic.Config{Secrets: adapter.Secrets{os.Getenv("REPORT_SECRET")}})
//	…
//	mux.Handle("POST /webhooks/payments", hook)
//
// Reports may come in any order and repeatedly. The sender is the host, who is trusted: it
// says what was paid, and whom it credits.
//
// Source: docs/payments-generic.md.
package generic

import (
	"encoding/json"
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Config says how reports are received. Secrets are those of Standard Webhooks, whsec_… or
// the same without the prefix.
type Config = adapter.Config

// Handler returns the endpoint for reports. Its answers:
//
//   - 200: committed, with what became of it as JSON; a repeat gets the same
//   - 422: the program refused it, with the reason; a repeat changes nothing
//   - 400: not a report, with the field; 401: of the wrong time, or not signed
//   - 405, 413, 415: not a POST; too large; not plain JSON
//   - 503 with Retry-After: send it again, also a renewal that came before its first payment
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-generic.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	return adapter.Endpoint{
		Config: cfg, Scheme: adapter.StandardWebhooks(cfg.Secrets, cfg.Tolerance), Answer: answer,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}

// An outcome is the answer to a report of a host.
type outcome struct {
	Done    bool                  `json:"done"`              // committed; false: ignored or refused
	Outcome affiliate.SaleOutcome `json:"outcome,omitempty"` // of what was paid, as docs/payments.md has them
	SaleID  affiliate.SaleID      `json:"saleId,omitempty"`
	Ignored pay.Reason            `json:"ignored,omitempty"` // why nothing was done
	NoLines pay.Reason            `json:"noLines,omitempty"` // why the sale has no lines
	Refused []affiliate.Failure   `json:"refused,omitempty"` // rules of codes that were tried
	Reason  affiliate.Reason      `json:"reason,omitempty"`  // why the program refused the report
	Message string                `json:"message,omitempty"`
}

// answer writes the outcome of a report.
func answer(w http.ResponseWriter, r pay.Result) {
	out, status := outcome{Done: r.Done, Outcome: r.Outcome, NoLines: r.Action.NoLines,
		Refused: r.Refused}, http.StatusOK
	if out.NoLines == pay.LinesMissing {
		out.NoLines = "" // the report had none
	}
	if r.Action.Kind == pay.KindIgnored {
		out.Ignored = r.Action.Reason
	}
	if sale, ok := r.Sale.Get(); ok {
		out.SaleID = sale.ID
	}
	if r.Refusal != nil {
		out.Reason, out.Message, status = r.Refusal.Reason, r.Refusal.Message, http.StatusUnprocessableEntity
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out) // the client that has gone learns it from the repeat
}
