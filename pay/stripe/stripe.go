// Package stripe brings what Stripe reports into a program: sales, refunds,
// disputes, and the states of subscriptions. [Handler] is the endpoint for
// Stripe's events; [Config.Carry] and [Reference] put into a checkout what brought the
// visitor:
//
//	cfg := stripe.Config{Config: adapter.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("STRIPE_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}}}
//	hook, err := stripe.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/stripe", hook)
//	…
//	session.Metadata, err = cfg.Carry(program, r, stripe.ViaSession, pay.Carried{Order: order})
//
// A host with an endpoint of its own calls [Verify], [Map] and
// [github.com/tributary-go/tributary/pay.Apply].
//
// Events may come in any order, repeatedly, and in any version of Stripe's API:
// fields decide, and the version is only reported.
//
// Source: docs/payments-stripe.md.
package stripe

import (
	"context"
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Config says how events are received. Names also renames tributary_via. [Map] reads Test,
// OneOffInvoices, First, Names, CarryKeys, and whether Accounts is set.
//
// Source: docs/payments-stripe.md.
type Config struct {
	adapter.Config

	Test           bool  // take events of Stripe's test mode, and no others; false: the reverse
	OneOffInvoices bool  // book invoices without a subscription
	First          First // which event books the first payment of a subscription

	// Lines returns what a payment is of, when its event does not say it: Stripe's answer to
	// GET /v1/checkout/sessions/{id}/line_items for an id cs_…, and to GET
	// /v1/invoices/{id}/lines for in_…, which has more than ten lines. More than one page
	// is joined to one list, with has_more false. Nil, nil: not known. An error asks Stripe
	// for the event again. It is called before the transaction, perhaps several times for one
	// payment, and should not take more than a few seconds. Nil: such payments are booked
	// without lines.
	Lines func(ctx context.Context, account, id string) ([]byte, error)

	// Accounts returns the program of a connected account; nil, nil: the account is
	// not ours. Nil: events of connected accounts are ignored.
	Accounts func(ctx context.Context, account string) (*tributary.Program, error)
}

// First says which event books the first payment of a subscription when its metadata
// does not: two events report it, and only one may book it.
type First int

// The choices.
const (
	FromSession First = iota // checkout.session.completed, which knows the promotion code
	FromInvoice              // invoice.paid, for hosts that create subscriptions without Checkout
)

// Via says through which of Stripe's objects a payment is made, and therefore which
// event books it.
type Via string

// The ways.
const (
	ViaSession Via = "session" // a Checkout session
	ViaInvoice Via = "invoice" // a subscription or an invoice without Checkout
	ViaIntent  Via = "intent"  // a payment intent without Checkout
)

// Events returns the types of events that an endpoint should get.
func Events() []string {
	return []string{
		"checkout.session.completed", "checkout.session.async_payment_succeeded", "invoice.paid",
		"invoice_payment.paid", "refund.created", "refund.updated", "refund.failed",
		"charge.dispute.created", "charge.dispute.funds_withdrawn",
		"charge.dispute.funds_reinstated", "charge.dispute.closed", "customer.subscription.created",
		"customer.subscription.updated", "customer.subscription.deleted", "credit_note.created",
		"customer.created", "customer.updated", "payment_intent.succeeded", "charge.succeeded",
	}
}

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

// HeaderName is the header with the signatures of an event.
const HeaderName = "Stripe-Signature"

// form is Stripe's form of signatures. The scheme v0 is for tests of Stripe's
// own and never counts.
var form = adapter.TimedHMAC{Header: HeaderName, Prefix: "whsec_", Time: "t", Signature: "v1",
	Separator: ",", Joint: "."}

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
// Source: docs/payments-stripe.md.
func Sign(secret string, at time.Time, payload []byte) string {
	return form.Sign(secret, at, payload)
}
