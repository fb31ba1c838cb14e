package affiliate

import (
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// ErrCurrency means that a text is not a currency code of ISO 4217.
var ErrCurrency = errors.New("affiliate: not an ISO 4217 currency code")

// Currency is the ISO 4217 code of a currency, three upper-case letters: "USD".
//
// Source: docs/rules.md 1.4.
type Currency string

// ParseCurrency reads a code in upper or lower case and returns it in upper
// case. It returns ErrCurrency for anything that is not an active code of ISO
// 4217. Funds codes and codes of precious metals are active, withdrawn codes
// are not. White space is not trimmed.
func ParseCurrency(s string) (Currency, error) {
	if len(s) != 3 {
		return "", ErrCurrency
	}
	c := Currency(plaintext.Upper(s))
	if !c.Known() {
		return "", ErrCurrency
	}
	return c, nil
}

// Digits returns how many decimals the minor unit of the currency has: 2 for
// USD, 0 for JPY, 3 for KWD, 4 for CLF. It is 2 for currencies without a minor
// unit in ISO 4217 (XAU, XDR) and for unknown codes.
func (c Currency) Digits() int {
	switch c {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV",
		"XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	}
	return 2
}

// step returns the minor unit as a count of ten-thousandths.
func (c Currency) step() int64 {
	step := int64(1)
	for range amountDigits - c.Digits() {
		step *= 10
	}
	return step
}

// Unit returns the minor unit: 0.01 for USD, 1 for JPY.
func (c Currency) Unit() Amount { return Amount{c.step()} }

// Known reports whether c is in list one of ISO 4217, as of amendment 180.
func (c Currency) Known() bool {
	switch c {
	case "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN",
		"BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD",
		"CAD", "CDF", "CHE", "CHF", "CHW", "CLF", "CLP", "CNY", "COP", "COU", "CRC", "CUP", "CVE", "CZK",
		"DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP",
		"GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF",
		"IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY",
		"KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT",
		"LAK", "LBP", "LKR", "LRD", "LSL", "LYD",
		"MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN",
		"NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR",
		"RON", "RSD", "RUB", "RWF",
		"SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL",
		"THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS",
		"UAH", "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND", "VUV", "WST",
		"XAD", "XAF", "XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XCD", "XCG", "XDR", "XOF", "XPD", "XPF", "XPT",
		"XSU", "XTS", "XUA", "XXX", "YER", "ZAR", "ZMW", "ZWG":
		return true
	}
	return false
}

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
	// ISO 4217 code, not that of the program.
	Currency Currency `json:"currency"`
	// What one unit of currency is worth in the program's.
	ExchangeRate ExchangeRate `json:"exchangeRate"`
	// What the customer paid, refunds not deducted.
	TotalEarned Amount `json:"totalEarned"`
	// The basket before the discount; null when it was not sent.
	Subtotal Opt[Amount] `json:"subtotal"`
	// The tax in TotalEarned.
	TaxAmount Amount `json:"taxAmount"`
	// The shipping in TotalEarned.
	ShippingAmount Amount `json:"shippingAmount"`
	// The sum of the refunds so far.
	RefundedAmount Amount `json:"refundedAmount"`
}
