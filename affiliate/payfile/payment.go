package payfile

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Payment is what a file says of a payout. The engine and the client list them
// with Payments; a caller may fill in Note.
type Payment = affiliate.Payment

// A File is one file to upload.
type File struct {
	Name     string // such as 2026-06-paypal-USD-001.csv
	Data     []byte
	Count    int // payments in it
	Total    affiliate.Amount
	Currency affiliate.Currency
}

// Refused is a payment that is in no file, and why.
type Refused struct {
	PayoutID uuid.UUID
	Err      error // ErrStatus, ErrAmount, ErrNoEmail or ErrEmail
}

// Why a payment is refused.
var (
	ErrStatus  = errors.New("payfile: the payout is not PENDING, PROCESSING or FAILED")
	ErrAmount  = errors.New("payfile: the amount is not more than zero")
	ErrNoEmail = errors.New("payfile: there is no payout email")
	ErrEmail   = errors.New("payfile: a spreadsheet would run the payout email as a formula, or show it changed")
)

// Ref is what a provider gets as the id of a payout: "po" and 16 characters of
// A–V and 0–9, which stand for the last 10 bytes of the id.
func Ref(id uuid.UUID) string {
	return "po" + base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(id[6:])
}

// refs finds payments by their Ref.
type refs map[string]Payment

// add refuses a second payment with the Ref of another.
func (known refs) add(p Payment) error {
	ref := Ref(p.PayoutID)
	if before, twice := known[ref]; twice {
		return fmt.Errorf("payfile: the payouts %s and %s have the same reference %s", before.PayoutID, p.PayoutID, ref)
	}
	known[ref] = p
	return nil
}

// refuse says why a payment cannot be in a file of a provider, or nothing.
func refuse(p Payment) error {
	switch p.Status {
	case affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutFailed:
	default:
		return ErrStatus
	}
	switch {
	case p.Amount.Sign() <= 0:
		return ErrAmount
	case p.Email == "":
		return ErrNoEmail
	case Cell(p.Email) != p.Email:
		return ErrEmail
	}
	return nil
}

// sorted reads the payments that a file may have, by currency and then by payout
// id, and those that are refused.
func sorted(in iter.Seq2[Payment, error]) (good []Payment, refused []Refused, err error) {
	known := refs{}
	for p, err := range in {
		if err == nil {
			err = known.add(p)
		}
		if err != nil {
			return nil, nil, err
		}
		if why := refuse(p); why != nil {
			refused = append(refused, Refused{p.PayoutID, why})
		} else {
			good = append(good, p)
		}
	}
	slices.SortFunc(good, func(a, b Payment) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), bytes.Compare(a.PayoutID[:], b.PayoutID[:]))
	})
	slices.SortFunc(refused, func(a, b Refused) int { return bytes.Compare(a.PayoutID[:], b.PayoutID[:]) })
	return good, refused, nil
}
