package payout

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What a payout takes, and the sales of it.

// An entrySelection is the part of an affiliate\'s books that a payout may take: the open entries in the
// order of their time, and their sum.
type entrySelection struct {
	items      []affiliate.PayoutItem
	start, end affiliate.Instant // of the oldest and the newest
	sum        affiliate.Amount
}

// take selects what is payable: every positive entry until a time whose holding
// period has ended at a moment, and every negative entry, so that a known debt is
// always deducted. Times are compared in whole milliseconds, as they are shown: a
// plain date ends at its last one.
func take(open []OpenEntry, until, moment affiliate.Instant) (t entrySelection, err error) {
	open = slices.DeleteFunc(open, func(e OpenEntry) bool {
		return e.Amount.Sign() > 0 && (e.At.Truncate(time.Millisecond).After(until) || e.PayableAt.After(moment))
	})
	slices.SortFunc(open, OpenEntry.Compare)
	for _, e := range open {
		t.items = append(t.items, e.PayoutItem)
		if t.sum, err = t.sum.Add(e.Amount); err != nil {
			return t, engine.TooLargeFor("amount", err)
		}
	}
	if len(open) > 0 {
		t.start, t.end = open[0].At, open[len(open)-1].At
	}
	return t, nil
}

// open lists the accepted commissions and the adjustments of an affiliate that
// are in no payout.
func open(o *engine.Op, affiliateID uuid.UUID) (open []OpenEntry, err error) {
	key := record.Key{Index: record.OfPayable, ID: affiliateID}
	sales, err := engine.Gather(o.Tx.Sales, record.Query{Key: key})
	if err != nil {
		return nil, refusal.Internal("read sales", err)
	}
	for i := range sales {
		r := &sales[i]
		for j := range r.Commissions {
			if c := &r.Commissions[j]; c.Payable() {
				item := affiliate.PayoutItem{Sale: r.Number, Commission: c.Number}
				open = append(open, OpenEntry{item, engine.EntryTime(r, c), engine.PayableAt(r, c), c.Earned})
			}
		}
	}
	adjustments, err := engine.Gather(o.Tx.Adjustments, record.Query{Key: key})
	if err != nil {
		return nil, refusal.Internal("read adjustments", err)
	}
	for i := range adjustments {
		r := &adjustments[i]
		open = append(open, OpenEntry{affiliate.PayoutItem{Adjustment: r.ID}, r.CreatedAt, r.CreatedAt, r.Amount})
	}
	return open, nil
}

// An OpenEntry is a commission or an adjustment that a payout may take.
type OpenEntry struct {
	affiliate.PayoutItem
	At, PayableAt affiliate.Instant
	Amount        affiliate.Amount
}

// Compare orders entries by time, then commissions by number, then adjustments
// by id.
func (e OpenEntry) Compare(f OpenEntry) int {
	return cmp.Or(
		e.At.Compare(f.At),
		bytes.Compare(e.Adjustment[:], f.Adjustment[:]),
		cmp.Compare(e.Commission, f.Commission),
	)
}

// markEntries changes those commissions of the payout's sales that which selects.
func markEntries(o *engine.Op, rec *record.Payout, which func(*record.Commission) bool, mark func(*record.Commission)) error {
	return o.EachSaleIn(rec, func(before record.Sale) error {
		after := before.Clone()
		for i := range after.Commissions {
			if c := &after.Commissions[i]; which(c) {
				mark(c)
				c.UpdatedAt = engine.Later(o.Now, c.UpdatedAt)
			}
		}
		_, err := o.SaveSale(before, after, "")
		return err
	})
}

// markAdjustments sets the payout of the adjustments that the payout took; zero:
// none, which releases them.
func markAdjustments(o *engine.Op, rec *record.Payout, payout uuid.UUID) error {
	for _, item := range rec.Items {
		if item.Adjustment == uuid.Nil {
			continue
		}
		adjustment, err := o.Tx.Adjustments.Get(item.Adjustment)
		if err != nil {
			return refusal.Internal("adjustment of a payout", err)
		}
		adjustment.PayoutID = payout
		if err := o.Tx.Adjustments.Replace(adjustment); err != nil {
			return refusal.Internal("write adjustment", err)
		}
	}
	return nil
}
