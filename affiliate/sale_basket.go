package affiliate

// A basket is an order before the discount of its code. The code's minimum is
// compared with it, and the discount is calculated from it. Source:
// docs/money.md 12.

// basketOf is the subtotal when it was sent, else the total.
func basketOf(subtotal, total Opt[Amount]) Opt[Amount] {
	if _, sent := subtotal.Get(); sent {
		return subtotal
	}
	return total
}

// checkSubtotal checks a subtotal by itself.
func checkSubtotal(subtotal Opt[Amount]) *Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	if amount.Sign() <= 0 {
		return subtotalNotPositive.Err()
	}
	return boundOfSale("subtotal", amount)
}

// A charge is what a customer paid, and the parts of it that nobody earns on.
type charge struct{ total, tax, shipping Amount }

// charge is what the customer paid for a sale.
func (r *SaleRecord) charge() charge { return charge{r.TotalEarned, r.Tax, r.Shipping} }

// check checks tax and shipping against the total. field is the one that the
// caller can change.
func (c charge) check(field string) error {
	if c.tax.Sign() < 0 {
		return taxNegative.Err()
	}
	if c.shipping.Sign() < 0 {
		return shippingNegative.Err()
	}
	sum, err := c.tax.Add(c.shipping)
	if err != nil || sum.Cmp(c.total) > 0 {
		return deductionsExceedTotal.on(field)
	}
	return nil
}

// checkSubtotal refuses a subtotal below what was earned without tax and
// shipping, which are checked already: a discount takes off and never adds.
// field is the one that the caller can change.
func (c charge) checkSubtotal(subtotal Opt[Amount], field string) *Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	net, err := c.total.Sub(c.tax)
	if err == nil {
		net, err = net.Sub(c.shipping)
	}
	if err != nil || amount.Cmp(net) < 0 {
		return subtotalBelowTotal.on(field)
	}
	return nil
}
