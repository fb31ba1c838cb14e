package adapter

import (
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// Marked reports whether a payment says who brought its customer: by a code that the provider
// redeemed, or by what the checkout carried.
func (d *Draft) Marked(tries []affiliate.Credit) bool {
	c := d.Action.Carried
	c.Offer = false // which names nobody
	return len(tries) > 0 || c.Marks()
}

// Lead makes an action for the customer of a trial or a free order. With a code
// it includes the free order, which a program with FreeOrders books.
func (d *Draft) Lead(b Bill, p Paid) {
	f := &d.Action.Payment
	d.Action.Kind = pay.KindCustomer
	d.Action.Tries = p.Tries
	if (d.Action.Carried.Code+d.Action.Carried.Hold != "" || slices.ContainsFunc(p.Tries, byCode)) && b.Paid.IsZero() && b.Subtotal.Sign() > 0 {
		b.Tax, b.Shipping = affiliate.Amount{}, affiliate.Amount{}
		d.Sale(b, p)
		return
	}
	*f = affiliate.PaymentFact{Provider: f.Provider, Keys: f.Keys, Payer: f.Payer, At: f.At}
}
