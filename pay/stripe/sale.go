package stripe

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/draft"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// A payer is who pays, as one of Stripe's objects has it.
type payer struct{ customer, email, name fields.Value }

// payer returns who pays.
func (e *event) payer(p payer) affiliate.PayerFact {
	f := affiliate.PayerFact{ID: p.customer.Ref(), Email: p.email.Text(), Name: p.name.Text()}
	if !draft.Usable(f.Name) {
		f.Name, _, _ = strings.Cut(f.Email, "@")
	}
	return f
}

// intent reads a payment intent. Without the host's word for it another event
// books the payment.
func (e *event) intent() {
	o := e.object
	meta := e.carried(o.Get("metadata"))
	if via(meta) != ViaIntent {
		e.Ignore(pay.CoveredElsewhere)
		return
	}
	c := draft.Currency(o.Get("currency"))
	e.fact(pay.KindSale, c, o.Get("id").Text(), o.Get("latest_charge").Ref())
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	e.Action.Payment.Payer = e.payer(payer{o.Get("customer"), o.Get("receipt_email"), fields.Value{}})
	b := draft.Bill{
		Currency: c,
		Paid:     amountOf(o.Get("amount_received"), c),
		Tax:      amountOf(o.Get("amount_details", "tax", "total_tax_amount"), c),
		Shipping: amountOf(o.Get("amount_details", "shipping", "amount"), c),
	}
	if b.Paid.Sign() <= 0 {
		e.Ignore(pay.ZeroAmount)
		return
	}
	e.Sale(b, draft.Paid{
		Order: o.Get("id").Text(), At: secondsOf(o.Get("created")),
	})
}
