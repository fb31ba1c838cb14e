// Package stripe brings what Stripe reports into a program: sales, refunds,
// disputes, and the states of subscriptions. [Handler] is the endpoint for
// Stripe's events; [Config.Carry] and [Reference] put into a checkout what brought the
// visitor:
//
//	cfg := stripe.Config{Secrets: []string{os.Getenv("STRIPE_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}
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
	"log/slog"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Config says how events are received. [Handler] needs Secrets; [Verify] reads
// Secrets, Tolerance and Now; [Map] reads Test, OneOffInvoices, First, Metadata, CarryKeys,
// and whether Accounts is set.
//
// Source: docs/payments-stripe.md.
type Config struct {
	Secrets   Secrets          // whsec_…, 1–10, all are tried: the old and the new one during a rotation
	Tolerance time.Duration    // between a signature's time and Now, in both directions, inclusive; zero: 5 min
	Wait      time.Duration    // how long a renewal waits for the first payment of its customer; zero: 1 h
	MaxBody   int64            // bytes; zero: 1 MiB
	Now       func() time.Time // nil: time.Now

	Test           bool  // take events of Stripe's test mode, and no others; false: the reverse
	OneOffInvoices bool  // book invoices without a subscription
	First          First // which event books the first payment of a subscription
	// Metadata renames the keys of metadata: tributary_via, tributary_click,
	// tributary_code, tributary_slug, tributary_order, tributary_customer,
	// tributary_program, tributary_signature. A key that it lacks keeps its name.
	Metadata map[string]string

	// CarryKeys sign what a checkout carries, and verify it. Without them a code, an
	// order and a customer are not read.
	CarryKeys pay.Keys

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

	// OnResult is called after the commit, with ignored and refused events too;
	// for logs, metrics and alerts. Nil: not called.
	OnResult func(context.Context, pay.Result)

	// Logger gets refused requests, failures and panics; never a body, an email
	// or a secret. Nil: slog.Default().
	Logger *slog.Logger
}

// Secrets are the signing secrets of an endpoint. They print as ***.
type Secrets = adapter.Secrets

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
		"checkout.session.completed", "checkout.session.async_payment_succeeded",
		"invoice.paid", "invoice_payment.paid",
		"refund.created", "refund.updated", "refund.failed",
		"charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated", "charge.dispute.closed",
		"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"credit_note.created", "customer.created", "customer.updated",
		"payment_intent.succeeded", "charge.succeeded",
	}
}
