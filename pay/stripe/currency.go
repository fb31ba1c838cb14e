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

// Minor returns an amount as Stripe counts it in a currency: 19.99 USD is 1999, 500
// JPY is 500, and 5 ISK is 500, because Stripe's decimals are not those of ISO 4217.
//
// Errors: [affiliate.ErrAmountDecimals] for an amount that Stripe does not take: more
// decimals than it counts, a fraction of ISK or UGX, a third decimal of KWD.
//
// Source: docs/payments-stripe.md.
func Minor(a affiliate.Amount, c affiliate.Currency) (int64, error) {
	unit := unitOf(c)
	if a.Scaled()%(unit*step(c)) != 0 {
		return 0, affiliate.ErrAmountDecimals
	}
	return a.Scaled() / unit, nil
}

// step returns the smallest payable unit of a currency in Stripe's counting: Stripe
// counts decimals that nobody can pay.
func step(c affiliate.Currency) int64 {
	switch {
	case c == "ISK", c == "UGX":
		return 100
	case digits(c) == 3:
		return 10
	}
	return 1
}

// unitOf returns the smallest amount that Stripe counts in a currency, in 1/10,000.
func unitOf(c affiliate.Currency) int64 {
	unit := int64(1)
	for range 4 - digits(c) { // an amount has four decimals
		unit *= 10
	}
	return unit
}
