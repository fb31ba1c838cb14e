// Package lemonsqueezy brings what Lemon Squeezy reports into a program: orders, payments
// and states of subscriptions, and refunds. [Handler] is the endpoint for its webhooks;
// [adapter.Config.Carry] puts into a checkout what brought the visitor:
//
//	cfg := lemonsqueezy.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("LEMONSQUEEZY_SECRET")}, CarryKeys: pay.Keys{key}}}
//	hook, err := lemonsqueezy.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/lemonsqueezy", hook)
//	…
//	checkout.Custom, err = cfg.Carry(program, r, pay.Carried{Order: order}) // checkout_data.custom
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-lemonsqueezy.md.
package lemonsqueezy

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "lemonsqueezy"

// HeaderName is the header with the signature of an event.
const HeaderName = "X-Signature"

// wait is the time for which a renewal waits for the first payment: Lemon Squeezy repeats an event
// after 5, 25 and 125 seconds, and never again, so the last repeat must find the wait over.
const wait = time.Minute

// Config says how events are received. Tolerance must be zero: the signature has no time.
// Wait zero is a minute; more than two would lose payments, and is refused.
//
// Source: docs/payments-lemonsqueezy.md.
type Config struct {
	adapter.Config
	Test bool // take events of the test mode, and no others; false: the reverse
}

// Handler returns the endpoint for Lemon Squeezy's webhooks. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 200.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-lemonsqueezy.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Tolerance != 0 {
		return nil, fmt.Errorf("%w: signatures have no time, so there is no tolerance", adapter.ErrConfig)
	}
	if cfg.Wait > 2*wait {
		return nil, fmt.Errorf("%w: Lemon Squeezy does not repeat for longer than two minutes", adapter.ErrConfig)
	}
	cfg.Wait = cmp.Or(cfg.Wait, wait)
	return adapter.Endpoint{
		Config: cfg.Config, Scheme: scheme(cfg), OK: http.StatusOK,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}

// Verify checks the signature of an event against the exact bytes of its body. Call it
// before anything else reads the body.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme { return adapter.HMACHex(HeaderName, cfg.Secrets) }

// Events returns the types of events that a webhook should get.
func Events() []string {
	return []string{
		"order_created", "order_refunded", "subscription_created", "subscription_updated",
		"subscription_cancelled", "subscription_resumed", "subscription_expired",
		"subscription_paused", "subscription_unpaused", "subscription_payment_success",
		"subscription_payment_recovered", "subscription_payment_refunded",
	}
}
