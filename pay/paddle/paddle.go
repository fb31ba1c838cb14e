// Package paddle brings what Paddle Billing reports into a program: sales,
// refunds, chargebacks, and the states of subscriptions. [Handler] is the endpoint
// for Paddle's notifications; [Config.Carry] puts into a checkout what brought the
// visitor:
//
//	cfg := paddle.Config{Secrets: []string{os.Getenv("PADDLE_WEBHOOK_SECRET")}, CarryKeys: pay.Keys{key}}
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
	"context"
	"log/slog"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Config says how events are received. [Handler] needs Secrets; [Verify] reads
// Secrets, Tolerance and Now; [Map] reads CustomData and CarryKeys.
//
// Source: docs/payments-paddle.md.
type Config struct {
	Secrets   Secrets          // pdl_ntfset_…, 1–10, all are tried: the old and the new one during a rotation
	Tolerance time.Duration    // between a signature's time and Now, in both directions, inclusive; zero: 5 min
	Wait      time.Duration    // how long a renewal waits for the first payment of its customer; zero: 1 h
	MaxBody   int64            // bytes; zero: 1 MiB
	Now       func() time.Time // nil: time.Now

	// CustomData renames the keys of custom data: tributary_click,
	// tributary_code, tributary_slug, tributary_order, tributary_customer,
	// tributary_program, tributary_signature. A key that it lacks keeps its name.
	CustomData map[string]string

	// CarryKeys sign what a checkout carries, and verify it. Without them a code, an
	// order and a customer are not read.
	CarryKeys pay.Keys

	// Totals says where the rate of a transaction in another currency than the program's comes
	// from. Zero: Config.Rate of the program.
	Totals Totals

	// OnResult is called after the commit, with ignored and refused events too;
	// for logs, metrics and alerts. Nil: not called.
	OnResult func(context.Context, pay.Result)

	// Logger gets refused requests, failures and panics; never a body, an email
	// or a secret. Nil: slog.Default().
	Logger *slog.Logger
}

// Totals says which amounts of a transaction decide what it is worth.
type Totals string

// PayoutTotals takes the amount that Paddle settles: the rate is the grand total of
// details.payout_totals to that of details.totals, when the former is in the program's
// currency. A transaction without such totals has the rate of the program's Config.Rate.
const PayoutTotals Totals = "payout"

// Secrets are the secret keys of a notification destination. They print as ***.
type Secrets = adapter.Secrets

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
