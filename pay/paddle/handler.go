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

// Handler returns the endpoint for Paddle's events. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 200.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-paddle.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Totals != "" && cfg.Totals != PayoutTotals {
		return nil, fmt.Errorf("%w: Totals must be payout or empty", adapter.ErrConfig)
	}
	return adapter.Endpoint{
		Config: cfg.Config, Scheme: scheme(cfg), OK: http.StatusOK, Limit: limit,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}
