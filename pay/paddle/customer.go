package paddle

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
)

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
