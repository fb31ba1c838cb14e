package importer

import (
	"errors"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
)

// Errors of [Run].
var (
	ErrTotals   = errors.New("importer: what is stored and what was refused is not what the rows say")
	ErrConflict = errors.New("importer: a slug belongs to another affiliate")
)

// A Report is the result of [Run]. Its counts are by kind: [Affiliates],
// [Coupons], [Referrals], [Sales], [Payouts]; a link or a code that was left out
// of its row counts as rejected under [Links] or [Codes]. A row that could not be
// read far enough to have a kind counts under "rows".
type Report struct {
	Created  map[string]int
	Existing map[string]int // they were there and changed nothing
	Changed  map[string]int // rows that differ from when they were imported
	Rejected map[string]int

	Rejects   []Reject // what was left out, up to Options.MaxRejected
	Conflicts []Reject // what differs in the records from the rows, likewise

	// Source has the amounts of the rows, each ref counted once; Stored those of
	// their records; Refused those that were rejected or that differ in the
	// records.
	Source, Stored, Refused Totals

	Unread int // rows whose amounts, or one of them, could not be read: they are not in the totals

	Took time.Duration // by the program's clock
}

// Totals are amounts by currency.
type Totals map[affiliate.Currency]imported.Figures

// A Reject is a row, or a part of one, that was left out or differs in its
// record.
type Reject struct {
	File  string
	Line  int // of the row's first line, from 1, the header included; 0: the row was made from several
	Ref   string
	Field string
	Err   *affiliate.Error
	Kept  string // what is stored of it; empty: nothing
}

// add adds figures.
func (t Totals) add(c affiliate.Currency, f imported.Figures) error {
	sum, err := plus(t[c], f, affiliate.Amount.Add)
	if err != nil {
		return err
	}
	if sum != (imported.Figures{}) {
		t[c] = sum
	} else {
		delete(t, c)
	}
	return nil
}

// plus returns the sum of two figures, or with Sub their difference.
func plus(a, b imported.Figures,
	op func(affiliate.Amount, affiliate.Amount) (affiliate.Amount, error)) (imported.Figures, error) {
	for _, pair := range [...]struct {
		to   *affiliate.Amount
		more affiliate.Amount
	}{{&a.Sales, b.Sales}, {&a.Refunds, b.Refunds}, {&a.Commission, b.Commission}, {&a.Payouts, b.Payouts}} {
		sum, err := op(*pair.to, pair.more)
		if err != nil {
			return a, err
		}
		*pair.to = sum
	}
	return a, nil
}

// balanced reports whether the rows are accounted for.
func (r *Report) balanced() bool {
	sum := Totals{}
	for _, part := range []Totals{r.Stored, r.Refused} {
		for c, f := range part {
			if sum.add(c, f) != nil {
				return false
			}
		}
	}
	if len(sum) != len(r.Source) {
		return false
	}
	for c, f := range r.Source {
		if sum[c] != f {
			return false
		}
	}
	return true
}

// figuresOf returns the amounts that a row says.
func figuresOf(item Item) imported.Figures {
	switch item := item.(type) {
	case Sale:
		return imported.Figures{Sales: item.TotalEarned, Refunds: item.Refunded, Commission: item.CommissionEarned}
	case Payout:
		return imported.Figures{Payouts: item.Amount}
	}
	return imported.Figures{}
}

// currencyOf returns the currency of a row; empty: the program's.
func currencyOf(item Item) affiliate.Currency {
	switch item := item.(type) {
	case Sale:
		return item.Currency
	case Payout:
		return item.Currency
	}
	return ""
}
