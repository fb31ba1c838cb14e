package stripe

import (
	"cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// session reads a Checkout session.
func (e *event) session() {
	s := e.object
	mode, status, meta := s.Get("mode").Text(), s.Get("payment_status").Text(), e.carried(s.Get("metadata"))
	switch {
	case mode == "setup":
		e.Ignore(pay.ZeroAmount)
		return
	case status != "paid" && status != "no_payment_required" &&
		(mode != "payment" || s.Get("payment_intent").Ref() == ""):
		e.Ignore(pay.Unpaid)
		return
	}
	b := e.billOfSession()
	e.fact(pay.KindSale, b.Currency, s.Get("payment_intent").Ref(), s.Get("invoice").Ref(), s.Get("id").Text())
	e.Action.Carried = referred(meta.All(e.cfg.CarryKeys), s.Get("client_reference_id").Text())
	e.Action.Payment.Payer = e.payerOfSession()
	p := adapter.Paid{
		Order:   s.Get("payment_intent").Ref(),
		Invoice: s.Get("invoice").Ref(),
		At:      s.Get("created").Seconds(),
		Tries:   adapter.Codes(codesOf(s.Get("discounts").Each())),
	}
	e.linesOfSession(&p, &b)
	switch {
	case status == "unpaid":
		e.agreed(b, p)
	case status == "no_payment_required" || b.Paid.Sign() <= 0:
		e.Lead(b, p)
	case mode == "subscription" && !e.books(ViaSession, meta):
		e.Untold(pay.CoveredElsewhere, "invoice.paid", p)
	default:
		e.Sale(b, p)
	}
}

// agreed keeps what a session says of a payment that is on its way, or that the host
// captures manually: later the payment intent says how much was paid, and nothing
// else.
func (e *event) agreed(b adapter.Bill, p adapter.Paid) {
	if b.Paid.Sign() <= 0 {
		e.Ignore(pay.Unpaid)
		return
	}
	f := &e.Action.Payment
	f.Payer.ID = cmp.Or(f.Payer.ID, e.object.Get("payment_intent").Ref())
	p.Stage = affiliate.PaidLater
	e.Sale(b, p)
	e.Action.Kind, e.Action.Reason = pay.KindIgnored, pay.Unpaid
}

func (e *event) payerOfSession() affiliate.PayerFact {
	s := e.object
	email := s.Get("customer_details", "email")
	if email.Text() == "" {
		email = s.Get("customer_email")
	}
	return e.payer(payer{s, email, s.Get("customer_details", "name")})
}

// billOfSession reads what a session cost, in the currency of the host's prices.
// Sessions that showed another one to the customer have it apart.
func (e *event) billOfSession() adapter.Bill {
	s := e.object
	shown := adapter.Currency(s.Get("currency"))
	b := adapter.Bill{
		Currency: shown,
		Paid:     amountOf(s.Get("amount_total"), shown),
		Subtotal: amountOf(s.Get("amount_subtotal"), shown),
		Tax:      amountOf(s.Get("total_details", "amount_tax"), shown),
		Shipping: shippingOf(s, s.Get("total_details", "amount_shipping"), shown),
	}
	if own := s.Get("currency_conversion"); own.Given() {
		convert(&b, own)
	}
	return b
}

// shippingOf returns what was paid for shipping, without its tax, which the tax of the
// whole has. The sum of an object has the tax when the price of shipping includes it.
func shippingOf(o, sum adapter.Value, c affiliate.Currency) affiliate.Amount {
	cost := o.Get("shipping_cost")
	if !cost.IsObject() {
		return amountOf(sum, c)
	}
	if total := cost.Get("amount_total"); total.Given() {
		sum = total
	}
	return minus(cost, amountOf(sum, c), amountOf(cost.Get("amount_tax"), c))
}

// convert brings a bill into the currency of the host's prices.
func convert(b *adapter.Bill, own adapter.Value) {
	shown := b.Paid
	b.Shown, b.ShownCurrency = shown, b.Currency
	b.Currency = adapter.Currency(own.Get("source_currency"))
	b.Paid = amountOf(own.Get("amount_total"), b.Currency)
	b.Subtotal = amountOf(own.Get("amount_subtotal"), b.Currency)
	for _, part := range []*affiliate.Amount{&b.Tax, &b.Shipping} {
		if part.IsZero() {
			continue
		}
		var err error
		if *part, err = part.Portion(b.Paid, shown, b.Currency); err != nil {
			own.Fail("is out of range")
		}
	}
	b.Fit()
}

// books reports whether an object books the first payment of a subscription, which
// another object reports too.
func (e *event) books(by Via, meta adapter.Data) bool {
	switch said := via(meta); said {
	case ViaSession, ViaInvoice:
		return said == by
	}
	return (e.cfg.First == FromInvoice) == (by == ViaInvoice)
}
