package stripe

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// customer reads a customer that was changed.
func (e *event) customer() {
	o := e.object
	f := affiliate.PayerFact{ID: o.Get("id").Text(), Email: o.Get("email").Text(), Name: o.Get("name").Text()}
	if f.ID == "" {
		o.Get("id").Fail("is missing")
	}
	e.action.Kind = pay.KindCustomer
	e.action.Payment = affiliate.PaymentFact{Provider: provider, Payer: f, At: e.action.Event.At}
}

// subscription reads the state of a subscription. It has no email, so the
// customer is found by the payer's id alone.
func (e *event) subscription() {
	o := e.object
	status, payer := statusOf(o.Get("status").Text()), o.Get("customer").Ref()
	switch {
	case o.Get("status").Text() == "incomplete":
		e.ignore(pay.Unpaid)
		return
	case status == "":
		e.ignore(pay.UnknownEvent)
		return
	case payer == "":
		e.ignore(pay.NoCustomer)
		return
	}
	e.action.Kind = pay.KindStatus
	e.action.Status = affiliate.SubscriptionFact{
		Provider: provider, Payer: affiliate.PayerFact{ID: payer}, Subscription: o.Get("id").Text(), Status: status, At: e.action.Event.At,
	}
}

// statusOf is our status of a subscription; empty: not known. A payment that is
// not complete yet has no status.
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
