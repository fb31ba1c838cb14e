package stripe

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "stripe"

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown types of events, fields and
// values are no errors.
//
// Errors: [adapter.ErrPayload] for what is not JSON, has a name twice or more than 64
// levels, is not an event, or has a field of the wrong type among those that are
// read.
//
// Source: docs/payments-stripe.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return readWith(payload, adapter.Value{}, cfg)
}

// readWith is Map with the list of the payment's lines, when the event does not have it.
func readWith(payload []byte, list adapter.Value, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		e := event{cfg: cfg, object: root.Get("data", "object"), list: list, Draft: d}
		e.Action.Event = envelope(root)
		if reason := e.foreign(root); reason != "" {
			e.Action.Carried = e.carried(e.object.Apart().Get("metadata")).All(cfg.CarryKeys)
			e.Ignore(reason)
			return
		}
		e.read()
	})
}

// An event is an event while it is read.
type event struct {
	cfg    Config
	object adapter.Value
	list   adapter.Value // of the lines, when Config.Lines gave it
	*adapter.Draft
}

// envelope reads what all events have. Of an event without a payload only the
// name is read.
func envelope(root adapter.Value) pay.Event {
	e := pay.Event{ID: root.Get("id").Text(), Type: root.Get("type").Text()}
	if e.ID == "" || e.Type == "" {
		root.Get("type").Fail("or id is missing")
	}
	if isThin(root) {
		return e
	}
	if root.Get("created").Integer() <= 0 {
		root.Get("created").Fail("is missing")
	}
	e.At = root.Get("created").Seconds()
	e.Live, e.Account, e.APIVersion = root.Get("livemode").True(), accountOf(root), root.Get("api_version").Text()
	return e
}

// accountOf returns the account that an event is of. An Organization's endpoint gets it as
// the context, which may be a path of accounts: the last one has the object.
func accountOf(root adapter.Value) string {
	if account := root.Get("account").Text(); account != "" {
		return account
	}
	path := strings.Split(root.Get("context").Text(), "/")
	return path[len(path)-1]
}

func isThin(root adapter.Value) bool { return strings.HasPrefix(root.Get("object").Text(), "v2.") }

// foreign returns why an event is not for this endpoint; empty: it is.
func (e *event) foreign(root adapter.Value) pay.Reason {
	switch {
	case isThin(root):
		return pay.ThinEvent
	case !e.Action.Event.Live && !e.cfg.Test:
		return pay.TestMode
	case e.Action.Event.Live && e.cfg.Test:
		return pay.LiveMode
	case e.Action.Event.Account != "" && e.cfg.Accounts == nil:
		return pay.OtherAccount
	}
	return ""
}

// read reads the object of an event by its type.
func (e *event) read() {
	switch t := e.Action.Event.Type; t {
	case "checkout.session.completed", "checkout.session.async_payment_succeeded":
		e.session()
	case "invoice.paid", "invoice.payment_succeeded":
		e.invoice()
	case "invoice_payment.paid":
		e.invoicePayment()
	case "payment_intent.succeeded":
		e.intent()
	case "refund.created", "refund.updated", "refund.failed", "charge.refund.updated":
		e.refund()
	case "charge.refunded":
		e.refundedCharge()
	case "credit_note.created":
		e.creditNote()
	case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted":
		e.subscription()
	case "customer.created", "customer.updated":
		e.customer()
	case "charge.succeeded", "charge.captured", "charge.updated":
		e.charge()
	case "invoice.created", "invoice.finalized", "invoice.updated", "invoice.sent":
		e.billed()
	case "charge.pending", "payment_intent.created", "payment_intent.processing":
		e.Ignore(pay.CoveredElsewhere)
	default:
		if strings.HasPrefix(t, "charge.dispute.") {
			e.dispute()
			return
		}
		e.Ignore(pay.UnknownEvent)
	}
}

// fact begins a fact about the payment with these ids.
func (e *event) fact(kind pay.Kind, c affiliate.Currency, keys ...string) {
	e.Fact(kind, c, e.object, keys...)
}
