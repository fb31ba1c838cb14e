package affiliate

import (
	"errors"

	"github.com/google/uuid"
)

// Running totals are separate records that are changed in the transaction of
// the change, so the cost of statistics does not depend on the history. Only
// this file changes them; [Program.Verify] recounts them.

// A tally is a change of totals.
type tally struct {
	clicks, pruned, referrals, sales, free int64
	revenue, commission                    Amount
}

// totals returns the totals of a link, an affiliate or a referral.
func (o *op) totals(owner uuid.UUID) (TotalsRecord, error) {
	rec, err := o.tx.Totals.Get(owner)
	if errors.Is(err, ErrNotFound) {
		return TotalsRecord{ID: owner}, nil
	}
	return rec, err
}

// count adds t to the totals of the owner; a zero owner counts nothing.
func (o *op) count(owner uuid.UUID, t tally) error { return o.countWith(owner, t, &booking{}) }

// countWith is count with the movements of an affiliate, so that its totals are
// written once.
func (o *op) countWith(owner uuid.UUID, t tally, b *booking) error {
	if owner == uuid.Nil || t == (tally{}) && b.n == 0 {
		return nil
	}
	rec, err := o.tx.Totals.Get(owner)
	missing := errors.Is(err, ErrNotFound)
	if err != nil && !missing {
		return err
	}
	rec.ID = owner
	if err := rec.add(t); err != nil {
		return err
	}
	if err := o.post(owner, &rec.Books, b); err != nil {
		return err
	}
	if missing {
		return o.tx.Totals.Insert(rec)
	}
	return o.tx.Totals.Replace(rec)
}

// uncount takes t from the totals of the owner.
func (o *op) uncount(owner uuid.UUID, t tally) error {
	minus, err := t.negated()
	if err != nil {
		return err
	}
	return o.count(owner, minus)
}

// forget removes the totals of a deleted owner.
func (o *op) forget(owner uuid.UUID) error {
	err := o.tx.Totals.Delete(owner)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (r *TotalsRecord) add(t tally) (err error) {
	if r.Revenue, err = r.Revenue.Add(t.revenue); err != nil {
		return FieldTooLarge.Of("totalEarned")
	}
	if r.Commission, err = r.Commission.Add(t.commission); err != nil {
		return FieldTooLarge.Of("commissionEarned")
	}
	r.Clicks += t.clicks
	r.PrunedClicks += t.pruned
	r.Referrals += t.referrals
	r.Sales += t.sales
	r.Free += t.free
	return nil
}

func (t tally) negated() (tally, error) {
	var zero Amount
	revenue, err := zero.Sub(t.revenue)
	if err != nil {
		return tally{}, err
	}
	commission, err := zero.Sub(t.commission)
	if err != nil {
		return tally{}, err
	}
	return tally{-t.clicks, -t.pruned, -t.referrals, -t.sales, -t.free, revenue, commission}, nil
}

// moveSale replaces what a sale adds to the totals of its link, affiliate and
// referral, and books it. Either side may be nil: the sale is not there.
func (o *op) moveSale(was, is *SaleRecord, cause Cause) error {
	if was != nil && is != nil && was.AffiliateID != is.AffiliateID {
		if err := o.moveSale(was, nil, cause); err != nil {
			return err
		}
		return o.moveSale(nil, is, cause)
	}
	change, err := saleChange(was, is)
	if err != nil {
		return err
	}
	b, err := bookSale(was, is, cause)
	if err != nil {
		return err
	}
	rec := is
	if is == nil {
		rec = was
	}
	if err := o.count(rec.LinkID, change); err != nil {
		return err
	}
	if err := o.countWith(rec.AffiliateID, change, &b); err != nil {
		return err
	}
	return o.count(rec.ReferralID, change)
}

// saleChange is what a change of a sale adds to totals.
func saleChange(was, is *SaleRecord) (change tally, err error) {
	before, err := was.tally()
	if err != nil {
		return change, err
	}
	after, err := is.tally()
	if err != nil {
		return change, err
	}
	if change, err = before.negated(); err != nil {
		return change, err
	}
	if change.revenue, err = change.revenue.Add(after.revenue); err != nil {
		return change, FieldTooLarge.Of("totalEarned")
	}
	if change.commission, err = change.commission.Add(after.commission); err != nil {
		return change, FieldTooLarge.Of("commissionEarned")
	}
	change.sales += after.sales
	change.free += after.free
	return change, nil
}

// tally is what a live sale adds to the totals: its kept amount and its
// commission. A sale that was refunded in full adds nothing, nor does one that
// is not there.
func (r *SaleRecord) tally() (tally, error) {
	if r == nil || r.Status.Is(SaleRefunded) {
		return tally{}, nil
	}
	kept, err := r.kept()
	if err != nil {
		return tally{}, err
	}
	t := tally{sales: 1, revenue: kept}
	if r.Free || r.Past {
		t.free = 1
	}
	for i := range r.Commissions {
		c := &r.Commissions[i]
		if c.Approval.Is(ApprovalDeclined) {
			continue
		}
		var err error
		if t.commission, err = t.commission.Add(c.Earned); err != nil {
			return tally{}, FieldTooLarge.Of("commissionEarned")
		}
	}
	return t, nil
}
