package adapter

import (
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// A Draft is the action that an event becomes.
type Draft struct {
	Provider string
	Action   pay.Action
}

// Map reads a payload and returns what a provider's read makes of it. read is called once,
// and only sees JSON: a field of another type than it asks for is a fault of the payload.
//
// Errors: [ErrPayload].
func Map(provider string, payload []byte, read func(d *Draft, root Value)) (pay.Action, error) {
	root, err := Read(payload)
	if err != nil {
		return pay.Action{}, err
	}
	d := Draft{Provider: provider}
	read(&d, root)
	if err := root.Err(); err != nil {
		return pay.Action{}, err
	}
	return d.Action, nil
}

// Begin reads what every event has: its id, its type and its time.
func (d *Draft) Begin(id, kind Value, at time.Time) {
	d.Action.Event = pay.Event{ID: id.Text(), Type: kind.Text(), At: at}
	if d.Action.Event.ID == "" || d.Action.Event.Type == "" || at.IsZero() {
		kind.Fail("or the id or the time of the event is missing")
	}
}

// Ignore makes an action that does nothing. What the checkout carried stays, so that a mark
// which nobody reads is told.
func (d *Draft) Ignore(reason pay.Reason) {
	d.Action = pay.Action{Kind: pay.KindIgnored, Reason: reason, Event: d.Action.Event, Carried: d.Action.Carried}
}

// Revoke makes an action about a payment that was paid and is not any more, though no refund
// says what went back.
func (d *Draft) Revoke() {
	d.Leave(pay.Revoked)
	d.Action.Payment.Revoked = affiliate.Set(true)
}

// Untold leaves a payment that was paid, of which the event does not tell how much. When it
// says who brought its customer, it waits for a person, unless awaits, which names another
// event, tells the amount; it is empty when no event does.
func (d *Draft) Untold(reason pay.Reason, awaits string, p Paid) {
	payer := d.Action.Payment.Payer
	d.Leave(reason)
	if awaits == "" || d.Marked(p.Tries) {
		d.Action.Payment.Payer = payer
		d.Action.Payment.Sale = affiliate.Set(affiliate.Paid{Stage: affiliate.PaidUntold,
			Awaits: awaits, Tries: p.Tries, Renewal: p.Renewal})
	}
}

// Elsewhere leaves a payment to the event that books it, which awaits names. One that was paid
// waits for that event, if it says who brought its customer.
func (d *Draft) Elsewhere(awaits string, paid bool, o Value, c affiliate.Currency,
	payer affiliate.PayerFact, p Paid, keys ...string) {
	if !paid || !c.Known() || strings.Join(keys, "") == "" {
		d.Ignore(pay.CoveredElsewhere)
		return
	}
	d.Fact(pay.KindLink, c, o, keys...)
	d.Action.Payment.Payer = payer
	d.Untold(pay.CoveredElsewhere, awaits, p)
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
func (d *Draft) Fact(kind pay.Kind, c affiliate.Currency, object Value, keys ...string) {
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "" })
	if len(keys) == 0 {
		object.Get("id").Fail("and all other ids are missing")
	}
	d.Action.Kind = kind
	d.Action.Payment = affiliate.PaymentFact{Provider: d.Provider, Keys: keys, At: d.Action.Event.At, Currency: c}
}

// Refund adds a refund to the fact about its payment. One of nothing is ignored.
func (d *Draft) Refund(f affiliate.RefundFact) {
	if f.Amount.Sign() <= 0 {
		d.Ignore(pay.ZeroAmount)
		return
	}
	d.Action.Payment.Refunds = []affiliate.RefundFact{f}
}

// Refunded adds to the fact about a payment how much of it was refunded until then. Nothing is
// ignored.
func (d *Draft) Refunded(sum affiliate.Amount) {
	if sum.Sign() <= 0 {
		d.Ignore(pay.ZeroAmount)
		return
	}
	d.Action.Payment.Refunded = affiliate.Set(sum)
}

// Dispute adds a dispute to the fact about its payment. One of nothing is ignored.
func (d *Draft) Dispute(f affiliate.DisputeFact) {
	if f.Amount.Sign() <= 0 {
		d.Ignore(pay.ZeroAmount)
		return
	}
	d.Action.Payment.Disputes = []affiliate.DisputeFact{f}
}

// Payer is who pays. Without a name that is [Usable] it is what the email has before the @.
func Payer(id, email, name string) affiliate.PayerFact {
	if !Usable(name) {
		name, _, _ = strings.Cut(email, "@")
	}
	return affiliate.PayerFact{ID: id, Email: email, Name: name}
}

// Customer makes an action that reports the payer.
func (d *Draft) Customer(f affiliate.PayerFact) {
	d.Action.Kind = pay.KindCustomer
	d.Action.Payment = affiliate.PaymentFact{Provider: d.Provider, Payer: f, At: d.Action.Event.At}
}

// Status reports the state of a subscription of a payer. Without a payer, and with an empty
// state, which is none that is known, the event is ignored.
func (d *Draft) Status(payer, subscription string, status affiliate.SubscriptionStatus) {
	switch {
	case status == "":
		d.Ignore(pay.UnknownEvent)
		return
	case payer == "":
		d.Ignore(pay.NoCustomer)
		return
	}
	d.Action.Kind = pay.KindStatus
	d.Action.Status = affiliate.SubscriptionFact{
		Provider: d.Provider, Payer: affiliate.PayerFact{ID: payer}, Subscription: subscription,
		Status: status, At: d.Action.Event.At,
	}
}
