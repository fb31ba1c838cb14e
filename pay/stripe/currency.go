package stripe

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
)

// digits returns how many decimals Stripe counts in a currency. It is a table of
// Stripe's own: MGA, ISK and UGX have others in ISO 4217.
//
// Source: docs/payments-stripe.md.
func digits(c affiliate.Currency) int {
	switch c {
	case "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "JOD", "KWD", "OMR", "TND":
		return 3
	}
	return 2
}

// amountOf reads an amount in a currency.
func amountOf(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	return adapter.Amount(v, v.Integer(), c, digits(c))
}

// sumOf adds up the amounts of a list.
func sumOf(list adapter.Value, c affiliate.Currency) (sum affiliate.Amount) {
	for element := range list.Each() {
		sum = plus(list, sum, amountOf(element.Get("amount"), c))
	}
	return sum
}

func minus(v adapter.Value, a, b affiliate.Amount) affiliate.Amount {
	rest, err := a.Sub(b)
	if err != nil {
		v.Fail("is out of range")
	}
	return rest
}

func plus(v adapter.Value, a, b affiliate.Amount) affiliate.Amount {
	sum, err := a.Add(b)
	if err != nil {
		v.Fail("is out of range")
	}
	return sum
}
