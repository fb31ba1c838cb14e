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
)

// A format is the form of a provider's files.
type format struct {
	name   string
	limit  int // payments of a file
	header []string
	row    func(Payment) []string
}

const maxPayPalNote = 400 // characters

var payPal = format{"paypal", 5000, nil, func(p Payment) []string {
	return []string{p.Email, p.Amount.Format(p.Currency), string(p.Currency), Ref(p.PayoutID), Cell(cut(p.Note, maxPayPalNote)), "PAYPAL"}
}}

// PayPal writes files for PayPal's mass payments, of at most 5,000 payments in
// one currency each, in the order of the currencies. A file has no header; its
// columns are email, amount, currency, [Ref], note (of at most 400 characters)
// and PAYPAL. label begins the names of the files: 1–64 characters of A–Z a–z
// 0–9 . _ -.
//
// Payments that cannot be paid this way are refused, each with its reason: see
// [Refused]. All payments are in memory while the files are made.
//
// Errors: those of in; a bad label; two payments with the same Ref; a sum above
// the largest amount. No file is returned then.
func PayPal(in iter.Seq2[Payment, error], label string) ([]File, []Refused, error) {
	return write(in, label, payPal)
}

// WiseOptions are what a Wise file says of every payment. The zero value is
// usable.
type WiseOptions struct {
	Source       affiliate.Currency // of the account that pays; empty: the currency of the payment
	ReceiverType string             // PERSON or BUSINESS; empty: PERSON
}

// Wise writes files for Wise's batch payments by email, of at most 1,000
// payments in one currency each. The affiliate gets the whole amount, because it
// is the amount in the target currency. Otherwise it is like [PayPal].
//
// Errors: those of [PayPal]; an unknown currency or type of receiver.
func Wise(in iter.Seq2[Payment, error], label string, o WiseOptions) ([]File, []Refused, error) {
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
	return write(in, label, format{"wise", 1000, wiseHeader, func(p Payment) []string {
		source := p.Currency
		if o.Source != "" {
			source = o.Source
		}
		return []string{
			Cell(p.Name), p.Email, Ref(p.PayoutID), o.ReceiverType, "target", p.Amount.Format(p.Currency), string(source), string(p.Currency),
		}
	}})
}

var wiseHeader = []string{
	"name", "recipientEmail", "paymentReference", "receiverType", "amountCurrency", "amount", "sourceCurrency", "targetCurrency",
}

// write makes the files of a format.
func write(in iter.Seq2[Payment, error], label string, f format) (files []File, refused []Refused, err error) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	if label == "" || len(label) > 64 || strings.Trim(label, letters) != "" {
		return nil, nil, errors.New("payfile: the label must be 1–64 characters of A–Z a–z 0–9 . _ -")
	}
	good, refused, err := sorted(in)
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
func chunks(all []Payment) iter.Seq[[]Payment] {
	return func(yield func([]Payment) bool) {
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
func (f format) file(part []Payment) (File, error) {
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
	"payoutId", "reference", "affiliateName", "email", "method", "amount", "currency", "note", "result", "reason",
}

// Generic writes all payments in their order, of any status and with or without
// an email, into one file with a header. Its last two columns, result and
// reason, are empty: with PAID or FAILED filled in it is a file for
// [ReadResults]. It holds no payment in memory but for its Ref.
//
// Errors: those of in and of w; two payments with the same Ref. What was written
// before stays written.
func Generic(w io.Writer, in iter.Seq2[Payment, error]) error {
	out := newWriter(w)
	if err := out.Write(genericHeader); err != nil {
		return err
	}
	known := refs{}
	for p, err := range in {
		if err == nil {
			err = known.add(Payment{PayoutID: p.PayoutID})
		}
		if err != nil {
			out.Flush()
			return err
		}
		row := []string{
			p.PayoutID.String(), Ref(p.PayoutID), Cell(p.Name), Cell(p.Email), string(p.Method),
			p.Amount.Format(p.Currency), string(p.Currency), Cell(p.Note), "", "",
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
