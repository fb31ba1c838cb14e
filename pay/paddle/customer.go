package paddle

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// customer reads a customer that was made, imported or changed: the only one of Paddle's
// objects with an email.
func (e *event) customer() {
	o := e.object
	f := affiliate.PayerFact{ID: o.Get("id").Text(), Email: o.Get("email").Text(), Name: o.Get("name").Text()}
	e.Action.Carried = e.cfg.Carried(o.Get("custom_data"))
	if f.ID == "" {
		o.Get("id").Fail("is missing")
	}
	if !adapter.Usable(f.Name) {
		f.Name, _, _ = strings.Cut(f.Email, "@")
	}
	e.Customer(f)
}

// subscription reads the state of a subscription.
func (e *event) subscription() {
	o := e.object
	status, payer := statusOf(o.Get("status").Text()), o.Get("customer_id").Text()
	switch {
	case status == "":
		e.Ignore(pay.UnknownEvent)
	case payer == "":
		e.Ignore(pay.NoCustomer)
	default:
		e.Status(payer, o.Get("id").Text(), status)
	}
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
