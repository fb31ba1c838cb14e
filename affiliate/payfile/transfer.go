package payfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sheet"
)

// Transfer is the part of a payout that goes into a file. The engine and the client
// list them with Transfers; a caller may fill in Note.
type Transfer = affiliate.Transfer

// A File is one file to upload.
type File struct {
	Name     string // such as 2026-06-paypal-USD-001.csv
	Data     []byte
	Count    int // payments in it
	Total    affiliate.Amount
	Currency affiliate.Currency
}

// Refusal is a payment that is in no file, with the reason.
type Refusal struct {
	PayoutID uuid.UUID
	Method   affiliate.PaymentMethod // how it is to be paid; may be empty
	Err      error                   // ErrStatus, ErrMethod, ErrAmount, ErrNoEmail, ErrEmail, ErrCurrency or ErrDecimals
}

// The reasons for refusing a payment.
var (
	ErrStatus   = errors.New("payfile: the payout is not PENDING or FAILED")
	ErrMethod   = errors.New("payfile: the payout is paid by another method")
	ErrAmount   = errors.New("payfile: the amount is not more than zero")
	ErrNoEmail  = errors.New("payfile: there is no payout email")
	ErrEmail    = errors.New("payfile: a spreadsheet would run the payout email as a formula, or show it changed")
	ErrCurrency = errors.New("payfile: the provider does not pay in this currency")
	ErrDecimals = errors.New("payfile: the provider pays only whole amounts in this currency; cancel the payout, and record a correction of the rest")
)

// Ref returns the id of a payout for providers: P and nine characters of A–V and 0–9,
// made of the whole id. It is as short as the narrowest bank requires: Wise passes on
// 10 characters in USD, 12 in SEK and NZD, 14 in NGN, 16 in INR and GBP, and more
// elsewhere. It never looks like a number.
//
// The source is wise.com/help, "Tips for paying invoices" (article 2932870), read on
// 2026-11-25. PayPal takes 30 characters.
func Ref(id uuid.UUID) string {
	sum := sha256.Sum256(id[:])
	return "P" + base32.HexEncoding.EncodeToString(sum[:10])[:9]
}

// longRef returns the reference in files of earlier versions, which may be read still.
func longRef(id uuid.UUID) string {
	return "PO" + base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(id[6:])
}

// payments holds the Ref of each payment of a file.
type payments map[string]uuid.UUID

// add refuses a second payment with the Ref of another.
func (known payments) add(id uuid.UUID) error {
	ref := Ref(id)
	if before, twice := known[ref]; twice {
		return fmt.Errorf("payfile: the payouts %s and %s have the same reference %s: write them into separate files",
			before, id, ref)
	}
	known[ref] = id
	return nil
}

// refuse returns why a payment cannot be in a file of a provider, or nil. A payout
// that is PROCESSING is being paid already.
func (f format) refuse(p Transfer) error {
	switch {
	case p.Status != affiliate.PayoutPending && p.Status != affiliate.PayoutFailed:
		return ErrStatus
	case p.Method != f.method:
		return ErrMethod
	case p.Amount.Sign() <= 0:
		return ErrAmount
	case p.Email == "":
		return ErrNoEmail
	case Cell(p.Email) != p.Email:
		return ErrEmail
	case f.refuses != nil:
		return f.refuses(p)
	}
	return nil
}

// sorted reads the payments that may be in a file, by currency and then by payout id,
// and those that are refused.
func (f format) sorted(in iter.Seq2[Transfer, error]) (good []Transfer, refused []Refusal, err error) {
	known := payments{}
	for p, err := range in {
		if err == nil {
			err = known.add(p.PayoutID)
		}
		if err != nil {
			return nil, nil, err
		}
		if why := f.refuse(p); why != nil {
			refused = append(refused, Refusal{p.PayoutID, p.Method, why})
		} else {
			good = append(good, p)
		}
	}
	slices.SortFunc(good, func(a, b Transfer) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), bytes.Compare(a.PayoutID[:], b.PayoutID[:]))
	})
	slices.SortFunc(refused, func(a, b Refusal) int { return bytes.Compare(a.PayoutID[:], b.PayoutID[:]) })
	return good, refused, nil
}

// open reads a file with a header: what stands behind it, and its columns.
func open(r io.Reader) (*csv.Reader, places, error) {
	text, err := textOf(r)
	if err != nil {
		return nil, places{}, fmt.Errorf("payfile: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, places{}, errors.New("payfile: the file is empty")
	}
	var wrong error
	for _, separator := range ",;\t" {
		in := csv.NewReader(strings.NewReader(text))
		in.Comma, in.FieldsPerRecord = separator, -1
		header, err := in.Read()
		if err == nil && len(header) > 0 && strings.HasPrefix(strings.ToLower(strings.Join(header, "")), "sep=") {
			header, err = in.Read() // the first line only names the separator for spreadsheets
		}
		at, missing := find(header)
		if err == nil && missing == nil {
			return in, at, nil
		}
		if wrong == nil { // what is wrong is said of a file with commas
			if wrong = missing; err != nil {
				wrong = fmt.Errorf("payfile: %w", err)
			}
		}
	}
	return nil, places{}, wrong
}

// textOf returns the text of a file, with lines that end as Go reads them.
func textOf(r io.Reader) (string, error) {
	in, err := sheet.Text(r, 4096)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(in)
	if bytes.HasSuffix(data, []byte{0xff}) {
		return "", errors.New("the file is not complete: half a character is at its end")
	}
	return lines.Replace(string(data)), err
}

var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
