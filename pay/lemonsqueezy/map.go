package lemonsqueezy

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// The prefixes of keys: ids of orders, invoices and subscriptions are numbers that overlap. The
// first payment of a subscription is an order and an invoice, and subscription_created says of
// which.
const (
	orderKey   = "order_"
	invoiceKey = "invoice_"
	firstKey   = "first_" // the first payment of this subscription
)

// settled is the currency in which Lemon Squeezy pays out.
const settled affiliate.Currency = "USD"

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown types of events, fields and
// values are no errors.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-lemonsqueezy.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		meta, data := root.Get("meta"), root.Get("data")
		e := event{Draft: d, cfg: cfg, meta: meta, id: data.Get("id"), object: data.Get("attributes")}
		id := meta.Get("webhook_id")
		if !id.Given() {
			id = e.id
		}
		d.Begin(id, meta.Get("event_name"), e.object.Get("updated_at").Time())
		test := meta.Get("test_mode").True() || e.object.Get("test_mode").True()
		d.Action.Event.Live = !test
		switch {
		case test && !cfg.Test:
			e.Ignore(pay.TestMode)
		case !test && cfg.Test:
			e.Action.Carried = cfg.Carried(meta.Get("custom_data"))
			e.Ignore(pay.LiveMode)
		default:
			e.read()
		}
	})
}

// An event is an event while it is read.
type event struct {
	*adapter.Draft
	cfg          Config
	meta, object adapter.Value
	id           adapter.Value // of the object
}

// read reads the object of an event by its type.
func (e *event) read() {
	e.id.Required()
	switch t := e.Action.Event.Type; {
	case t == "order_created":
		e.order()
	case t == "order_refunded":
		e.refunded(orderKey + e.id.Text())
	case t == "subscription_payment_success", t == "subscription_payment_recovered":
		e.invoice()
	case t == "subscription_payment_refunded":
		e.refunded(e.invoiceKeys()...)
	case t == "subscription_payment_failed":
		e.Ignore(pay.CoveredElsewhere)
	case t == "subscription_created":
		e.begun()
	case strings.HasPrefix(t, "subscription_"):
		e.subscription()
	default:
		e.Ignore(pay.UnknownEvent)
	}
}

// about begins the fact about a payment. Of a currency whose unit is not known the amounts in US
// dollars are read, which Lemon Squeezy states beside them in fields with that suffix.
func (e *event) about(kind pay.Kind, amount string, keys ...string) (c affiliate.Currency, suffix string, ok bool) {
	c = adapter.Currency(e.object.Get("currency"))
	ok = adapter.Hundredths(c)
	if usd := e.object.Get(amount + inDollars); !ok && usd.Given() && (usd.Integer() > 0 || e.object.Get(amount).Integer() == 0) {
		c, suffix, ok = settled, inDollars, true
	}
	e.Fact(kind, c, e.object, keys...)
	return c, suffix, ok
}

// inDollars is the end of the names of amounts in US dollars.
const inDollars = "_usd"

// amountOf reads an amount, which must be there.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	if !v.Given() {
		v.Fail("is missing")
	}
	return adapter.Amount(v, v.Integer(), c, 2)
}

// order reads an order: a payment of its own, or the first of a subscription.
func (e *event) order() {
	key := orderKey + e.id.Text()
	if p, b, ok := e.paid(false, key); ok {
		p.Order = key
		item := e.object.Get("first_order_item").Apart() // a product is never a reason to refuse an order
		if amountOf(item.Get("price"), b.Currency).Scaled()*max(item.Get("quantity").Integer(),
			1) == b.Subtotal.Scaled() && item.Err() == nil {
			p.Product = item.Get("product_id").Loose() // the only item
		} else {
			e.Action.NoLines = pay.LinesMissing
		}
		e.Book(b, p, e.Action.Payment.Payer.ID != "")
	}
}

// invoice reads a payment of a subscription. Its first one is booked by its order.
func (e *event) invoice() {
	keys := e.invoiceKeys()
	if len(keys) > 1 {
		e.Fact(pay.KindLink, settled, e.object, keys...) // no amount is told, so the currency says nothing
		e.Action.Payment.Payer, e.Action.Carried = payerOf(e.object), e.cfg.Carried(e.meta.Get("custom_data"))
		if e.object.Get("total").Integer() > 0 {
			e.Untold(pay.CoveredElsewhere, "order_created", adapter.Paid{})
		} else {
			e.Leave(pay.CoveredElsewhere)
		}
		return
	}
	if p, b, ok := e.paid(true, keys...); ok {
		p.Invoice = keys[0]
		e.Action.NoLines = pay.LinesMissing
		e.Book(b, p, false)
	}
}

// invoiceKeys returns the keys of an invoice; two for the first of a subscription.
func (e *event) invoiceKeys() []string {
	keys := []string{invoiceKey + e.id.Text()}
	switch e.object.Get("billing_reason").Text() {
	case "initial":
		keys = append(keys, firstKey+e.subscriptionID(e.object.Get("subscription_id")))
	case "renewal", "updated":
	default:
		e.object.Get("billing_reason").Fail("is not known")
	}
	return keys
}

func (e *event) subscriptionID(v adapter.Value) string {
	if v.Loose() == "" {
		v.Fail("is missing")
	}
	return v.Loose()
}

// paid reads what an order and an invoice have in common.
func (e *event) paid(renewal bool, keys ...string) (p adapter.Paid, b adapter.Bill, ok bool) {
	o := e.object
	c, in, ok := e.about(pay.KindSale, "total", keys...)
	switch o.Get("status").Text() {
	case "paid", "refunded", "partial_refund":
	default:
		e.Ignore(pay.Unpaid)
		return p, b, false
	}
	e.Action.Payment.Payer = payerOf(o)
	e.Action.Carried = e.cfg.Carried(e.meta.Get("custom_data"))
	p = adapter.Paid{At: o.Get("created_at").Time(), Renewal: renewal}
	if !ok {
		e.Untold(pay.UnknownUnit, "", p)
		return p, b, false
	}
	b = adapter.Bill{Currency: c, Paid: amountOf(o.Get("total"+in), c),
		Tax: amountOf(o.Get("tax"+in), c), Subtotal: amountOf(o.Get("subtotal"+in), c)}
	e.settle(b)
	return p, b, true
}

// settle reads what a payment is worth in the currency in which Lemon Squeezy pays out.
func (e *event) settle(b adapter.Bill) {
	worth := e.object.Get("total_usd").Apart() // without a rate that can be read, the program's is asked
	if b.Currency == settled || !worth.Given() {
		return
	}
	rate, err := affiliate.ExchangeRateOf(b.Paid, amountOf(worth, settled))
	if err == nil && worth.Err() == nil {
		e.Action.Payment.ExchangeRate, e.Action.Settled = rate, settled
	}
}

// payerOf reads who pays.
func payerOf(o adapter.Value) affiliate.PayerFact {
	return adapter.Payer(o.Get("customer_id").Loose(), o.Get("user_email").Text(), o.Get("user_name").Text())
}

// refunded reads how much of a payment was refunded until then.
func (e *event) refunded(keys ...string) {
	c, in, ok := e.about(pay.KindRefund, "refunded_amount", keys...)
	if !ok {
		e.Ignore(pay.UnknownUnit)
		return
	}
	e.Refunded(amountOf(e.object.Get("refunded_amount"+in), c))
}

// begun reads of which order a subscription is the beginning.
func (e *event) begun() {
	order := e.object.Get("order_id").Loose()
	if order == "" {
		e.subscription()
		return
	}
	e.Fact(pay.KindLink, settled, e.object, orderKey+order, firstKey+e.id.Text())
	e.Action.Payment.Payer = affiliate.PayerFact{ID: e.object.Get("customer_id").Loose()}
}

// subscription reads the state of a subscription. A cancelled one goes on until it expires.
func (e *event) subscription() {
	payer := e.object.Get("customer_id").Loose()
	status := affiliate.SubscriptionStatus("")
	switch e.object.Get("status").Text() {
	case "active", "on_trial", "cancelled":
		status = affiliate.SubscriptionActive
	case "past_due", "unpaid", "paused":
		status = affiliate.SubscriptionPastDue
	case "expired":
		status = affiliate.SubscriptionCancelled
	}
	e.Status(payer, e.id.Text(), status)
}
