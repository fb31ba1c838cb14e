package paddle

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// limit is the longest time for an event: Paddle waits 5 seconds for the answer, and
// its repeat finds what was committed.
const limit = 4 * time.Second

// Handler returns the endpoint for Paddle's events. The order of its checks:
// method, content type, signature header, time, form of the signatures; then the
// body, of MaxBody at most and within 10 seconds: size, signature, JSON. Its answers:
//
//   - 200: committed; also for an event that is ignored, parked or refused, because
//     a repeat would change nothing
//   - 400, 401: malformed; or of the wrong time, or not signed with a secret
//   - 405, 413, 415: not a POST; too large; not plain JSON
//   - 503 with Retry-After: the store failed or took longer than 4 seconds, the
//     context ended, or a renewal came before its first payment. Paddle repeats it
//   - 500: something panicked, and nothing was committed
//
// Errors: [ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-paddle.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Totals != "" && cfg.Totals != PayoutTotals {
		return nil, fmt.Errorf("%w: Totals must be payout or empty", ErrConfig)
	}
	return adapter.Endpoint{
		Config: cfg.common(), Scheme: form.Scheme(cfg.Secrets, cfg.Tolerance), OK: http.StatusOK, Limit: limit,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}
