package affiliate

import (
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/internal/decimal"
)

// ExchangeRate says what one unit of a currency is worth in another: with 1.0842, 100 EUR
// are 108.42 USD. It is an exact decimal with at most 12 digits after the point, up to
// 9,223,372. The zero value is no rate.
//
// Source: docs/terms.md 8.
type ExchangeRate struct{ n int64 }

// The errors of ParseExchangeRate besides those of ParseAmount.
var (
	ErrExchangeRate         = errors.New("affiliate: a rate of exchange must be greater than zero")
	ErrExchangeRateDecimals = decimal.ErrFineDecimals
)

// ParseExchangeRate reads a JSON number.
//
// Errors, in this order: ErrAmountSyntax, ErrExchangeRateDecimals, ErrAmountRange,
// ErrExchangeRate.
func ParseExchangeRate(s string) (ExchangeRate, error) {
	n, err := decimal.ParseFine(s)
	if err == nil && n <= 0 {
		err = ErrExchangeRate
	}
	if err != nil {
		return ExchangeRate{}, err
	}
	return ExchangeRate{n}, nil
}

// MustExchangeRate is ParseExchangeRate for constants and tests. It panics when s is no
// rate.
func MustExchangeRate(s string) ExchangeRate {
	r, err := ParseExchangeRate(s)
	if err != nil {
		panic(fmt.Sprintf("MustExchangeRate(%.40q): %v", s, err))
	}
	return r
}

// ExchangeRateOf returns the rate at which an amount was worth another one, rounded to its
// last digit. Both are above zero, else it returns ErrExchangeRate, and ErrAmountRange for
// what does not fit.
func ExchangeRateOf(amount, worth Amount) (ExchangeRate, error) {
	if amount.Sign() <= 0 || worth.Sign() <= 0 {
		return ExchangeRate{}, ErrExchangeRate
	}
	n, err := decimal.Mul(decimal.FineScale, decimal.Ratio{Num: worth.n, Den: amount.n}, 1)
	if err == nil && n == 0 {
		err = ErrExchangeRate
	}
	if err != nil {
		return ExchangeRate{}, err
	}
	return ExchangeRate{n}, nil
}

// ExchangeRateFromScaled returns n units of the twelfth decimal. Scaled is its inverse.
func ExchangeRateFromScaled(n int64) ExchangeRate { return ExchangeRate{n} }

// Scaled returns the rate as a count of its twelfth decimal.
func (r ExchangeRate) Scaled() int64 { return r.n }

// Of returns what an amount is worth, rounded once, half away from zero, to the minor
// digits of c, the currency of the result. It returns ErrAmountRange when that does not fit.
func (r ExchangeRate) Of(a Amount, c Currency) (Amount, error) {
	n, err := decimal.Mul(a.n, decimal.Ratio{Num: r.n, Den: decimal.FineScale}, c.step())
	return Amount{n}, err
}

// Equal reports whether r and q are the same rate.
func (r ExchangeRate) Equal(q ExchangeRate) bool { return r == q }

// IsZero reports whether there is no rate.
func (r ExchangeRate) IsZero() bool { return r.n == 0 }

// String returns the rate as it stands in JSON.
func (r ExchangeRate) String() string { return string(r.AppendJSON(nil)) }

// AppendJSON appends the rate as a JSON number to dst and returns the extended slice.
func (r ExchangeRate) AppendJSON(dst []byte) []byte { return decimal.AppendFine(dst, r.n) }

// MarshalJSON writes the rate as a JSON number.
func (r ExchangeRate) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// UnmarshalJSON reads a JSON number as ParseExchangeRate does; null
// changes nothing.
func (r *ExchangeRate) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	read, err := ParseExchangeRate(string(data))
	if err == nil {
		*r = read
	}
	return err
}

// A Charge is what a sale was charged in another currency than the program's. The sale has
// the same amounts in the program's currency: each is this one times the rate, rounded.
//
// Source: docs/terms.md 8.
type Charge struct {
	Currency       Currency     `json:"currency"`
	ExchangeRate   ExchangeRate `json:"exchangeRate"` // what one unit of Currency is worth in the program's
	TotalEarned    Amount       `json:"totalEarned"`
	Subtotal       Opt[Amount]  `json:"subtotal"` // null when it was not sent
	TaxAmount      Amount       `json:"taxAmount"`
	ShippingAmount Amount       `json:"shippingAmount"`
	RefundedAmount Amount       `json:"refundedAmount"`
}
