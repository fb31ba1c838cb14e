package affiliate

import (
	"errors"

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
