package paddle

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "paddle"

// Map reads an event that was verified, and returns its action. It has no clock,
// store or network: the same payload gives the same action. Unknown types of
// events, fields and values are no errors.
//
// Errors: [adapter.ErrPayload] for what is not JSON, has a name twice or more than 64
// levels, is not an event, or has a field of the wrong type among those that are
// read.
//
// Source: docs/payments-paddle.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		// Paddle does not say whether an event is of the sandbox: its endpoint has a secret of its own.
		d.Begin(root.Get("event_id"), root.Get("event_type"), root.Get("occurred_at").Time())
		e := event{Draft: d, cfg: cfg, object: root.Get("data")}
		e.read()
	})
}

// An event is an event while it is read.
type event struct {
	*adapter.Draft
	cfg    Config
	object adapter.Value
}

// read reads the object of an event by its type.
func (e *event) read() {
	switch t := e.Action.Event.Type; {
	case t == "transaction.completed":
		e.transaction()
	case strings.HasPrefix(t, "transaction."):
		e.other()
	case t == "adjustment.created", t == "adjustment.updated":
		e.adjustment()
	case strings.HasPrefix(t, "subscription."):
		e.subscription()
	case t == "customer.created", t == "customer.updated", t == "customer.imported":
		e.customer()
	default:
		e.Ignore(pay.UnknownEvent)
	}
}

// amountOf reads an amount, which is a text: whole numbers of the smallest unit of
// its currency, with the digits of ISO 4217.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	return adapter.Amount(v, v.TextInteger(), c, c.Digits())
}
