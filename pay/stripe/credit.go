package stripe

import (
	"iter"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// carried returns the metadata of an object and of those that it came from, the nearest
// first.
func (e *event) carried(from ...adapter.Value) adapter.Data {
	return adapter.Data{Names: e.cfg.Names, Read: adapter.Value.Text, From: from}
}

// via returns the way of a payment, as its metadata has it.
func via(meta adapter.Data) Via { return Via(meta.Get(keyVia)) }

// codesOf finds our codes of promotion codes by their ids, and where an object is
// expanded by its text.
func codesOf(discounts iter.Seq[adapter.Value]) iter.Seq[affiliate.Credit] {
	return func(yield func(affiliate.Credit) bool) {
		for discount := range discounts {
			promotion := discount.Get("promotion_code")
			if id := promotion.Ref(); adapter.Usable(id) && !yield(affiliate.Credit{CodeExternalID: id}) {
				return
			}
			if !promotion.IsObject() {
				continue
			}
			if text := promotion.Get("code").Text(); adapter.Usable(text) && !yield(affiliate.Credit{PromoCode: text}) {
				return
			}
		}
	}
}

// creditNote reads a credit note. Money that it gives back through a refund also comes as
// a refund, but only the note says how much of it is tax and shipping. What it adds to the
// customer's balance lowers a later payment. Money that the host gives back outside of
// Stripe is only reported here.
func (e *event) creditNote() {
	o := e.object
	c := adapter.Currency(o.Get("currency"))
	var given []affiliate.RefundFact
	if outside := amountOf(o.Get("out_of_band_amount"), c); outside.Sign() > 0 {
		given = append(given,
			affiliate.RefundFact{ID: o.Get("id").Text(), Amount: outside,
				State: affiliate.RefundSucceeded})
	}
	for f := range e.noted(c) {
		if f.ID != "" && f.Amount.Sign() > 0 && e.taxed() {
			given = append(given, f)
		}
	}
	if len(given) > 0 && o.Get("invoice").Ref() != "" {
		e.fact(pay.KindRefund, c, o.Get("invoice").Ref())
		e.nameParts(given, c)
		e.Action.Payment.Refunds = given
		if given[0].State == affiliate.RefundPending { // their own events say that they are refunds
			e.Action.Kind, e.Action.Reason = pay.KindIgnored, pay.CoveredElsewhere
		}
		return
	}
	if !o.Get("refunds").First().Given() && o.Get("refund").Ref() == "" &&
		o.Get("customer_balance_transaction").Ref() != "" {
		e.Ignore(pay.CreditBalance)
		return
	}
	e.Ignore(pay.CoveredElsewhere)
}

// noted returns the refunds as a credit note lists them. Their own events say how far they
// are. In older versions a note has one refund, and its amount is what is left of the
// note, unless a part of it went to the customer's balance.
func (e *event) noted(c affiliate.Currency) iter.Seq[affiliate.RefundFact] {
	o := e.object
	return func(yield func(affiliate.RefundFact) bool) {
		for one := range o.Get("refunds").Each() {
			if !yield(affiliate.RefundFact{ID: one.Get("refund").Ref(),
				Amount: amountOf(one.Get("amount_refunded"), c), State: affiliate.RefundPending}) {
				return
			}
		}
		single := affiliate.RefundFact{ID: o.Get("refund").Ref(), State: affiliate.RefundPending}
		switch refund := o.Get("refund"); {
		case single.ID == "" || o.Get("refunds").First().Given():
			return
		case refund.IsObject():
			single.Amount = amountOf(refund.Get("amount"), c)
		case o.Get("customer_balance_transaction").Ref() == "":
			single.Amount = minus(o, amountOf(o.Get("total"), c), amountOf(o.Get("out_of_band_amount"), c))
		}
		yield(single)
	}
}

// taxed reports whether a credit note says how much of it is tax.
func (e *event) taxed() bool {
	return e.object.Get("total_taxes").Given() || e.object.Get("tax_amounts").Given()
}

// nameParts names the tax and shipping of each refund, in proportion to the note.
func (e *event) nameParts(given []affiliate.RefundFact, c affiliate.Currency) {
	o := e.object
	whole := amountOf(o.Get("total"), c)
	if !e.taxed() || whole.Sign() <= 0 {
		return
	}
	tax := sumOf(o.Get("total_taxes"), c)
	if !o.Get("total_taxes").Given() {
		tax = sumOf(o.Get("tax_amounts"), c)
	}
	for i := range given {
		f := &given[i]
		b := adapter.Bill{Currency: c, Paid: f.Amount, Tax: tax, Shipping: shippingOf(o, o.Get("amount_shipping"), c)}
		b.Share(o.Get("total"), whole)
		b.Fit()
		f.Tax, f.Shipping = affiliate.Set(b.Tax), affiliate.Set(b.Shipping)
	}
}
