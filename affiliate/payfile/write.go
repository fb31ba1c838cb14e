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
func write(in iter.Seq2[Transfer, error], label string, f format) (files []File, refused []Refused, err error) {
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
	"payoutId", "reference", "affiliateName", "email", "method", "payoutStatus", "amount", "currency", "note", "result", "reason",
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
	known := unique{}
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
