package stripe

import (
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Handler returns the endpoint for Stripe's events. p may be nil when Config.Accounts is set;
// then the platform's own events are ignored. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 204.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-stripe.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	return adapter.Endpoint{
		Config: cfg.Config, Scheme: scheme(cfg), Complete: cfg.complete, Accounts: cfg.Accounts,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}
