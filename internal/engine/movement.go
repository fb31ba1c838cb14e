package engine

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// WantsOpening reports whether there is something to open.
func (o *Op) WantsOpening(totals record.Totals) (bool, error) {
	if b := totals.Books; !b.Opened.IsZero() || b.Unbooked || b.Number > 0 || totals.Sales+totals.Conversions > 0 {
		return b.Opened.IsZero(), nil
	}
	sales, err := Holds(o.Tx.Sales, record.Key{Index: record.OfAffiliate, ID: totals.ID})
	if err != nil {
		return false, refusal.Internal("read sales", err)
	}
	return sales, nil
}

// OpenBooks writes the opening of an affiliate.
func (o *Op) OpenBooks(totals record.Totals) error {
	found := inventory{of: make(map[int64]int64), booked: make(map[uuid.UUID]bool)}
	for _, step := range []func() error{
		func() error {
			return Each(o.Tx.Sales, record.Key{Index: record.OfAffiliate, ID: totals.ID}, found.sale(o))
		},
		func() error {
			return Each(o.Tx.Payouts, record.Key{Index: record.OfAffiliate, ID: totals.ID}, found.payout(o))
		},
		func() error {
			return Each(o.Tx.Movements, record.Key{Index: record.OfAffiliate, ID: totals.ID}, found.movement)
		},
		func() error {
			return Each(o.Tx.Adjustments, record.Key{Index: record.OfAffiliate, ID: totals.ID}, found.adjustment)
		},
	} {
		if err := step(); err != nil {
			return refusal.Internal("open books", err)
		}
	}
	books := &totals.Books
	books.Opened, books.MaxHold, books.Unbooked = next(books, o.Now), max(books.MaxHold, found.MaxHold), false
	for i := range found.unbooked {
		b := BookAdjustment(&found.unbooked[i], affiliate.CauseOpening, found.unbooked[i].Amount)
		if err := o.Post(totals.ID, books, &b); err != nil {
			return err
		}
	}
	b, err := found.opening(books)
	if err != nil {
		return refusal.Internal("open books", err)
	}
	if err := o.Post(totals.ID, books, &b); err != nil {
		return err
	}
	return o.PutTotals(totals)
}

// PutTotals writes totals that may not be stored yet.
func (o *Op) PutTotals(rec record.Totals) error {
	err := o.Tx.Totals.Replace(rec)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = o.Tx.Totals.Insert(rec)
	}
	return err
}

// An inventory holds the sums that the books of an affiliate must have, computed from its
// records.
type inventory struct {
	record.Books                 // the accounts, and MaxHold
	counted      Standing        // sales, revenue and refunds, less those that existing movements count
	of           map[int64]int64 // the sale of each commission in a payout
	err          error           // a sum that did not fit

	booked   map[uuid.UUID]bool  // the adjustments with a movement
	unbooked []record.Adjustment // those without one: they were imported
}

func (v *inventory) add(to *affiliate.Amount, amount affiliate.Amount) {
	if v.err == nil {
		*to, v.err = to.Add(amount)
	}
}

// sale counts a sale, and freezes what payouts hold.
func (v *inventory) sale(o *Op) func(record.Sale) error {
	return func(r record.Sale) error {
		s, err := SaleStanding(&r)
		if err != nil {
			return err
		}
		v.counted.Sales += s.Sales
		v.counted.Conversions += s.Conversions
		v.MaxHold = max(v.MaxHold, int64(r.HoldDays))
		v.add(&v.counted.Revenue, s.Revenue)
		v.add(&v.counted.Refunded, s.Refunded)
		v.add(&v.Held, s.Held)
		v.add(&v.Payable, s.Payable)
		changed := false
		for i := range r.Commissions {
			c := &r.Commissions[i]
			if c.PayoutID != uuid.Nil {
				v.add(&v.Payable, c.Earned.Neg())
			}
			if CommissionFrozen(c) {
				v.of[c.Number] = r.Number
				changed = changed || !c.Frozen
				c.Frozen = true
			}
		}
		if !changed {
			return v.err
		}
		return o.Tx.Sales.Replace(r)
	}
}

// payout counts a payout, and lists what it took with the sales.
func (v *inventory) payout(o *Op) func(record.Payout) error {
	return func(r record.Payout) error {
		switch {
		case r.Status == affiliate.PayoutPaid:
			v.add(&v.Paid, r.Amount)
		case IsLive(&r):
			v.add(&v.InPayout, r.Amount)
		}
		if len(r.Items) > 0 {
			return v.err
		}
		r.Items = make([]affiliate.PayoutItem, len(r.Commissions))
		for i, n := range r.Commissions {
			r.Items[i] = affiliate.PayoutItem{Sale: v.of[n], Commission: n}
		}
		r.Commissions = nil
		return o.Tx.Payouts.Replace(r)
	}
}

func (v *inventory) adjustment(r record.Adjustment) error {
	if !v.booked[r.ID] && !IsMoved(&r) {
		v.unbooked = append(v.unbooked, r)
	}
	if r.PayoutID == uuid.Nil {
		v.add(&v.Payable, r.Amount)
	}
	return v.err
}

// movement subtracts what a movement has already counted.
func (v *inventory) movement(r record.Movement) error {
	if r.AdjustmentID != uuid.Nil {
		v.booked[r.AdjustmentID] = true
	}
	v.counted.Sales -= r.Sales
	v.counted.Conversions -= r.Conversions
	v.add(&v.counted.Revenue, r.Revenue.Neg())
	v.add(&v.counted.Refunded, r.Refunds.Neg())
	return v.err
}

// opening books the difference between what the books must hold and what they
// do.
func (v *inventory) opening(books *record.Books) (Booking, error) {
	b := Booking{Of: record.Movement{
		Cause: affiliate.EnumOf(affiliate.CauseOpening), Sales: v.counted.Sales,
		Conversions: v.counted.Conversions, Revenue: v.counted.Revenue, Refunds: v.counted.Refunded,
	}}
	for _, account := range accounts[1:] {
		difference, err := AccountOf(&v.Books, account).Sub(*AccountOf(books, account))
		if err != nil {
			return b, err
		}
		b.Move(affiliate.AccountAccrual, account, difference)
	}
	b.Note(false)
	return b, nil
}

// Running totals are separate records that are changed in the transaction of
// the change, so the cost of statistics does not depend on the history. Only
// this file changes them; [Program.Verify] recounts them.

// A Tally is a change of totals.
type Tally struct {
	Clicks, Pruned, Referrals, Sales, Conversions, Free int64
	Revenue, Commission                                 affiliate.Amount
}

// Totals returns the totals of a link, an affiliate or a referral.
func (o *Op) Totals(owner uuid.UUID) (record.Totals, error) {
	rec, err := o.Tx.Totals.Get(owner)
	if errors.Is(err, affiliate.ErrNotFound) {
		return record.Totals{ID: owner}, nil
	}
	return rec, err
}

// Count adds t to the totals of the owner; a zero owner counts nothing.
func (o *Op) Count(owner uuid.UUID, t Tally) error { return o.countWith(owner, t, &Booking{}) }

// countWith is count together with the movements of an affiliate, so that its
// totals are written once.
func (o *Op) countWith(owner uuid.UUID, t Tally, b *Booking) error {
	if owner == uuid.Nil || t == (Tally{}) && b.n == 0 {
		return nil
	}
	rec, err := o.Tx.Totals.Get(owner)
	missing := errors.Is(err, affiliate.ErrNotFound)
	if err != nil && !missing {
		return err
	}
	rec.ID = owner
	if err := AddTally(&rec, t); err != nil {
		return err
	}
	if err := o.Post(owner, &rec.Books, b); err != nil {
		return err
	}
	if missing {
		return o.Tx.Totals.Insert(rec)
	}
	return o.Tx.Totals.Replace(rec)
}

// uncount takes t from the totals of the owner.
func (o *Op) uncount(owner uuid.UUID, t Tally) error {
	minus, err := t.negated()
	if err != nil {
		return err
	}
	return o.Count(owner, minus)
}

// forget removes the totals of a deleted owner.
func (o *Op) forget(owner uuid.UUID) error {
	err := o.Tx.Totals.Delete(owner)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	return err
}

func AddTally(r *record.Totals, t Tally) (err error) {
	if r.Revenue, err = r.Revenue.Add(t.Revenue); err != nil {
		return refusal.FieldTooLarge.Of("totalEarned")
	}
	if r.Commission, err = r.Commission.Add(t.Commission); err != nil {
		return refusal.FieldTooLarge.Of("commissionEarned")
	}
	r.Clicks += t.Clicks
	r.PrunedClicks += t.Pruned
	r.Referrals += t.Referrals
	r.Sales += t.Sales
	r.Conversions += t.Conversions
	r.Free += t.Free
	return nil
}

func (t Tally) negated() (Tally, error) {
	var zero affiliate.Amount
	revenue, err := zero.Sub(t.Revenue)
	if err != nil {
		return Tally{}, err
	}
	commission, err := zero.Sub(t.Commission)
	if err != nil {
		return Tally{}, err
	}
	return Tally{-t.Clicks, -t.Pruned, -t.Referrals, -t.Sales, -t.Conversions, -t.Free, revenue, commission}, nil
}

// moveSale replaces what a sale adds to the totals of its link, affiliate and
// referral, and books the change. was is nil for a new sale, is for a deleted
// one.
func (o *Op) moveSale(was, is *record.Sale, cause affiliate.Cause) error {
	if was != nil && is != nil && was.AffiliateID != is.AffiliateID {
		if err := o.moveSale(was, nil, cause); err != nil {
			return err
		}
		return o.moveSale(nil, is, cause)
	}
	change, err := SaleChange(was, is)
	if err != nil {
		return err
	}
	b, err := BookSale(was, is, cause)
	if err != nil {
		return err
	}
	rec := is
	if is == nil {
		rec = was
	}
	if err := cmp.Or(o.Count(rec.LinkID, change), o.spend(was, is)); err != nil {
		return err
	}
	if err := o.countWith(rec.AffiliateID, change, &b); err != nil {
		return err
	}
	if was == nil || is == nil || was.ReferralID == is.ReferralID {
		return o.Count(rec.ReferralID, change)
	}
	before, err := tally(was) // its customer is another one
	if err == nil {
		err = o.uncount(was.ReferralID, before)
	}
	if err != nil {
		return err
	}
	after, err := tally(is)
	if err != nil {
		return err
	}
	return o.Count(is.ReferralID, after)
}

// SaleChange returns what the change of a sale adds to totals.
func SaleChange(was, is *record.Sale) (change Tally, err error) {
	before, err := tally(was)
	if err != nil {
		return change, err
	}
	after, err := tally(is)
	if err != nil {
		return change, err
	}
	if change, err = before.negated(); err != nil {
		return change, err
	}
	if change.Revenue, err = change.Revenue.Add(after.Revenue); err != nil {
		return change, refusal.FieldTooLarge.Of("totalEarned")
	}
	if change.Commission, err = change.Commission.Add(after.Commission); err != nil {
		return change, refusal.FieldTooLarge.Of("commissionEarned")
	}
	change.Sales += after.Sales
	change.Conversions += after.Conversions
	change.Free += after.Free
	return change, nil
}

// tally returns what a live sale adds to the totals: its kept amount and its
// commission. A nil sale, and one that was refunded in full, adds nothing.
func tally(r *record.Sale) (Tally, error) {
	if r == nil || r.Status.Is(affiliate.SaleRefunded) {
		return Tally{}, nil
	}
	kept, err := KeptOf(r)
	if err != nil {
		return Tally{}, err
	}
	t := Tally{Sales: 1, Revenue: kept}
	if r.Conversion != "" {
		t.Sales, t.Conversions = 0, 1
	}
	if r.Free || r.Past {
		t.Free = 1
	}
	for i := range r.Commissions {
		c := &r.Commissions[i]
		if c.Approval.Is(affiliate.ApprovalDeclined) {
			continue
		}
		var err error
		if t.Commission, err = t.Commission.Add(c.Earned); err != nil {
			return Tally{}, refusal.FieldTooLarge.Of("commissionEarned")
		}
	}
	return t, nil
}
