// Package draft builds the action of an event. It has the common part of the
// providers' packages, after they have read their fields.
package draft

import (
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// A Draft is the action that an event becomes.
type Draft struct {
	Provider string
	Action   pay.Action
}

// Ignore makes an action that does nothing.
func (d *Draft) Ignore(reason pay.Reason) {
	d.Action = pay.Action{Kind: pay.KindIgnored, Reason: reason, Event: d.Action.Event}
}

// Leave makes an action that only links the ids: another event books the payment.
func (d *Draft) Leave(reason pay.Reason) {
	f := d.Action.Payment
	d.Ignore(reason)
	d.Action.Payment = affiliate.PaymentFact{
		Provider: f.Provider, Keys: f.Keys, Payer: affiliate.PayerFact{ID: f.Payer.ID}, At: f.At, Currency: f.Currency,
	}
}

// Fact begins a fact about the payment with these ids, of which some may be empty.
// The object is where they were read.
func (d *Draft) Fact(kind pay.Kind, c affiliate.Currency, object fields.Value, keys ...string) {
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "" })
	if len(keys) == 0 {
		object.Get("id").Fail("and all other ids are missing")
	}
	d.Action.Kind = kind
	d.Action.Payment = affiliate.PaymentFact{Provider: d.Provider, Keys: keys, At: d.Action.Event.At, Currency: c}
}

// Customer makes an action that reports the payer.
func (d *Draft) Customer(f affiliate.PayerFact) {
	d.Action.Kind = pay.KindCustomer
	d.Action.Payment = affiliate.PaymentFact{Provider: d.Provider, Payer: f, At: d.Action.Event.At}
}

// Status reports the state of a subscription of a payer.
func (d *Draft) Status(payer, subscription string, status affiliate.SubscriptionStatus) {
	d.Action.Kind = pay.KindStatus
	d.Action.Status = affiliate.SubscriptionFact{
		Provider: d.Provider, Payer: affiliate.PayerFact{ID: payer}, Subscription: subscription, Status: status, At: d.Action.Event.At,
	}
}
