package creem

import (
	"cmp"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// early is the time in which the first payment of a subscription is made, from its beginning.
// Every later one is a renewal, or a change of the plan.
const early = time.Hour

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown types of events, fields and
// values are no errors.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-creem.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		e := event{Draft: d, cfg: cfg, object: root.Get("object")}
		d.Begin(root.Get("id"), root.Get("eventType"), millis(root.Get("created_at")))
		mode := e.object.Get("mode")
		live := mode.Text() == "prod"
		d.Action.Event.Live = live
		switch {
		case mode.Text() == "":
			if e.read(); d.Action.Reason != pay.UnknownEvent {
				mode.Fail("is missing")
			}
		case !live && !cfg.Test:
			e.Ignore(pay.TestMode)
		case live && cfg.Test:
			e.Action.Carried = e.carried()
			e.Ignore(pay.LiveMode)
		default:
			e.read()
		}
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
	case t == "checkout.completed":
		e.checkout()
	case t == "subscription.paid":
		e.paid()
	case t == "refund.created":
		e.refund()
	case t == "dispute.created":
		e.dispute()
	case strings.HasPrefix(t, "subscription."):
		e.subscription()
	default:
		e.Ignore(pay.UnknownEvent)
	}
}

// millis reads a time that is written as milliseconds since 1970; zero: missing, or 0.
func millis(v adapter.Value) time.Time {
	if v.Integer() == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v.Integer()).UTC()
}

// about begins the fact about a transaction, and reports whether its amounts are counted in a unit
// that is confirmed: hundredths are.
func (e *event) about(kind pay.Kind, currency, transaction adapter.Value) (c affiliate.Currency, confirmed bool) {
	c = adapter.Currency(currency)
	e.Fact(kind, c, e.object, transaction.Required())
	return c, adapter.Hundredths(c)
}

// carried reads what the checkout carried, also of its subscription.
func (e *event) carried() pay.Carried {
	return e.cfg.Carried(e.object.Get("metadata"), e.object.Apart().Get("subscription").Apart().Get("metadata"))
}

// amountOf reads an amount, which must be there.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount { return adapter.Due(v, c, 2) }

// payerOf reads a customer, or its id.
func payerOf(v adapter.Value) affiliate.PayerFact {
	if !v.IsObject() {
		return affiliate.PayerFact{ID: v.Text()}
	}
	return adapter.Payer(v.Get("id").Text(), v.Get("email").Text(), v.Get("name").Text())
}

// checkout reads a checkout: an order of its own, or the beginning of a subscription, whose
// payments subscription.paid tells.
func (e *event) checkout() {
	o, order := e.object, e.object.Get("order")
	switch {
	case o.Get("subscription").Given() || order.Get("type").Text() == "recurring":
		e.begun()
		return
	case order.Get("status").Text() != "paid":
		e.Ignore(pay.Unpaid)
		return
	}
	c, confirmed := e.about(pay.KindSale, order.Get("currency"), order.Get("transaction"))
	e.Action.Payment.Payer, e.Action.Carried = payerOf(o.Get("customer")), e.carried()
	p := adapter.Paid{At: order.Get("updated_at").Time(), Tries: codesOf(order)}
	if !confirmed || foreign(order) {
		e.Untold(pay.UnknownUnit, "", p)
		return
	}
	e.sale(billOf(order, order.Get("sub_total"), c), p, order.Get("transaction"))
}

// foreign reports whether the customer saw an order in another currency. Nobody confirmed which of
// its amounts are in which.
func foreign(order adapter.Value) bool {
	fx := order.Get("fx_currency").Text()
	return fx != "" && !strings.EqualFold(fx, order.Get("currency").Text())
}

// begun reads the checkout of a subscription. That of a trial refers its customer.
func (e *event) begun() {
	o, sub := e.object, e.object.Get("subscription")
	if !sub.IsObject() || sub.Get("status").Text() != "trialing" {
		e.first()
		return
	}
	c := adapter.Currency(o.Get("order", "currency"))
	e.Fact(pay.KindCustomer, c, o, o.Get("id").Text())
	e.Action.Payment.Payer = payerOf(o.Get("customer"))
	e.Action.Carried = e.carried()
	p := adapter.Paid{Tries: codesOf(o.Get("order"))}
	if e.Marked(p.Tries) {
		e.Lead(adapter.Bill{Currency: c}, p)
		return
	}
	e.Ignore(pay.CoveredElsewhere)
}

// first reads the checkout of a subscription that was paid. It names the transaction, which another
// event tells.
func (e *event) first() {
	o, order := e.object, e.object.Get("order").Apart() // subscription.paid tells what is wrong with it
	e.Action.Carried = e.carried()
	c, paid := affiliate.Currency(strings.ToUpper(order.Get("currency").Text())), order.Get("status").Text() == "paid"
	e.Elsewhere("subscription.paid", paid, o, c, payerOf(o.Get("customer")),
		adapter.Paid{Tries: codesOf(order)}, order.Get("transaction").Text())
}

// codesOf finds our code of the discount of an order, by its id.
func codesOf(order adapter.Value) []affiliate.Credit {
	if id := order.Get("discount").Ref(); adapter.Usable(id) {
		return []affiliate.Credit{{CodeExternalID: id}}
	}
	return nil
}

// paid reads a payment of a subscription, which is its last transaction.
func (e *event) paid() {
	o, transaction := e.object, e.object.Get("last_transaction")
	switch {
	case !transaction.IsObject():
		e.bare()
		return
	case transaction.Get("status").Text() != "paid" && transaction.Get("refunded_amount").Integer() == 0:
		e.Ignore(pay.Unpaid) // a late repeat may be of one that was given back since
		return
	}
	c, confirmed := e.about(pay.KindSale, transaction.Get("currency"), transaction.Get("id"))
	e.Action.Payment.Payer, e.Action.Carried = payerOf(o.Get("customer")), e.carried()
	at, began := millis(transaction.Get("created_at")), o.Get("created_at").Time()
	if at.IsZero() || began.IsZero() {
		o.Get("created_at").Fail("of the subscription, or of its last_transaction, is missing")
	}
	p := adapter.Paid{At: at, Renewal: at.Sub(began) > early}
	if !confirmed {
		e.Untold(pay.UnknownUnit, "", p)
		return
	}
	e.sale(billOf(transaction, transaction.Get("amount"), c), p, transaction.Get("id"))
}

// bare reads a payment of a subscription that has at most the id of its transaction, and so does not say
// what was paid.
func (e *event) bare() {
	o := e.object
	c := affiliate.Currency(strings.ToUpper(o.Get("product").Apart().Get("currency").Text()))
	if !c.Known() {
		c = "USD" // of no amount
	}
	e.Fact(pay.KindSale, c, o,
		cmp.Or(o.Get("last_transaction").Ref(), o.Get("last_transaction_id").Text(),
			e.Action.Event.ID))
	e.Action.Payment.Payer, e.Action.Carried = payerOf(o.Get("customer")), e.carried()
	e.Untold(pay.UnknownUnit, "", adapter.Paid{})
}

// billOf reads what was paid by an order or a transaction.
func billOf(of, subtotal adapter.Value, c affiliate.Currency) adapter.Bill {
	b := adapter.Bill{Currency: c, Paid: amountOf(of.Get("amount_paid"), c), Subtotal: amountOf(subtotal, c)}
	if tax := of.Get("tax_amount"); tax.Given() {
		b.Tax = amountOf(tax, c)
	}
	var off affiliate.Amount
	if discount := of.Get("discount_amount"); discount.Given() {
		off = amountOf(discount, c)
	}
	if b.Paid.IsZero() && b.Subtotal.Cmp(off) > 0 {
		of.Get("amount_paid").Fail("is 0, and something was due")
	}
	return b
}

// sale makes a sale of what was paid; of nothing a customer, when a discount made it free.
func (e *event) sale(b adapter.Bill, p adapter.Paid, id adapter.Value) {
	p.Order, p.Product = id.Text(), e.object.Get("product").Ref()
	e.Book(b, p, true)
}

// back begins the fact about a transaction of which money goes back, in its currency. Money in
// another one is no part of it, and told first it would keep the program from taking the payment.
func (e *event) back(kind pay.Kind, currency adapter.Value) (affiliate.Currency, bool) {
	of := e.object.Get("transaction")
	if c := of.Get("currency").Text(); c != "" && !strings.EqualFold(c, currency.Text()) {
		e.Ignore(pay.UnknownUnit)
		return "", false
	}
	c, confirmed := e.about(kind, currency, of.Get("id"))
	if !confirmed {
		e.Ignore(pay.UnknownUnit)
	}
	return c, confirmed
}

// refund reads a refund, with its tax.
func (e *event) refund() {
	o := e.object
	c, ok := e.back(pay.KindRefund, o.Get("refund_currency"))
	if !ok {
		return
	}
	f := affiliate.RefundFact{ID: o.Get("id").Required(),
		Amount: amountOf(o.Get("refund_amount"), c), State: affiliate.RefundPending}
	switch o.Get("status").Text() {
	case "succeeded":
		f.State = affiliate.RefundSucceeded
	case "failed", "canceled":
		f.State = affiliate.RefundFailed
	case "pending":
	default:
		o.Get("status").Fail("is not known") // nothing is told of it again
	}
	e.Refund(f)
}

// dispute reads a dispute, with which Creem gives the money back. What becomes of it is not told.
func (e *event) dispute() {
	o := e.object
	c, ok := e.back(pay.KindDispute, o.Get("currency"))
	if !ok {
		return
	}
	e.Dispute(affiliate.DisputeFact{ID: o.Get("id").Required(),
		Amount: amountOf(o.Get("amount"), c), State: affiliate.DisputeWithdrawn})
}

// subscription reads the state of a subscription. One that expired may still be paid: its last
// state is canceled.
func (e *event) subscription() {
	o := e.object
	payer, id := o.Get("customer").Ref(), o.Get("id").Required()
	status := affiliate.SubscriptionStatus("")
	switch o.Get("status").Text() {
	case "active", "trialing", "scheduled_cancel":
		status = affiliate.SubscriptionActive
		if e.Action.Event.Type == "subscription.expired" {
			status = affiliate.SubscriptionPastDue
		}
	case "past_due", "unpaid", "paused", "expired":
		status = affiliate.SubscriptionPastDue
	case "canceled":
		status = affiliate.SubscriptionCancelled
	}
	e.Status(payer, id, status)
}
