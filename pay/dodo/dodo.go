// Package dodo brings what Dodo Payments reports into a program: payments, refunds, disputes,
// and the states of subscriptions. [Handler] is the endpoint for its webhooks;
// [adapter.Config.Carry] puts into a checkout what brought the visitor:
//
//	cfg := dodo.Config{Secrets: adapter.Secrets{os.Getenv("DODO_PAYMENTS_WEBHOOK_KEY")}, CarryKeys: pay.Keys{key}}
//	hook, err := dodo.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/dodo", hook)
//	…
//	session.Metadata, err = cfg.Carry(program, r, pay.Carried{Order: order})
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-dodo.md.
package dodo

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "dodo"

// limit is the longest time for an event: Dodo waits 15 seconds for the answer, and its
// repeat finds what was committed.
const limit = 12 * time.Second

// longest is the longest time that a renewal may wait for the first payment: Dodo repeats an
// event for the last times after 17 and after 27 hours.
const longest = 12 * time.Hour

// Config says how events are received. Secrets are those of the webhook endpoint as Dodo
// shows them (whsec_…). Wait zero is an hour; more than 12 would lose payments, and is refused.
type Config = adapter.Config

// Handler returns the endpoint for Dodo's webhooks. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 204.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-dodo.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Wait > longest {
		return nil, fmt.Errorf("%w: Dodo repeats rarely after twelve hours", adapter.ErrConfig)
	}
	return adapter.Endpoint{
		Config: cfg, Scheme: scheme(cfg), Limit: limit,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}

// Verify checks the headers of an event against the exact bytes of its body. Call it
// before anything else reads the body.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme { return adapter.StandardWebhooks(cfg.Secrets, cfg.Tolerance) }

// Events returns the types of events that a webhook endpoint should get.
func Events() []string {
	return []string{
		"payment.succeeded", "refund.succeeded", "refund.failed", "dispute.opened",
		"dispute.challenged", "dispute.expired", "dispute.accepted", "dispute.cancelled",
		"dispute.won", "dispute.lost", "subscription.active", "subscription.renewed",
		"subscription.updated", "subscription.plan_changed", "subscription.on_hold",
		"subscription.paused", "subscription.unpaused", "subscription.cancelled",
		"subscription.expired",
	}
}
