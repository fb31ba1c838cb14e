package affiliate

// A basket is an order before the discount of its code: what a code's minimum
// is compared with, and what its discount is taken off. Source: docs/money.md 12.

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

// checkBasket refuses a subtotal below what was earned without tax and shipping,
// which are checked already: a discount takes off and never adds. field is the
// one that the caller can change.
func checkBasket(subtotal Opt[Amount], total, tax, shipping Amount, field string) *Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	net, err := total.Sub(tax)
	if err == nil {
		net, err = net.Sub(shipping)
	}
	if err != nil || amount.Cmp(net) < 0 {
		return subtotalBelowTotal.on(field)
	}
	return nil
}
