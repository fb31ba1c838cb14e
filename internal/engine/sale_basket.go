package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A basket is an order before the discount of its code. The code's minimum is
// compared with it, and the discount is calculated from it. Source:
// docs/money.md 12.

// basketOf returns the subtotal when it was sent, else the total.
func basketOf(subtotal, total affiliate.Opt[affiliate.Amount]) affiliate.Opt[affiliate.Amount] {
	if _, sent := subtotal.Get(); sent {
		return subtotal
	}
	return total
}

// checkSubtotal checks a subtotal by itself.
func checkSubtotal(subtotal affiliate.Opt[affiliate.Amount]) *affiliate.Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	if amount.Sign() <= 0 {
		return refusal.SubtotalNotPositive.Err()
	}
	return refusal.BoundOfSale("subtotal", amount)
}

// A Charge is what a customer paid, with the parts that earn no commission.
type Charge struct{ Total, Tax, Shipping affiliate.Amount }

// charge returns what the customer paid for a sale.
func charge(r *record.Sale) Charge { return Charge{r.TotalEarned, r.Tax, r.Shipping} }

// Check checks tax and shipping against the total. field is the one that the
// caller can change.
func (c Charge) Check(field string) error {
	if c.Tax.Sign() < 0 {
		return refusal.TaxNegative.Err()
	}
	if c.Shipping.Sign() < 0 {
		return refusal.ShippingNegative.Err()
	}
	sum, err := c.Tax.Add(c.Shipping)
	if err != nil || sum.Cmp(c.Total) > 0 {
		return refusal.DeductionsExceedTotal.On(field)
	}
	return nil
}

// checkSubtotal refuses a subtotal below what was earned without tax and
// shipping, which are checked already: a discount takes off and never adds.
// field is the one that the caller can change.
func (c Charge) checkSubtotal(subtotal affiliate.Opt[affiliate.Amount], field string) *affiliate.Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	net, err := c.Total.Sub(c.Tax)
	if err == nil {
		net, err = net.Sub(c.Shipping)
	}
	if err != nil || amount.Cmp(net) < 0 {
		return refusal.SubtotalBelowTotal.On(field)
	}
	return nil
}
