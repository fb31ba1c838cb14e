package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// What a sale may earn at most. Source: docs/terms.md.

// limit sets the cap of a sale by its terms. What the other sales of its customer earned is
// read once and stays, so that a refund of one of them never raises this sale; own is what
// the sale itself already adds to the totals of the customer.
func (o *Op) limit(r *record.Sale, t *affiliate.Terms, own affiliate.Amount) error {
	if t.MaxPerCustomer.Sign() > 0 && r.ReferralID != uuid.Nil && r.Why.Earlier.IsZero() {
		totals, err := o.Totals(r.ReferralID)
		if err != nil {
			return err
		}
		others, err := totals.Commission.Sub(own)
		if err != nil {
			return TooLargeFor("commissionEarned", err)
		}
		r.Why.Earlier = affiliate.Set(others)
	}
	r.Cap = CapOf(r, t, r.Why.Earlier.Or(affiliate.Amount{}))
	return nil
}

// CapOf returns the cap of a sale by some terms, when the other sales of its customer earned
// so much. A rate that was given for the sale has none.
func CapOf(r *record.Sale, t *affiliate.Terms, others affiliate.Amount) (most affiliate.Opt[affiliate.Amount]) {
	if r.Why.RateFrom.Is(affiliate.RateOfSale) {
		return most
	}
	if t.MaxPerSale.Sign() > 0 {
		most = affiliate.Set(t.MaxPerSale)
	}
	if t.MaxPerCustomer.Sign() > 0 && r.ReferralID != uuid.Nil {
		room := max(t.MaxPerCustomer.Scaled()-others.Scaled(), 0)
		most = affiliate.Set(Capped(affiliate.AmountFromScaled(room), most))
	}
	return most
}

// Capped returns an amount, at most the cap where there is one.
func Capped(a affiliate.Amount, most affiliate.Opt[affiliate.Amount]) affiliate.Amount {
	if limit, ok := most.Get(); ok {
		return lesser(a, limit)
	}
	return a
}
