package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Orders that are decided about anew, because who pays became known after them.

// An Unbooked is an order as it was before it is decided about anew: its sale, and the redemption of its code.
type Unbooked struct {
	sale  record.Sale
	alone *soleRedemption
	taken bool
}

// Order is the place of the order among those that are decided about anew: trials come first, then
// what had a sale, by its number, then what was not taken back.
func (u Unbooked) Order() int64 {
	if !u.taken {
		return math.MaxInt64
	}
	return u.sale.Number
}

// Decidable reports whether a sale can be decided about anew: no payout holds it, no person has changed what it earns
// or whom it credits, and its code is whose it was.
func (o *Op) Decidable(r *record.Sale) (bool, error) {
	byHost := func(f record.Refund) bool { return !f.Fact }
	declined := func(c record.Commission) bool { return c.Approval.Is(affiliate.ApprovalDeclined) }
	if r.ID == uuid.Nil || SaleFrozen(r) || !r.ByHand.IsZero() || r.Why.By.Is(affiliate.CreditAffiliate) ||
		slices.ContainsFunc(r.Refunds, byHost) || slices.ContainsFunc(r.Commissions, declined) {
		return false, nil
	}
	if r.CodeID == uuid.Nil {
		return true, nil
	}
	code, err := o.Tx.Codes.Get(r.CodeID)
	return err == nil && (code.AffiliateID == r.AffiliateID || !r.Why.By.Is(affiliate.CreditCode)), IgnoreMissing(err)
}

// Unbook takes a sale back, or what an order without one has redeemed under an id, with the place of its code. Rebook
// comes next. A redemption that a person gave back stays so.
func (o *Op) Unbook(sale *record.Sale, id uuid.UUID) (u Unbooked, err error) {
	u.taken = true
	if u.sale = *sale; sale.ID != uuid.Nil {
		id = record.NumberID(sale.Number)
		if err := o.moveSale(sale, nil, affiliate.CauseUpdate); err != nil {
			return u, err
		}
		if err := o.Tx.Sales.Delete(sale.ID); err != nil {
			return u, refusal.Internal("decide about a sale anew", err)
		}
	}
	entry, err := o.Tx.Redemptions.Get(id)
	if err != nil {
		return u, IgnoreMissing(err)
	}
	u.alone = &soleRedemption{entry: entry}
	if entry.RestoredAt.IsZero() {
		err = o.unredeem(&entry)
	}
	if err == nil {
		err = o.Tx.Redemptions.Delete(entry.ID)
	}
	return u, err
}

// Rebook runs decide, which books an order again that was taken back, under its number, or not.
func (o *Op) Rebook(u Unbooked, decide func() error) error {
	o.alone = u.alone
	if u.sale.ID != uuid.Nil {
		o.again = &u.sale
	}
	err := decide()
	left := o.again
	o.again, o.alone = nil, nil
	if err != nil || left == nil || left.DeletedFired {
		return err
	}
	return o.emitDeleted(affiliate.SaleDeleted, left.ID, left.Number, left.Revision+1)
}

// stand drops what has become of a code since the order was decided about that had it: only what the order says of its
// customer is new.
func (o *Op) stand(v *verdict) {
	if a := o.alone; o.again == nil || a == nil || a.entry.CodeID != v.code.ID || a.entry.CouponID != v.coupon.ID {
		return
	}
	v.failures = slices.DeleteFunc(v.failures, func(f affiliate.Failure) bool {
		return f.Reason != affiliate.NotFirstOrder && f.Reason != affiliate.WrongCustomer &&
			f.Reason != affiliate.CustomerLimit
	})
}

// TellEmail gives the email of a payer to their customer, who had none, and returns who the customer is then: the one
// who has the email already, unless only payers have told it for another affiliate's customer, who
// may be somebody else.
func (o *Op) TellEmail(ref record.Referral, email, name string) (uuid.UUID, error) {
	found, err := o.CustomerByEmail(email)
	if err != nil {
		return ref.ID, err
	}
	switch other := found.Referral; {
	case other.ID == uuid.Nil:
	case typed(&other) && other.AffiliateID != ref.AffiliateID:
		return ref.ID, nil
	default:
		_, err := o.MergeCustomers(ref, other)
		return other.ID, err
	}
	before := ref
	ref.Email, ref.Name = email, cmp.Or(ref.Name, name)
	if found.Gone != uuid.Nil {
		ref = BlankedReferral(ref)
		ref.Erased = o.Now
		if err := o.KeepErasure(found.Gone, ref.ID); err != nil {
			return ref.ID, err
		}
	}
	if _, err := o.SaveReferral(before, ref); err != nil {
		return ref.ID, err
	}
	return ref.ID, o.moveSales(&ref, &ref)
}

// typed reports whether nobody but payers has told who a customer is.
func typed(r *record.Referral) bool {
	return r.CustomerID == "" && r.Source == ForReferral(affiliate.SourceIntegration)
}

// Revive makes a customer whose orders were all taken back the one that the next customer whom a
// payment makes is. Until
// then nothing leads to that one.
func (o *Op) Revive(ref record.Referral) error {
	was := ref
	o.reborn = &was
	ref.Email, ref.CustomerID = "", ""
	return o.Tx.Referrals.Replace(ref)
}

// Forsake ends that. A customer whom no payment has made again is into, or, if that is zero, is removed.
func (o *Op) Forsake(into uuid.UUID) error {
	gone := o.reborn
	if o.reborn = nil; gone == nil {
		return nil
	}
	if into == uuid.Nil {
		return o.dropCustomer(*gone)
	}
	ref, err := o.Tx.Referrals.Get(into)
	if err == nil {
		_, err = o.MergeCustomers(*gone, ref)
	}
	return err
}
