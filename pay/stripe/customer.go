package stripe

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// customer reads a customer that was made or changed.
func (e *event) customer() {
	o := e.object
	e.Customer(affiliate.PayerFact{ID: o.Get("id").Required(), Email: o.Get("email").Text(),
		Name: o.Get("name").Text()})
}

// subscription reads the state of a subscription. It has no email, so the
// customer is found by the payer's id alone.
func (e *event) subscription() {
	o := e.object
	status, payer := o.Get("status").Text(), customerOf(o)
	if status == "incomplete" {
		e.Ignore(pay.Unpaid)
		return
	}
	e.Status(payer, o.Get("id").Text(), statusOf(status))
}

// statusOf returns our status of a subscription; empty: not known. A payment
// that is not complete yet has no status.
func statusOf(status string) affiliate.SubscriptionStatus {
	switch status {
	case "active", "trialing":
		return affiliate.SubscriptionActive
	case "past_due", "unpaid", "paused":
		return affiliate.SubscriptionPastDue
	case "canceled", "incomplete_expired":
		return affiliate.SubscriptionCancelled
	}
	return ""
}
