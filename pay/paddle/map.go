package paddle

import (
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/draft"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

const provider = "paddle"

// Map reads an event that was verified, and returns its action. It has no clock,
// store or network: the same payload gives the same action. Unknown types of
// events, fields and values are no errors.
//
// Errors: [ErrPayload] for what is not JSON, has a name twice or more than 64
// levels, is not an event, or has a field of the wrong type among those that are
// read.
//
// Source: docs/payments-paddle.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	root, err := fields.Read(payload)
	if err != nil {
		return pay.Action{}, err
	}
	e := event{Draft: draft.Draft{Provider: provider, Action: pay.Action{Event: envelope(root)}}, cfg: cfg, object: root.Get("data")}
	e.read()
	if err := root.Err(); err != nil {
		return pay.Action{}, err
	}
	return e.Action, nil
}

// An event is an event while it is read.
type event struct {
	draft.Draft
	cfg    Config
	object fields.Value
}

// envelope reads what all events have. Paddle does not say whether an event is of
// the sandbox: its endpoint has a secret of its own.
func envelope(root fields.Value) pay.Event {
	e := pay.Event{ID: root.Get("event_id").Text(), Type: root.Get("event_type").Text(), At: timeOf(root.Get("occurred_at"))}
	if e.ID == "" || e.Type == "" || e.At.IsZero() {
		root.Get("event_type").Fail("or event_id or occurred_at is missing")
	}
	return e
}

// timeOf reads a time; zero: missing.
func timeOf(v fields.Value) time.Time {
	text := v.Text()
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		v.Fail("is not a time")
	}
	return at.UTC()
}

// read reads the object of an event by its type.
func (e *event) read() {
	switch t := e.Action.Event.Type; {
	case t == "transaction.completed":
		e.transaction()
	case strings.HasPrefix(t, "transaction."):
		e.Ignore(pay.CoveredElsewhere)
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
func amountOf(v fields.Value, c affiliate.Currency) affiliate.Amount {
	return draft.Amount(v, v.TextInteger(), c, c.Digits())
}
