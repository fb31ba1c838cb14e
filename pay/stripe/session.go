package stripe

import (
	"cmp"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// session reads a Checkout session.
func (e *event) session() {
	s := e.object
	mode, status, meta := s.Get("mode").Text(), s.Get("payment_status").Text(), e.carried(s.Get("metadata"))
	switch {
	case mode == "setup":
		e.ignore(pay.ZeroAmount)
		return
	case status != "paid" && status != "no_payment_required":
		e.ignore(pay.Unpaid)
		return
	}
	b := e.billOfSession()
	e.fact(pay.KindSale, b.currency, s.Get("payment_intent").Ref(), s.Get("invoice").Ref(), s.Get("id").Text())
	e.action.Payment.Payer = e.payerOfSession(meta)
	p := paid{
		order:   cmp.Or(meta.get(keyOrder), s.Get("payment_intent").Ref()),
		invoice: s.Get("invoice").Ref(),
		product: s.Get("line_items", "data").First().Get("price", "product").Ref(),
		at:      secondsOf(s.Get("created")),
		tries:   meta.tries(s.Get("discounts").Each(), s.Get("client_reference_id").Text()),
	}
	switch {
	case status == "no_payment_required" || b.paid.Sign() <= 0:
		e.newCustomer(b, p)
	case mode == "subscription" && !e.books(ViaSession, meta):
		e.leave(pay.CoveredElsewhere)
	default:
		e.sale(b, p)
	}
}

func (e *event) payerOfSession(meta carried) affiliate.PayerFact {
	s := e.object
	email := s.Get("customer_details", "email")
	if email.Text() == "" {
		email = s.Get("customer_email")
	}
	return e.payer(payer{s.Get("customer"), email, s.Get("customer_details", "name")}, meta)
}

// billOfSession reads what a session cost, in the currency of the host's prices.
// Sessions that showed another one to the customer have it apart.
func (e *event) billOfSession() bill {
	s := e.object
	shown := currencyOf(s.Get("currency"))
	b := bill{
		currency: shown,
		paid:     amountOf(s.Get("amount_total"), shown),
		subtotal: amountOf(s.Get("amount_subtotal"), shown),
		tax:      amountOf(s.Get("total_details", "amount_tax"), shown),
		shipping: amountOf(s.Get("total_details", "amount_shipping"), shown),
	}
	if own := s.Get("currency_conversion"); own.Given() {
		b.convert(own)
	}
	return b
}

// convert brings a bill into the currency of the host's prices.
func (b *bill) convert(own fields.Value) {
	shown := b.paid
	b.currency = currencyOf(own.Get("source_currency"))
	b.paid = amountOf(own.Get("amount_total"), b.currency)
	b.subtotal = amountOf(own.Get("amount_subtotal"), b.currency)
	for _, part := range []*affiliate.Amount{&b.tax, &b.shipping} {
		if part.IsZero() {
			continue
		}
		var err error
		if *part, err = part.Portion(b.paid, shown, b.currency); err != nil {
			own.Fail("is out of range")
		}
	}
	b.fit()
}

// newCustomer asks for the customer of a trial or a free order. With a code it
// has the free order too, which a program with FreeOrders books.
func (e *event) newCustomer(b bill, p paid) {
	f := &e.action.Payment
	e.action.Kind = pay.KindCustomer
	e.action.Tries = p.tries
	e.action.Lead = affiliate.NewReferral{
		Name: f.Payer.Name, Email: f.Payer.Email, ReferredUserExternalID: f.Payer.CustomerID, Integration: "STRIPE",
	}
	byCode := slices.ContainsFunc(p.tries, func(c affiliate.Credit) bool { return c.ReferralID == "" })
	if byCode && b.paid.IsZero() && b.subtotal.Sign() > 0 {
		b.tax, b.shipping = affiliate.Amount{}, affiliate.Amount{}
		e.sale(b, p)
		return
	}
	*f = affiliate.PaymentFact{Provider: f.Provider, Payer: f.Payer, At: f.At}
}

// books reports whether an object books the first payment of a subscription, of
// which the other one tells too.
func (e *event) books(via Via, meta carried) bool {
	switch said := meta.via(); said {
	case ViaSession, ViaInvoice:
		return said == via
	}
	return (e.cfg.First == FromInvoice) == (via == ViaInvoice)
}
