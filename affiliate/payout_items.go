package affiliate

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// What a payout takes, and the sales behind it.

// A taking is what a payout may take of an affiliate: the open entries in the
// order of their time, and their sum.
type taking struct {
	items      []PayoutItem
	start, end Instant // of the oldest and the newest
	sum        Amount
}

// take takes what is payable: everything positive until a time that is past its
// holding period at a moment, and everything negative, because nobody is paid
// past a known debt. Times are compared in whole milliseconds, as they are shown: a
// plain date ends at its last one.
func take(open []openEntry, until, moment Instant) (t taking, err error) {
	open = slices.DeleteFunc(open, func(e openEntry) bool {
		return e.amount.Sign() > 0 && (e.at.Truncate(time.Millisecond).After(until) || e.payableAt.After(moment))
	})
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

// open lists the accepted commissions and the adjustments of an affiliate that
// are in no payout.
func (o *op) open(affiliate uuid.UUID) (open []openEntry, err error) {
	key := Key{Index: OfPayable, ID: affiliate}
	sales, err := gather(o.tx.Sales, Query{Key: key})
	if err != nil {
		return nil, internal("read sales", err)
	}
	for i := range sales {
		r := &sales[i]
		for j := range r.Commissions {
			if c := &r.Commissions[j]; c.payable() {
				item := PayoutItem{Sale: r.Number, Commission: c.Number}
				open = append(open, openEntry{item, r.entryTime(c), r.payableAt(c), c.Earned})
			}
		}
	}
	adjustments, err := gather(o.tx.Adjustments, Query{Key: key})
	if err != nil {
		return nil, internal("read adjustments", err)
	}
	for i := range adjustments {
		r := &adjustments[i]
		open = append(open, openEntry{PayoutItem{Adjustment: r.ID}, r.CreatedAt, r.CreatedAt, r.Amount})
	}
	return open, nil
}

// An openEntry is a commission or an adjustment that a payout may take.
type openEntry struct {
	PayoutItem
	at, payableAt Instant
	amount        Amount
}

// compare orders entries by time, then commissions by number, then adjustments
// by id.
func (e openEntry) compare(f openEntry) int {
	return cmp.Or(
		e.at.Compare(f.at),
		bytes.Compare(e.Adjustment[:], f.Adjustment[:]),
		cmp.Compare(e.Commission, f.Commission),
	)
}

// eachSaleIn runs fn on every sale with a commission that the payout took, as
// far as the sale exists: a canceled payout does not keep it.
func (o *op) eachSaleIn(rec *PayoutRecord, fn func(SaleRecord) error) error {
	if len(rec.Items) == 0 {
		return each(o.tx.Sales, Key{Index: OfPayout, ID: rec.ID}, fn) // a record older than Items
	}
	done := make(map[int64]bool, len(rec.Items))
	for _, item := range rec.Items {
		if done[item.Sale] || item.Sale == 0 || item.Adjustment != uuid.Nil {
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
		_, err := o.saveSale(before, after, "")
		return err
	})
}

// markAdjustments puts adjustments that the payout took into it, or lets go those
// that are in it.
func (o *op) markAdjustments(rec *PayoutRecord, payout uuid.UUID) error {
	for _, item := range rec.Items {
		if item.Adjustment == uuid.Nil {
			continue
		}
		adjustment, err := o.tx.Adjustments.Get(item.Adjustment)
		if err != nil {
			return internal("adjustment of a payout", err)
		}
		adjustment.PayoutID = payout
		if err := o.tx.Adjustments.Replace(adjustment); err != nil {
			return internal("write adjustment", err)
		}
	}
	return nil
}
