package polar

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown types of events, fields and
// values are no errors. Polar's events have no id in their body: Action.Event.ID is that of
// the object.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-polar.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		o := root.Get("data")
		d.Begin(o.Get("id"), root.Get("type"), root.Get("timestamp").Time())
		e := event{Draft: d, cfg: cfg, object: o}
		switch t := d.Action.Event.Type; {
		case t == "order.paid":
			e.order()
		case t == "order.refunded":
			e.refunded()
		case strings.HasPrefix(t, "order."):
			e.other()
		case t == "refund.created", t == "refund.updated":
			e.refund()
		case strings.HasPrefix(t, "subscription."):
			e.subscription()
		case t == "customer.created", t == "customer.updated":
			e.Customer(payerOf(o))
		default:
			e.Ignore(pay.UnknownEvent)
		}
	})
}

// An event is an event while it is read.
type event struct {
	*adapter.Draft
	cfg    Config
	object adapter.Value
}

// about begins the fact about an order, and reports whether its amounts are counted in a unit that
// is known. Else they are not read at all.
func (e *event) about(kind pay.Kind, order adapter.Value) (c affiliate.Currency, known bool) {
	c = adapter.Currency(e.object.Get("currency"))
	e.Fact(kind, c, e.object, order.Required())
	if _, known = digits(c); !known {
		e.Ignore(pay.UnknownUnit)
	}
	return c, known
}

// other reads another event of an order. When that was paid, order.paid tells it.
func (e *event) other() {
	o := e.object.Apart() // order.paid tells what is wrong with it
	e.Action.Carried = e.cfg.Carried(o.Get("metadata"))
	c := affiliate.Currency(strings.ToUpper(o.Get("currency").Text()))
	paid := o.Get("status").Text() == "paid" && o.Get("total_amount").Integer() > 0
	p := adapter.Paid{Tries: codesOf(o), Renewal: isRenewal(o.Get("billing_reason").Text())}
	e.Elsewhere("order.paid", paid, o, c, payerOf(o.Get("customer")), p, o.Get("id").Text())
}

// digits returns how many decimals Polar counts in a currency: its own table. Currencies with
// three are none of Polar's.
func digits(c affiliate.Currency) (n int, known bool) {
	switch c {
	case "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0, true
	}
	return 2, c.Digits() <= 2
}

// amountOf reads an amount, which must be there.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	if !v.Given() {
		v.Fail("is missing")
	}
	n, _ := digits(c)
	return adapter.Amount(v, v.Integer(), c, n)
}

// payerOf reads a customer. Its external_id is not read: a payer may choose it in some
// checkouts.
func payerOf(v adapter.Value) affiliate.PayerFact {
	return adapter.Payer(v.Get("id").Text(), v.Get("email").Text(), v.Get("name").Text())
}

// order reads an order that was paid.
func (e *event) order() {
	o := e.object
	e.Action.Carried = e.cfg.Carried(o.Get("metadata"))
	c, known := e.about(pay.KindSale, o.Get("id"))
	p := adapter.Paid{
		Order: o.Get("id").Text(), Invoice: o.Get("invoice_number").Text(), Product: o.Get("product_id").Text(),
		At: o.Get("created_at").Time(), Tries: codesOf(o), Renewal: isRenewal(o.Get("billing_reason").Text()),
	}
	if !known {
		e.Fact(pay.KindSale, c, o, o.Get("id").Text())
		e.Action.Payment.Payer = payerOf(o.Get("customer"))
		e.Untold(pay.UnknownUnit, "", p)
		return
	}
	e.Action.Payment.Payer = payerOf(o.Get("customer"))
	b := billOf(o, c)
	begins := o.Get("subscription_id").Text() != "" || o.Get("discount_id").Text() != ""
	e.Book(b, p, begins)
}

// billOf reads what was paid: the total, less what the customer's balance paid of it. The
// balance pays no tax, because Polar refunds all of the tax beside the rest. An old debt that is
// collected with the order is not of it.
func billOf(o adapter.Value, c affiliate.Currency) adapter.Bill {
	b := adapter.Bill{Currency: c, Paid: amountOf(o.Get("total_amount"), c),
		Tax: amountOf(o.Get("tax_amount"), c), Subtotal: amountOf(o.Get("subtotal_amount"), c)}
	if net := amountOf(o.Get("net_amount"), c); sum(net, b.Tax) != b.Paid {
		o.Get("total_amount").Fail("is not net_amount and tax_amount")
	}
	var balance affiliate.Amount
	if applied := o.Get("applied_balance_amount"); applied.Given() {
		balance = amountOf(applied, c) // below zero: it paid
	} else if old := o.Get("from_balance_amount"); old.Given() {
		balance = affiliate.AmountFromScaled(-amountOf(old, c).Scaled()) // until September 2025 with the other sign
	}
	if balance.Sign() < 0 {
		b.Paid = sum(b.Paid, balance)
		if b.Tax.Cmp(b.Paid) > 0 {
			b.Tax = b.Paid
		}
	}
	return b
}

// sum adds amounts, which are far from the end of their range.
func sum(a, b affiliate.Amount) affiliate.Amount {
	return affiliate.AmountFromScaled(a.Scaled() + b.Scaled())
}

// codesOf finds our code of a discount by its id, and by its text.
func codesOf(o adapter.Value) []affiliate.Credit {
	return adapter.Codes(func(yield func(affiliate.Credit) bool) {
		if id := o.Get("discount_id").Text(); adapter.Usable(id) && !yield(affiliate.Credit{CodeExternalID: id}) {
			return
		}
		if code := o.Get("discount", "code").Text(); adapter.Usable(code) {
			yield(affiliate.Credit{PromoCode: code})
		}
	})
}

// isRenewal reports whether an order is a later one of a subscription.
func isRenewal(reason string) bool {
	switch reason {
	case "subscription_cycle", "subscription_update", "subscription_meter_cycle":
		return true
	}
	return false
}

// refunded reads how much of an order was refunded until then.
func (e *event) refunded() {
	o := e.object
	c, ok := e.about(pay.KindRefund, o.Get("id"))
	if !ok {
		return
	}
	e.Refunded(sum(amountOf(o.Get("refunded_amount"), c), amountOf(o.Get("refunded_tax_amount"), c)))
}

// refund reads a refund. Its amount is without its tax.
func (e *event) refund() {
	o := e.object
	c, ok := e.about(pay.KindRefund, o.Get("order_id"))
	if !ok {
		return
	}
	tax := amountOf(o.Get("tax_amount"), c)
	f := affiliate.RefundFact{
		ID: o.Get("id").Text(), Amount: sum(amountOf(o.Get("amount"), c), tax),
		Tax: affiliate.Set(tax), Shipping: affiliate.Set(affiliate.Amount{}), State: affiliate.RefundPending,
	}
	switch o.Get("status").Text() {
	case "succeeded":
		f.State = affiliate.RefundSucceeded
	case "failed", "canceled":
		f.State = affiliate.RefundFailed
	}
	e.Refund(f)
}

// subscription reads the state of a subscription.
func (e *event) subscription() {
	o := e.object
	payer, id := o.Get("customer_id").Text(), o.Get("id").Text()
	status := affiliate.SubscriptionStatus("")
	switch o.Get("status").Text() {
	case "active", "trialing":
		status = affiliate.SubscriptionActive
	case "past_due", "unpaid", "paused":
		status = affiliate.SubscriptionPastDue
	case "canceled":
		status = affiliate.SubscriptionCancelled
	}
	e.Status(payer, id, status)
}
