package conformance

import (
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate/record"
)

const accounts, deposit = 4, 100

// openAccounts gives every account its deposit.
func openAccounts(tx *record.Tx) error {
	for n := range accounts {
		if err := tx.Totals.Insert(record.Totals{ID: numbered(n), Clicks: deposit}); err != nil {
			return err
		}
	}
	return nil
}

// pay moves an amount between two accounts.
func pay(tx *record.Tx, from, to int, amount int64) error {
	payer, err1 := tx.Totals.Get(numbered(from))
	payee, err2 := tx.Totals.Get(numbered(to))
	if err := errors.Join(err1, err2); err != nil || payer.Clicks < amount {
		return err
	}
	payer.Clicks -= amount
	payee.Clicks += amount
	return errors.Join(tx.Totals.Replace(payer), tx.Totals.Replace(payee))
}

// total adds up the money by a list, and again account by account.
func total(tx *record.Tx) error {
	all, err := collect(tx.Totals.List(record.Query{}))
	if err != nil {
		return err
	}
	var listed, got int64
	for n, rec := range all {
		again, err := tx.Totals.Get(numbered(n))
		if err != nil {
			return err
		}
		listed, got = listed+rec.Clicks, got+again.Clicks
	}
	if listed != accounts*deposit || got != accounts*deposit {
		return fmt.Errorf("the accounts hold %d by List and %d by Get, want %d", listed, got, accounts*deposit)
	}
	return nil
}
