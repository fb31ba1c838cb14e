package affiliate

import (
	"errors"
	"slices"

	"github.com/google/uuid"
)

// What a payout takes, and the sales behind it.

// A taking is what a payout may take of an affiliate: the open commissions in
// the order of their time, and their sum.
type taking struct {
	items      []PayoutItem
	start, end Instant // of the oldest and the newest
	sum        Amount
}

// payable finds what is payable to an affiliate: every positive commission until a
// time, and every negative one, because nobody is paid past a known debt.
func (o *op) payable(affiliate uuid.UUID, until Instant) (t taking, err error) {
	sales, err := gather(o.tx.Sales, Query{Key: Key{Index: OfPayable, ID: affiliate}})
	if err != nil {
		return t, internal("read sales", err)
	}
	var open []openEntry
	for i := range sales {
		r := &sales[i]
		for j := range r.Commissions {
			c := &r.Commissions[j]
			e := openEntry{PayoutItem{Sale: r.Number, Commission: c.Number}, r.entryTime(c), c.Earned}
			if c.payable() && (c.Earned.Sign() < 0 || !e.at.After(until) && !r.payableAt(c).After(o.now)) {
				open = append(open, e)
			}
		}
	}
	slices.SortFunc(open, openEntry.compare)
	for _, e := range open {
		t.items = append(t.items, e.PayoutItem)
		if t.sum, err = t.sum.Add(e.amount); err != nil {
			return t, tooLargeFor("amount", err)
		}
	}
	if len(open) > 0 {
		t.start, t.end = open[0].at, open[len(open)-1].at
	}
	return t, nil
}

// An openEntry is a commission that a payout may take.
type openEntry struct {
	PayoutItem
	at     Instant
	amount Amount
}

func (e openEntry) compare(f openEntry) int {
	if order := e.at.Compare(f.at); order != 0 {
		return order
	}
	return int(e.Commission - f.Commission)
}

// eachSaleIn runs fn on every sale with a commission that the payout took, as
// far as the sale exists: a canceled payout does not keep it.
func (o *op) eachSaleIn(rec *PayoutRecord, fn func(SaleRecord) error) error {
	if len(rec.Items) == 0 {
		return each(o.tx.Sales, Key{Index: OfPayout, ID: rec.ID}, fn) // a record from before
	}
	done := make(map[int64]bool, len(rec.Items))
	for _, item := range rec.Items {
		if done[item.Sale] {
			continue
		}
		done[item.Sale] = true
		sale, err := o.saleByNumber(SaleID(item.Sale))
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err == nil {
			err = fn(sale)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// markEntries changes commissions of the payout's sales: those that which
// selects.
func (o *op) markEntries(rec *PayoutRecord, which func(*CommissionRecord) bool, mark func(*CommissionRecord)) error {
	return o.eachSaleIn(rec, func(before SaleRecord) error {
		after := before.Clone()
		for i := range after.Commissions {
			if c := &after.Commissions[i]; which(c) {
				mark(c)
				c.UpdatedAt = later(o.now, c.UpdatedAt)
			}
		}
		_, err := o.saveSale(before, after)
		return err
	})
}
