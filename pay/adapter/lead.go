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

// Book makes a sale of what was paid; a renewal waits for the first payment of a customer whom
// somebody brought. Of nothing it makes a [Draft.Lead], when that begins something and somebody
// brought the customer; all else is ignored.
func (d *Draft) Book(b Bill, p Paid, begins bool) {
	marked := d.Marked(p.Tries)
	switch {
	case b.Paid.Sign() > 0:
		d.Action.Wait = p.Renewal && marked
		d.Sale(b, p)
	case marked && begins && !p.Renewal:
		d.Lead(b, p)
	default:
		d.Ignore(pay.ZeroAmount)
	}
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
