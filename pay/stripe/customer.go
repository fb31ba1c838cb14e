package stripe

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// customer reads a customer that was made or changed.
func (e *event) customer() {
	o := e.object
	f := affiliate.PayerFact{ID: o.Get("id").Text(), Email: o.Get("email").Text(), Name: o.Get("name").Text()}
	if f.ID == "" {
		o.Get("id").Fail("is missing")
	}
	e.Customer(f)
}

// subscription reads the state of a subscription. It has no email, so the
// customer is found by the payer's id alone.
func (e *event) subscription() {
	o := e.object
	status, payer := statusOf(o.Get("status").Text()), customerOf(o)
	switch {
	case o.Get("status").Text() == "incomplete":
		e.Ignore(pay.Unpaid)
		return
	case status == "":
		e.Ignore(pay.UnknownEvent)
		return
	case payer == "":
		e.Ignore(pay.NoCustomer)
		return
	}
	e.Status(payer, o.Get("id").Text(), status)
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
