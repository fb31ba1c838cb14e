package engine

import (
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// CloseBooks closes the books of an affiliate until a time, and reports whether they
// were open longer.
func (o *Op) CloseBooks(totals record.Totals, until affiliate.Instant) (bool, error) {
	if !totals.Books.ClosedUntil.Before(until) {
		return false, nil
	}
	totals.Books.ClosedUntil = until
	return true, o.PutTotals(totals)
}

// PutTotals writes totals that may not be stored yet.
func (o *Op) PutTotals(rec record.Totals) error {
	err := o.Tx.Totals.Replace(rec)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = o.Tx.Totals.Insert(rec)
	}
	return err
}
