// Package paddle brings what Paddle Billing reports into a program: sales,
// refunds, chargebacks, and the states of subscriptions. [Handler] is the endpoint
// for Paddle's notifications; [adapter.Config.Carry] puts into a checkout what brought the
// visitor:
//
//	cfg := paddle.Config{Config: adapter.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("PADDLE_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}}}
//	hook, err := paddle.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/paddle", hook)
//	…
//	page.CustomData, err = cfg.Carry(program, r, pay.Carried{Order: order}) // for Paddle.Checkout.open({customData: …})
//
// A host with an endpoint of its own calls [Verify], [Map] and
// [github.com/tributary-go/tributary/pay.Apply].
//
// Events may come in any order and repeatedly. Those of payments have no email:
// the customer's own event brings it, before or after.
//
// Source: docs/payments-paddle.md.
package paddle

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Config says how events are received. Secrets are those of a notification destination as
// Paddle shows them (pdl_ntfset_…).
//
// Source: docs/payments-paddle.md.
type Config struct {
	adapter.Config

	// Totals says where the rate of a transaction in another currency than the program's comes
	// from. Zero: Config.Rate of the program.
	Totals Totals
}

// Totals says which amounts of a transaction decide what it is worth.
type Totals string

// PayoutTotals takes the amount that Paddle settles: the rate is the grand total of
// details.payout_totals to that of details.totals, when the former is in the program's
// currency. A transaction without such totals has the rate of the program's Config.Rate.
const PayoutTotals Totals = "payout"

// Events returns the types of events that a notification destination should get.
func Events() []string {
	return []string{
		"transaction.completed",
		"adjustment.created", "adjustment.updated",
		"subscription.created", "subscription.updated", "subscription.activated", "subscription.trialing",
		"subscription.past_due", "subscription.paused", "subscription.resumed", "subscription.canceled",
		"customer.created", "customer.updated", "customer.imported",
	}
}

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

// HeaderName is the header with the signatures of an event.
const HeaderName = "Paddle-Signature"

var form = adapter.TimedHMAC{Header: HeaderName, Prefix: "pdl_ntfset_", Time: "ts", Signature: "h1",
	Separator: ";", Joint: ":"}

// Verify checks the signature of an event against the exact bytes of its body. Call it
// before anything else reads the body. One right signature of at most ten is enough. The
// time that it takes reveals nothing about the right one.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme { return form.Scheme(cfg.Secrets, cfg.Tolerance) }

// Sign returns the signature header of an event, for the tests of a host.
//
// Source: docs/payments-paddle.md.
func Sign(secret string, at time.Time, payload []byte) string {
	return form.Sign(secret, at, payload)
}

// customer reads a customer that was made, imported or changed: the only one of Paddle's
// objects with an email.
func (e *event) customer() {
	o := e.object
	e.Action.Carried = e.cfg.Carried(o.Get("custom_data"))
	e.Customer(adapter.Payer(o.Get("id").Required(), o.Get("email").Text(), o.Get("name").Text()))
}

// subscription reads the state of a subscription.
func (e *event) subscription() {
	o := e.object
	e.Status(o.Get("customer_id").Text(), o.Get("id").Text(), statusOf(o.Get("status").Text()))
}

// statusOf returns our status of a subscription; empty: not known.
func statusOf(status string) affiliate.SubscriptionStatus {
	switch status {
	case "active", "trialing":
		return affiliate.SubscriptionActive
	case "past_due", "paused":
		return affiliate.SubscriptionPastDue
	case "canceled":
		return affiliate.SubscriptionCancelled
	}
	return ""
}
