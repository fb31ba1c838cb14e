package stripe_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestOutwardMinor: amounts as Stripe counts them, and those that it does not take.
func TestOutwardMinor(t *testing.T) {
	for _, c := range []struct {
		amount   string
		currency affiliate.Currency
		want     int64 // 0: refused
	}{
		{"19.99", "USD", 1999}, {"0.01", "EUR", 1}, {"19.999", "USD", 0}, {"0.0001", "USD", 0},
		{"500", "JPY", 500}, {"500.5", "JPY", 0}, {"5000", "MGA", 5000}, {"0.5", "MGA", 0},
		{"5", "ISK", 500}, {"5.5", "ISK", 0}, {"3", "UGX", 300}, {"0.01", "UGX", 0},
		{"12.34", "KWD", 12340}, {"12.345", "KWD", 0}, {"1000.5", "HUF", 100050},
	} {
		got, err := stripe.Minor(affiliate.MustAmount(c.amount), c.currency)
		if got != c.want || (err != nil) != (c.want == 0) || err != nil && !errors.Is(err, affiliate.ErrAmountDecimals) {
			t.Errorf("%s %s: %d, %v", c.amount, c.currency, got, err)
		}
	}
}
