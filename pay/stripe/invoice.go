package stripe

import (
	"cmp"
	"iter"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/draft"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// invoice reads an invoice of any version of the API.
func (e *event) invoice() {
	o := e.object
	c := draft.Currency(o.Get("currency"))
	intent := cmp.Or(o.Get("payment_intent").Ref(), o.Get("charge").Ref()) // until 2025-03-31
	meta := e.carried(
		o.Get("metadata"), o.Get("parent", "subscription_details", "metadata"),
		o.Get("subscription_details", "metadata"), o.Get("lines", "data").First().Get("metadata"),
	)
	e.fact(pay.KindSale, c, o.Get("id").Text(), intent)
	e.Action.Payment.Payer = e.payer(payer{o.Get("customer"), o.Get("customer_email"), o.Get("customer_name")})
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	b := e.billOfInvoice(c)
	p := draft.Paid{
		Order: intent, Invoice: o.Get("id").Text(), Product: e.productOfInvoice(),
		At: secondsOf(o.Get("status_transitions", "paid_at")),
	}
	switch {
	case b.Paid.Sign() <= 0:
		e.Ignore(pay.ZeroAmount)
		return
	case o.Get("billing_reason").Text() == "subscription_create":
		if !e.books(ViaInvoice, meta) {
			e.Leave(pay.FirstFromSession)
			return
		}
	case e.ofSubscription():
		p.Renewal = true
		e.Action.Wait = via(meta) == ViaSession
	case !e.cfg.OneOffInvoices && via(meta) != ViaInvoice:
		e.Ignore(pay.OneOffInvoice)
		return
	}
	p.Tries = draft.Codes(codesOf(e.discountsOfInvoice()))
	e.Sale(b, p)
}

// ofSubscription reports whether an invoice is one of a subscription.
func (e *event) ofSubscription() bool {
	o := e.object
	return strings.HasPrefix(o.Get("billing_reason").Text(), "subscription") || o.Get("subscription").Ref() != "" ||
		o.Get("parent", "type").Text() == "subscription_details"
}

// billOfInvoice reads what was paid of an invoice, which may be less than its
// total: an earlier credit of the customer was commissioned when it was paid.
func (e *event) billOfInvoice(c affiliate.Currency) draft.Bill {
	o := e.object
	b := draft.Bill{
		Currency: c,
		Paid:     amountOf(o.Get("amount_paid"), c),
		Subtotal: amountOf(o.Get("subtotal"), c),
		Tax:      e.taxOfInvoice(c),
		Shipping: amountOf(o.Get("amount_shipping"), c),
	}
	if b.Shipping.IsZero() {
		b.Shipping = amountOf(o.Get("shipping_cost", "amount_total"), c)
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

// productOfInvoice is the product of the first line that costs something.
func (e *event) productOfInvoice() string {
	for line := range e.object.Get("lines", "data").Each() {
		if line.Get("amount").Integer() <= 0 {
			continue
		}
		return cmp.Or(line.Get("pricing", "price_details", "product").Ref(), line.Get("price", "product").Ref())
	}
	return ""
}

// discountsOfInvoice are the discounts of an invoice that are there as objects:
// most are bare ids.
func (e *event) discountsOfInvoice() iter.Seq[fields.Value] {
	return func(yield func(fields.Value) bool) {
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

// invoicePayment reads the tie between an invoice and a payment intent, which
// since 2025-03-31 no other object has.
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
	e.fact(pay.KindLink, draft.Currency(o.Get("currency")), id, o.Get("invoice").Ref())
}
