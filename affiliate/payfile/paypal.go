package payfile

import (
	"iter"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

const maxPayPalNote = 400 // characters

// payPalDecimals are the currencies that PayPal pays out, and the decimals of
// their amounts: no decimals in HUF, JPY and TWD, whatever ISO 4217 says. BRL and
// MYR are for accounts in their own country. The list leaves out IDR and RUB, which
// only some of PayPal's pages have.
//
// The source is PayPal:
// developer.paypal.com/docs/archive/mass-pay/integration-guide/currency-codes of
// 2026-08-17, and developer.paypal.com/payouts/currency-conversion of 2026-07-24.
var payPalDecimals = map[affiliate.Currency]int{
	"AUD": 2, "BRL": 2, "CAD": 2, "CHF": 2, "CZK": 2, "DKK": 2, "EUR": 2, "GBP": 2, "HKD": 2, "HUF": 0, "ILS": 2, "JPY": 0,
	"MXN": 2, "MYR": 2, "NOK": 2, "NZD": 2, "PHP": 2, "PLN": 2, "SEK": 2, "SGD": 2, "THB": 2, "TWD": 0, "USD": 2,
}

// PayPalOptions are the options of a PayPal file. The zero value is usable.
type PayPalOptions struct {
	DecimalComma bool // amounts such as "12,50", as PayPal wants them from accounts of some countries
}

// PayPal writes files for PayPal's mass payments, of at most 5,000 payments in
// one currency each, in the order of the currencies. A file has no header; its
// columns are email, amount, currency, [Ref], note (of at most 400 characters)
// and PAYPAL. label begins the names of the files: 1–64 characters of A–Z a–z
// 0–9 . _ -.
//
// Payments that cannot be paid in this way are refused, each with its reason: see
// [Refused]. All payments are in memory while the files are made.
//
// Errors: those of in; a bad label; two payments with the same Ref; a sum above
// the largest amount. No file is returned then.
func PayPal(in iter.Seq2[Transfer, error], label string, o PayPalOptions) ([]File, []Refused, error) {
	return write(in, label, format{"paypal", "PAYPAL", 5000, nil, payPalRefuses, func(p Transfer) []string {
		amount := payPalAmount(p)
		if o.DecimalComma {
			amount = strings.Replace(amount, ".", ",", 1)
		}
		return []string{p.Email, amount, string(p.Currency), Ref(p.PayoutID), Cell(cut(p.Note, maxPayPalNote)), "PAYPAL"}
	}})
}

// payPalRefuses returns why PayPal does not pay such an amount.
func payPalRefuses(p Transfer) error {
	decimals, paid := payPalDecimals[p.Currency]
	switch {
	case !paid:
		return ErrCurrency
	case decimals == 0 && strings.Contains(payPalAmount(p), "."):
		return ErrDecimals
	}
	return nil
}

// payPalAmount returns an amount with the decimals that PayPal takes. In a currency without
// decimals it keeps decimals that are not zero, and the amount is refused.
func payPalAmount(p Transfer) string {
	text := p.Amount.Format(p.Currency)
	if whole, part, _ := strings.Cut(text, "."); payPalDecimals[p.Currency] == 0 && strings.Trim(part, "0") == "" {
		return whole
	}
	return text
}
