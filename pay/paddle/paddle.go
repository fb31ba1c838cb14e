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

import "github.com/tributary-go/tributary/pay/adapter"

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
