package payfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sheet"
)

// A format is the form of a provider's files.
type format struct {
	name    string
	method  affiliate.PaymentMethod // of the payments in it
	limit   int                     // payments of a file
	header  []string
	refuses func(Transfer) error // returns why the provider does not pay a payment; may be nil
	row     func(Transfer) []string
}

// write makes the files of a format.
func write(in iter.Seq2[Transfer, error], label string, f format) (files []File, refused []Refusal, err error) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	if label == "" || len(label) > 64 || strings.Trim(label, letters) != "" {
		return nil, nil, errors.New("payfile: the label must be 1–64 characters of A–Z a–z 0–9 . _ -")
	}
	good, refused, err := f.sorted(in)
	if err != nil {
		return nil, nil, err
	}
	for same := range chunks(good) {
		n := 0
		for part := range slices.Chunk(same, f.limit) {
			n++
			file, err := f.file(part)
			if err != nil {
				return nil, nil, err
			}
			file.Name = fmt.Sprintf("%s-%s-%s-%03d.csv", label, f.name, file.Currency, n)
			files = append(files, file)
		}
	}
	return files, refused, nil
}

// chunks yields the payments of each currency.
func chunks(all []Transfer) iter.Seq[[]Transfer] {
	return func(yield func([]Transfer) bool) {
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Currency == all[0].Currency {
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// file writes payments of one currency.
func (f format) file(part []Transfer) (File, error) {
	file := File{Count: len(part), Currency: part[0].Currency}
	var data bytes.Buffer
	w := newWriter(&data)
	if f.header != nil {
		_ = w.Write(f.header) // a Buffer takes everything
	}
	var err error
	for _, p := range part {
		if file.Total, err = file.Total.Add(p.Amount); err != nil {
			return File{}, fmt.Errorf("payfile: the total of a file: %w", err)
		}
		_ = w.Write(f.row(p))
	}
	w.Flush()
	file.Data = data.Bytes()
	return file, nil
}

func newWriter(w io.Writer) *csv.Writer {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return out
}

var genericHeader = []string{
	"payoutId", "reference", "affiliateName", "email", "method", "payoutStatus", "amount",
	"currency", "note", "result", "reason",
}

// Generic writes all payments in their order, of any method and status and with or without
// an email, into one file with a header and every cell in quotation marks. It is a list to
// look at; before somebody pays by it, select one method and PENDING. Its last two columns,
// result and reason, are empty: with PAID or FAILED filled in it is a file for
// [ReadResults]. It holds only the Refs of the payments in memory.
//
// Errors: those of in and of w; two payments with the same Ref. What was written
// before stays written.
func Generic(w io.Writer, in iter.Seq2[Transfer, error]) error {
	out := sheet.NewWriter(w)
	if err := out.Write(genericHeader); err != nil {
		return err
	}
	known := payments{}
	for p, err := range in {
		if err == nil {
			err = known.add(p.PayoutID)
		}
		if err != nil {
			out.Flush()
			return err
		}
		row := []string{
			p.PayoutID.String(), Ref(p.PayoutID), p.Name, p.Email, string(p.Method), string(p.Status),
			p.Amount.Format(p.Currency), string(p.Currency), p.Note, "", "",
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Cell returns a text as a cell that is safe to open in a spreadsheet, whichever
// character separates cells there: line breaks become one space, and a text that
// would be a formula gets an apostrophe in front. A number stays a number.
//
// Source: docs/money.md 7.
func Cell(text string) string { return sheet.Cell(text) }

// unguarded removes the apostrophe again.
func unguarded(cell string) string { return strings.TrimPrefix(cell, "'") }

// cut returns at most n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

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
	"AUD": 2, "BRL": 2, "CAD": 2, "CHF": 2, "CZK": 2, "DKK": 2, "EUR": 2, "GBP": 2, "HKD": 2,
	"HUF": 0, "ILS": 2, "JPY": 0, "MXN": 2, "MYR": 2, "NOK": 2, "NZD": 2, "PHP": 2, "PLN": 2,
	"SEK": 2, "SGD": 2, "THB": 2, "TWD": 0, "USD": 2,
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
// [Refusal]. All payments are in memory while the files are made.
//
// Errors: those of in; a bad label; two payments with the same Ref; a sum above
// the largest amount. No file is returned then.
func PayPal(in iter.Seq2[Transfer, error], label string, o PayPalOptions) ([]File, []Refusal, error) {
	return write(in, label, format{"paypal", "PAYPAL", 5000, nil, payPalRefuses, func(p Transfer) []string {
		amount := payPalAmount(p)
		if o.DecimalComma {
			amount = strings.Replace(amount, ".", ",", 1)
		}
		return []string{p.Email, amount, string(p.Currency), Ref(p.PayoutID),
			Cell(cut(p.Note, maxPayPalNote)), "PAYPAL"}
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

// WiseOptions apply to every payment of a Wise file. The zero value is usable.
type WiseOptions struct {
	Source       affiliate.Currency // of the account that pays; empty: the currency of the payment
	ReceiverType string             // PERSON or BUSINESS; empty: PERSON
}

// Wise writes files for Wise's batch payments by email, of at most 1,000
// payments in one currency each. The affiliate gets the whole amount, because it
// is the amount in the target currency. Otherwise it is like [PayPal]. Payments of
// the method WISE_BANK are refused: Wise pays them by bank details, which a file by
// email does not have.
//
// Errors: those of [PayPal]; an unknown currency or type of receiver.
func Wise(in iter.Seq2[Transfer, error], label string, o WiseOptions) ([]File, []Refusal, error) {
	if o.Source != "" {
		if _, err := affiliate.ParseCurrency(string(o.Source)); err != nil {
			return nil, nil, err
		}
	}
	switch o.ReceiverType {
	case "":
		o.ReceiverType = "PERSON"
	case "PERSON", "BUSINESS":
	default:
		return nil, nil, errors.New("payfile: the receiver type must be PERSON or BUSINESS")
	}
	return write(in, label, format{"wise", "WISE", 1000, wiseHeader, nil, func(p Transfer) []string {
		source := p.Currency
		if o.Source != "" {
			source = o.Source
		}
		return []string{
			Cell(p.Name), p.Email, Ref(p.PayoutID), o.ReceiverType, "target",
			p.Amount.Format(p.Currency), string(source), string(p.Currency),
		}
	}})
}

var wiseHeader = []string{
	"name", "recipientEmail", "paymentReference", "receiverType", "amountCurrency", "amount",
	"sourceCurrency", "targetCurrency",
}
