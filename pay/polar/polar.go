// Package polar brings what Polar reports into a program: orders, refunds, customers, and
// the states of subscriptions. [Handler] is the endpoint for Polar's webhooks;
// [adapter.Config.Carry] puts into a checkout what brought the visitor:
//
//	cfg := polar.Config{Secrets: adapter.Secrets{os.Getenv("POLAR_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}
//	hook, err := polar.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/polar", hook)
//	…
//	checkout.Metadata, err = cfg.Carry(program, r, pay.Carried{Order: order})
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-polar.md.
package polar

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "polar"

// limit is the longest time for an event: Polar waits 10 seconds for the answer, and its
// repeat finds what was committed.
const limit = 8 * time.Second

// wait is the time for which a renewal waits for the first payment: Polar sends an event ten times,
// the last time a quarter of an hour or more after the first.
const wait = 5 * time.Minute

// Config says how events are received. Secrets are those of the webhook endpoint as Polar
// shows them (whsec_…, polar_whs_…), of 24 to 64 characters. Wait zero is 5 minutes; more
// than 10 would lose payments, and is refused.
type Config = adapter.Config

// Handler returns the endpoint for Polar's webhooks, whose format must be raw. Its answers
// are those of [adapter.Endpoint.Handler]; the good one is 204.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-polar.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Wait > 2*wait {
		return nil, fmt.Errorf("%w: Polar does not surely repeat for longer than ten minutes", adapter.ErrConfig)
	}
	cfg.Wait = cmp.Or(cfg.Wait, wait)
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

// scheme is Standard Webhooks. Polar's key is the text of the secret itself, also of one that
// begins with whsec_: it is no base64.
func scheme(cfg Config) adapter.Scheme {
	keys := make(adapter.Secrets, len(cfg.Secrets))
	for i, secret := range cfg.Secrets {
		keys[i] = base64.StdEncoding.EncodeToString([]byte(secret))
	}
	return adapter.StandardWebhooks(keys, cfg.Tolerance)
}

// Events returns the types of events that a webhook endpoint should get.
func Events() []string {
	return []string{
		"order.paid", "order.refunded", "refund.created", "refund.updated", "subscription.created",
		"subscription.active", "subscription.updated", "subscription.uncanceled",
		"subscription.canceled", "subscription.past_due", "subscription.paused",
		"subscription.resumed", "subscription.revoked", "customer.created", "customer.updated",
	}
}
