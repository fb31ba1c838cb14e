package stripe

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/hook"
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
	if p == nil && cfg.Accounts == nil {
		return nil, fmt.Errorf("%w: neither a program nor Accounts", ErrConfig)
	}
	if err := cfg.CarryKeys.Check(); err != nil {
		return nil, fmt.Errorf("%w: CarryKeys: %w", ErrConfig, err)
	}
	return hook.New(hook.Hook{
		Header: HeaderName, Scheme: scheme, Check: cfg.check(), OK: http.StatusNoContent, Wait: cfg.Wait, MaxBody: cfg.MaxBody,
		Map:      func(body []byte) (pay.Action, error) { return Map(body, cfg) },
		Complete: cfg.complete,
		Program:  cfg.programs(p),
		OnResult: cfg.OnResult, Logger: cfg.Logger,
	})
}

// programs answers the program of an account.
func (cfg Config) programs(own *tributary.Program) func(context.Context, string) (*tributary.Program, error) {
	return func(ctx context.Context, account string) (*tributary.Program, error) {
		if account == "" {
			return own, nil
		}
		return cfg.Accounts(ctx, account)
	}
}
