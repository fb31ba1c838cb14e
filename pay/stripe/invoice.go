package stripe

import (
	"cmp"
	"iter"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// maxLines is the largest number of metadata objects that are read from an invoice: an
// event has its first 10 lines.
const maxLines = 30

// invoice reads an invoice of any version of the API.
func (e *event) invoice() {
	o := e.object
	c := adapter.Currency(o.Get("currency"))
	intent, meta := cmp.Or(o.Get("payment_intent").Ref(), o.Get("charge").Ref()),
		e.carriedByInvoice() // until 2025-03-31
	e.fact(pay.KindSale, c, o.Get("id").Text(), intent)
	e.Action.Payment.Payer = e.payer(payer{o, o.Get("customer_email"), o.Get("customer_name")})
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	b := e.billOfInvoice(c)
	p := adapter.Paid{
		Order: intent, Invoice: o.Get("id").Text(), At: o.Get("status_transitions", "paid_at").Seconds(),
	}
	e.linesOfInvoice(&p, c)
	p.Tries = adapter.Codes(codesOf(e.discountsOfInvoice()))
	switch {
	case b.Paid.Sign() <= 0:
		e.Ignore(pay.ZeroAmount)
		return
	case o.Get("billing_reason").Text() == "subscription_create":
		if via(meta) == ViaSession {
			e.Untold(pay.FirstFromSession, "checkout.session.completed", p)
			return
		}
		if !e.books(ViaInvoice, meta) {
			e.Action.Reason, e.Action.Wait = pay.FirstFromSession, true
		}
	case e.ofSubscription():
		p.Renewal = true
	case !e.cfg.OneOffInvoices && via(meta) != ViaInvoice:
		e.Untold(pay.OneOffInvoice, "checkout.session.completed, or Config.OneOffInvoices",
			adapter.Paid{Tries: p.Tries})
		return
	}
	if p.Renewal {
		byCode := e.Action.Carried.Code+e.Action.Carried.Hold != "" // which only the first payment redeems
		e.Action.Wait = via(meta) == ViaSession && e.Marked(p.Tries) || via(meta) != ViaInvoice && (byCode || e.young())
	}
	e.Sale(b, p)
}

// carriedByInvoice reads what an invoice carried, its subscription, or a line.
func (e *event) carriedByInvoice() adapter.Data {
	o := e.object
	from := []adapter.Value{o.Get("metadata"), o.Get("parent", "subscription_details", "metadata"),
		o.Get("subscription_details", "metadata")}
	for line := range o.Get("lines", "data").Each() {
		if from = append(from, line.Get("metadata")); len(from) > maxLines {
			break
		}
	}
	return e.carried(from...)
}

// billed reads another event of an invoice. When that was paid, invoice.paid tells it.
func (e *event) billed() {
	e.object = e.object.Apart() // invoice.paid tells what is wrong with it
	o, first := e.object, e.object.Get("billing_reason").Text() == "subscription_create"
	e.Action.Carried = e.carriedByInvoice().All(e.cfg.CarryKeys)
	c, paid := affiliate.Currency(strings.ToUpper(o.Get("currency").Text())),
		o.Get("status").Text() == "paid" && o.Get("amount_paid").Integer() > 0
	p := adapter.Paid{Tries: adapter.Codes(codesOf(e.discountsOfInvoice())), Renewal: e.ofSubscription() && !first}
	e.Elsewhere("invoice.paid", paid, o, c, affiliate.PayerFact{ID: customerOf(o)}, p, o.Get("id").Text())
}

// young reports whether the subscription of an invoice may be so new that its first
// payment is still on its way. For others nothing waits, because most customers were not
// brought by anybody.
func (e *event) young() bool {
	began := e.object.Get("period_start").Seconds()
	return !began.IsZero() && e.Action.Event.At.Sub(began) < cmp.Or(e.cfg.Wait, adapter.DefaultWait)
}

// ofSubscription reports whether an invoice is one of a subscription.
func (e *event) ofSubscription() bool {
	o := e.object
	return strings.HasPrefix(o.Get("billing_reason").Text(), "subscription") || o.Get("subscription").Ref() != "" ||
		o.Get("parent", "type").Text() == "subscription_details"
}

// billOfInvoice reads what was paid of an invoice, which may be less than its
// total: an earlier credit of the customer was commissioned when it was paid.
func (e *event) billOfInvoice(c affiliate.Currency) adapter.Bill {
	o := e.object
	b := adapter.Bill{
		Currency: c,
		Paid:     amountOf(o.Get("amount_paid"), c),
		Subtotal: amountOf(o.Get("subtotal"), c),
		Tax:      e.taxOfInvoice(c),
		Shipping: shippingOf(o, o.Get("amount_shipping"), c),
	}
	b.Share(o.Get("amount_paid"), amountOf(o.Get("total"), c))
	return b
}

func (e *event) taxOfInvoice(c affiliate.Currency) affiliate.Amount {
	o := e.object
	switch taxes, tax := o.Get("total_taxes"), o.Get("tax"); {
	case taxes.Given():
		return sumOf(taxes, c)
	case tax.Given():
		return amountOf(tax, c)
	}
	return sumOf(o.Get("total_tax_amounts"), c)
}

// discountsOfInvoice returns the discounts of an invoice that are there as objects:
// most are bare ids.
func (e *event) discountsOfInvoice() iter.Seq[adapter.Value] {
	return func(yield func(adapter.Value) bool) {
		for discount := range e.object.Get("discounts").Each() {
			if discount.IsObject() && !yield(discount) {
				return
			}
		}
		if single := e.object.Get("discount"); single.IsObject() {
			yield(single)
		}
	}
}

// invoicePayment reads which payment intent paid an invoice. Since 2025-03-31 no other
// object says so.
func (e *event) invoicePayment() {
	o := e.object
	id := ""
	switch o.Get("payment", "type").Text() {
	case "payment_intent":
		id = o.Get("payment", "payment_intent").Ref()
	case "charge":
		id = o.Get("payment", "charge").Ref()
	}
	if id == "" {
		e.Ignore(pay.CoveredElsewhere)
		return
	}
	e.fact(pay.KindLink, adapter.Currency(o.Get("currency")), id, o.Get("invoice").Ref())
}
