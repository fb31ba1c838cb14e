package stripe

import (
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Handler returns the endpoint for Stripe's events. p may be nil when
// Config.Accounts is set; then the platform's own events are ignored. The order
// of its checks: method, content type, signature header, time, form of the
// signatures; then the body, of MaxBody at most and within 10 seconds: size,
// signature, JSON. Its answers:
//
//   - 204: committed; also for an event that is ignored, parked or refused, because
//     a repeat would change nothing
//   - 400, 401: malformed; or of the wrong time, or not signed with a secret
//   - 405, 413, 415: not a POST; too large; not plain JSON
//   - 503 with Retry-After: the store or Config.Lines failed, the context ended, or a
//     renewal came before its first payment. Stripe repeats it
//   - 500: something panicked, and nothing was committed
//
// Errors: [ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-stripe.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	return adapter.Endpoint{
		Config: cfg.common(), Scheme: form.Scheme(cfg.Secrets, cfg.Tolerance), Complete: cfg.complete, Accounts: cfg.Accounts,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}
