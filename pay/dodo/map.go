package dodo

import (
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown types of events, fields and
// values are no errors. Dodo's events have no id in their body: Action.Event.ID is that of
// the object.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-dodo.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		o := root.Get("data")
		kind, _, _ := strings.Cut(root.Get("type").Text(), ".")
		id := root.Get("business_id") // of an event that is not read
		switch kind {
		case "payment":
			id = o.Get("payment_id")
		case "refund":
			id = o.Get("refund_id")
		case "dispute":
			id = o.Get("dispute_id")
		case "subscription":
			id = o.Get("subscription_id")
		}
		d.Begin(id, root.Get("type"), root.Get("timestamp").Time())
		e := event{Draft: d, cfg: cfg, object: o}
		switch {
		case d.Action.Event.Type == "payment.succeeded":
			e.payment()
		case kind == "payment":
			e.other()
		case kind == "refund":
			e.refund()
		case kind == "dispute":
			e.dispute()
		case kind == "subscription":
			e.subscription()
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

// about begins the fact about a payment in a currency.
func (e *event) about(kind pay.Kind, c affiliate.Currency) {
	e.Fact(kind, c, e.object, e.object.Get("payment_id").Required())
}

// back begins the fact about money that goes back. It is a part of what was paid, which is counted
// in the same unit, so that need not be known. An amount that is null is not told.
func (e *event) back(kind pay.Kind) (c affiliate.Currency, ok bool) {
	if !e.object.Get("amount").Given() || !e.object.Get("currency").Given() {
		e.Ignore(pay.UnknownUnit)
		return "", false
	}
	c = adapter.Currency(e.object.Get("currency"))
	e.about(kind, c)
	return c, true
}

// amountOf reads an amount, which must be there. Of a currency whose unit is not confirmed it says
// no more than which part of another one it is.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	return adapter.Due(v, c, c.Digits())
}

// payment reads a payment: one of its own, or one of a subscription.
func (e *event) payment() {
	o := e.object
	e.Action.Carried = e.cfg.Carried(o.Get("metadata"))
	c := adapter.Currency(o.Get("currency"))
	e.about(pay.KindSale, c)
	if status := o.Get("status"); status.Given() && status.Text() != "succeeded" { // null: the type of the event says it
		e.Ignore(pay.Unpaid) // the event has the state at the time of its delivery
		return
	}
	e.Action.Payment.Payer = payerOf(o.Get("customer"))
	b := billOf(o, c)
	p := adapter.Paid{
		Order: o.Get("payment_id").Text(), Invoice: o.Get("invoice_id").Text(), At: o.Get("created_at").Time(),
		Tries: codesOf(o), Renewal: isRenewal(o),
	}
	if p.Product = productOf(o.Get("product_cart")); p.Product == "" {
		e.Action.NoLines = pay.LinesMissing
	}
	e.Action.Payment.Currency = b.Currency
	if b.Paid.Sign() > 0 {
		if !adapter.Hundredths(b.Currency) { // nobody confirmed in which unit Dodo counts it
			e.Untold(pay.UnknownUnit, "", p)
			return
		}
		e.settle(b)
	}
	e.Book(b, p, true)
}

// billOf reads what was paid. When the unit of its currency is not confirmed, that is what Dodo
// pays the host for it, and refunds are parts of the amount in the customer's currency.
func billOf(o adapter.Value, c affiliate.Currency) adapter.Bill {
	b := adapter.Bill{Currency: c, Paid: amountOf(o.Get("total_amount"), c)}
	tax, own := o.Get("tax"), affiliate.Currency(strings.ToUpper(o.Get("settlement_currency").Text()))
	if worth := o.Get("settlement_amount"); !adapter.Hundredths(c) && adapter.Hundredths(own) && worth.Integer() > 0 {
		b = adapter.Bill{Currency: own, Paid: amountOf(worth, own), Shown: b.Paid, ShownCurrency: c}
		if settled := o.Get("settlement_tax"); settled.Given() || !tax.Given() {
			tax = settled
		} else { // it is in the customer's currency alone
			b.Tax = amountOf(tax, c)
			b.Share(tax, b.Shown)
			return b
		}
	}
	if tax.Given() { // none: there is no tax
		b.Tax = amountOf(tax, b.Currency)
	}
	return b
}

// other reads another event of a payment, which has the state at the time of its delivery. When
// it was paid, payment.succeeded tells it.
func (e *event) other() {
	o := e.object.Apart() // payment.succeeded tells what is wrong with it
	e.Action.Carried = e.cfg.Carried(o.Get("metadata"))
	c := affiliate.Currency(strings.ToUpper(o.Get("currency").Text()))
	paid := o.Get("status").Text() == "succeeded" && o.Get("total_amount").Integer() > 0
	e.Elsewhere("payment.succeeded", paid, o, c, payerOf(o.Get("customer")),
		adapter.Paid{Tries: codesOf(o), Renewal: isRenewal(o)}, o.Get("payment_id").Text())
}

// settle reads what a payment is worth in the currency in which Dodo pays the host. What a
// customer pays for the conversion is no part of that.
func (e *event) settle(b adapter.Bill) {
	o := e.object
	worth, code := o.Get("settlement_amount").Apart(),
		o.Get("settlement_currency").Apart() // without a rate that can be read, the program's is asked
	if !worth.Given() || !code.Given() {
		return
	}
	c := adapter.Currency(code)
	if c == b.Currency || !adapter.Hundredths(c) {
		return
	}
	rate, err := affiliate.ExchangeRateOf(b.Paid, amountOf(worth, c))
	if err == nil && worth.Err() == nil && code.Err() == nil {
		e.Action.Payment.ExchangeRate, e.Action.Settled = rate, c
	}
}

// isRenewal reports whether a payment is a later one of a subscription: the first is made in a
// checkout, which has a session or a link. With another card, for which there is a link too, the
// customer also pays what is due.
func isRenewal(o adapter.Value) bool {
	checkout := o.Get("checkout_session_id").Text() + o.Get("payment_link").Text()
	later := o.Get("retry_attempt").Integer() > 0 || o.Get("is_update_payment_method").True()
	return o.Get("subscription_id").Text() != "" && (checkout == "" || later)
}

// productOf returns the product of a payment that is of one product. Those of subscriptions
// name none.
func productOf(cart adapter.Value) (product string) {
	n := 0
	for item := range cart.Each() {
		product = item.Get("product_id").Text()
		n++
	}
	if n != 1 {
		return ""
	}
	return product
}

// codesOf finds our codes of the discounts, by their ids and by their texts. Before Dodo
// told all of them it told one, by its id.
func codesOf(o adapter.Value) []affiliate.Credit {
	return adapter.Codes(func(yield func(affiliate.Credit) bool) {
		all := o.Get("discounts")
		for discount := range all.Each() {
			if id := discount.Get("discount_id").Text(); adapter.Usable(id) && !yield(affiliate.Credit{CodeExternalID: id}) {
				return
			}
			if code := discount.Get("code").Text(); adapter.Usable(code) && !yield(affiliate.Credit{PromoCode: code}) {
				return
			}
		}
		if id := o.Get("discount_id").Text(); !all.Given() && adapter.Usable(id) {
			yield(affiliate.Credit{CodeExternalID: id})
		}
	})
}

// payerOf reads a customer.
func payerOf(v adapter.Value) affiliate.PayerFact {
	return adapter.Payer(v.Get("customer_id").Text(), v.Get("email").Text(), v.Get("name").Text())
}

// refund reads a refund, with its tax.
func (e *event) refund() {
	o := e.object
	c, ok := e.back(pay.KindRefund)
	if !ok {
		return
	}
	f := affiliate.RefundFact{ID: o.Get("refund_id").Text(), Amount: amountOf(o.Get("amount"), c),
		State: affiliate.RefundPending}
	switch o.Get("status").Text() {
	case "succeeded":
		if e.Action.Event.Type != "refund.failed" { // when it did later, refund.succeeded says so
			f.State = affiliate.RefundSucceeded
		}
	case "failed":
		f.State = affiliate.RefundFailed
	case "pending", "review":
	default:
		o.Get("status").Fail("is not known")
	}
	e.Refund(f)
}

// dispute reads the state of a dispute.
func (e *event) dispute() {
	o := e.object
	c, ok := e.back(pay.KindDispute)
	if !ok {
		return
	}
	f := affiliate.DisputeFact{ID: o.Get("dispute_id").Text(), Amount: disputed(o.Get("amount"), c)}
	switch o.Get("dispute_status").Text() {
	case "dispute_opened", "dispute_challenged", "dispute_expired":
		f.State = affiliate.DisputeWithdrawn
		if o.Get("dispute_stage").Text() == "pre_dispute" {
			f.State = affiliate.DisputeInquiry
		}
	case "dispute_accepted", "dispute_lost":
		f.State = affiliate.DisputeLost
	case "dispute_won":
		f.State = affiliate.DisputeWon
	case "dispute_cancelled":
		f.State = affiliate.DisputeReleased
	default:
		o.Get("dispute_status").Fail("is not known")
	}
	e.Dispute(f)
}

// disputed reads the amount of a dispute: the smallest unit, as a text of digits.
func disputed(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	n, err := strconv.ParseInt(v.Loose(), 10, 64)
	if err != nil || n < 0 {
		v.Fail("is not a number of the smallest unit")
	}
	return adapter.Amount(v, n, c, c.Digits())
}

// subscription reads the state of a subscription. One that is to be cancelled at its next date
// is active until then.
func (e *event) subscription() {
	o := e.object
	payer, id := o.Get("customer", "customer_id").Text(), o.Get("subscription_id").Text()
	status := affiliate.SubscriptionStatus("")
	switch o.Get("status").Text() {
	case "active":
		status = affiliate.SubscriptionActive
	case "on_hold", "paused":
		status = affiliate.SubscriptionPastDue
	case "cancelled", "expired":
		status = affiliate.SubscriptionCancelled
	}
	e.Status(payer, id, status)
}
