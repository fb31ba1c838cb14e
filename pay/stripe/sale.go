package stripe

import (
	"cmp"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// A bill is what one of Stripe's objects says about the money of a payment.
type bill struct {
	currency                      affiliate.Currency
	paid, subtotal, tax, shipping affiliate.Amount
}

// share brings the parts of a bill to what was paid of it: a credit of the
// customer pays tax and shipping too.
func (b *bill) share(v fields.Value, whole affiliate.Amount) {
	if whole.Sign() <= 0 || b.paid.Cmp(whole) >= 0 {
		return
	}
	for _, part := range []*affiliate.Amount{&b.tax, &b.shipping} {
		var err error
		if *part, err = part.Portion(b.paid, whole, b.currency); err != nil {
			v.Fail("is out of range")
		}
	}
	b.fit()
}

// fit keeps tax and shipping together within what was paid, after both may have
// been rounded up.
func (b *bill) fit() {
	if rest, err := b.paid.Sub(b.tax); err == nil && b.shipping.Cmp(rest) > 0 {
		b.shipping = rest
	}
}

// basket is the subtotal as a program takes it: above zero, and not less than
// what is left without tax and shipping.
func (b *bill) basket() affiliate.Opt[affiliate.Amount] {
	net, err := b.paid.Sub(b.tax)
	if err == nil {
		net, err = net.Sub(b.shipping)
	}
	if err != nil || b.subtotal.Sign() <= 0 || b.subtotal.Cmp(net) < 0 {
		return affiliate.Opt[affiliate.Amount]{}
	}
	return affiliate.Set(b.subtotal)
}

// A payer is who pays, as one of Stripe's objects has it.
type payer struct{ customer, email, name fields.Value }

// payer returns who pays, with the host's own id of the customer.
func (e *event) payer(p payer, meta carried) affiliate.PayerFact {
	f := affiliate.PayerFact{ID: p.customer.Ref(), Email: p.email.Text(), Name: p.name.Text(), CustomerID: meta.get(keyCustomer)}
	if !usable(f.Name) {
		f.Name, _, _ = strings.Cut(f.Email, "@")
	}
	return f
}

// paid is what a payment has beside its bill.
type paid struct {
	order, invoice string // externalId and externalInvoiceId
	product        string
	at             time.Time
	tries          []affiliate.Credit
	renewal        bool
}

// sale makes the fact a payment.
func (e *event) sale(b bill, p paid) {
	in := affiliate.NewSale{
		TotalEarned: b.paid, Tax: b.tax, Shipping: b.shipping, Subtotal: b.basket(),
		ExternalID: p.order, ExternalInvoiceID: p.invoice, PaidAt: p.at, Free: b.paid.IsZero(),
	}
	if usable(p.product) {
		in.Product = affiliate.Set(affiliate.Product{ProductID: p.product})
	}
	e.action.Payment.Sale = affiliate.Set(affiliate.Paid{NewSale: in, Gross: b.paid, Tries: p.tries, Renewal: p.renewal})
}

// intent reads a payment intent. Without the host's word for it another event
// books the payment.
func (e *event) intent() {
	o := e.object
	meta := e.carried(o.Get("metadata"))
	if meta.via() != ViaIntent {
		e.ignore(pay.CoveredElsewhere)
		return
	}
	c := currencyOf(o.Get("currency"))
	e.fact(pay.KindSale, c, o.Get("id").Text(), o.Get("latest_charge").Ref())
	e.action.Payment.Payer = e.payer(payer{o.Get("customer"), o.Get("receipt_email"), fields.Value{}}, meta)
	b := bill{
		currency: c,
		paid:     amountOf(o.Get("amount_received"), c),
		tax:      amountOf(o.Get("amount_details", "tax", "total_tax_amount"), c),
		shipping: amountOf(o.Get("amount_details", "shipping", "amount"), c),
	}
	if b.paid.Sign() <= 0 {
		e.ignore(pay.ZeroAmount)
		return
	}
	e.sale(b, paid{
		order: cmp.Or(meta.get(keyOrder), o.Get("id").Text()),
		at:    secondsOf(o.Get("created")), tries: meta.tries(fields.Value{}.Each(), ""),
	})
}
