// Package creem brings what Creem reports into a program: orders, payments and states of
// subscriptions, refunds and disputes. [Handler] is the endpoint for its webhooks;
// [adapter.Config.Carry] puts into a checkout what brought the visitor:
//
//	cfg := creem.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("CREEM_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}}
//	hook, err := creem.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/creem", hook)
//	…
//	checkout.Metadata, err = cfg.Carry(program, r, pay.Carried{Order: order})
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-creem.md.
package creem

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "creem"

// HeaderName is the header with the signature of an event.
const HeaderName = "Creem-Signature"

// wait is the time for which a renewal waits for the first payment: Creem repeats an event after 30
// seconds, 1 and 5 minutes and an hour, and never again, so one of its last repeats must find the
// wait over.
const wait = 4 * time.Minute

// longest is the longest such time.
const longest = 30 * time.Minute

// Config says how events are received. Tolerance must be zero: the signature has no time.
// Wait zero is 4 minutes; more than 30 would lose payments, and is refused.
//
// Source: docs/payments-creem.md.
type Config struct {
	adapter.Config
	Test bool // take events of the test mode, and no others; false: the reverse
}

// Handler returns the endpoint for Creem's webhooks. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 200.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-creem.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Tolerance != 0 {
		return nil, fmt.Errorf("%w: signatures have no time, so there is no tolerance", adapter.ErrConfig)
	}
	if cfg.Wait > longest {
		return nil, fmt.Errorf("%w: Creem repeats for the last time after an hour", adapter.ErrConfig)
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

// Events returns the types of events that a webhook should get. Creem's form lets a host choose
// them, or all.
func Events() []string {
	return []string{
		"checkout.completed", "subscription.paid", "refund.created", "dispute.created",
		"subscription.active", "subscription.trialing", "subscription.update",
		"subscription.scheduled_cancel", "subscription.canceled", "subscription.past_due",
		"subscription.unpaid", "subscription.paused", "subscription.expired",
	}
}
