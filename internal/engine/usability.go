package engine

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// checkAlways applies the rules that no order in the program's currency can change: rows 2–8,
// and a minimum or a discount in another currency.
func (v *verdict) checkAlways(at affiliate.Instant, c affiliate.Currency, house bool) {
	v.checkState(at, house)
	if v.foreignMinimum(c) {
		v.fail(refusal.WrongCurrency, affiliate.Failure{Currency: v.code.MinimumCurrency})
	}
}

// checkCoupon applies row 16: the coupon takes off an amount in another currency, or at most
// such an amount.
func (o *Op) checkCoupon(v *verdict, priced bool, c affiliate.Currency) {
	if o.foreignAmount(&v.coupon, c) {
		v.decide(priced, false, refusal.CouponCurrency, affiliate.Failure{Currency: cmp.Or(v.coupon.Currency, o.Cfg.Currency)})
	}
}

// foreignAmount reports whether a coupon takes off an amount in another currency, or at most
// such an amount.
func (o *Op) foreignAmount(c *record.Coupon, in affiliate.Currency) bool {
	if c.Type == affiliate.CouponFlat {
		return c.Currency != in
	}
	return !c.MaxDiscount.IsZero() && o.Cfg.Currency != in
}

// foreignMinimum reports whether the minimum is in another currency than orders are.
func (v *verdict) foreignMinimum(c affiliate.Currency) bool {
	_, minimum := v.code.MinimumAmount.Get()
	return minimum && v.code.MinimumCurrency != c
}

// UsabilityOf returns the usability of a code whose affiliate has a hold.
func (o *Op) UsabilityOf(code *record.Code, coupon *record.Coupon, hold affiliate.HoldReason) (affiliate.Usability, error) {
	v := verdict{code: *code, coupon: *coupon}
	err := o.freePlaces(&v, nil)
	if err != nil {
		return affiliate.Usability{}, err
	}
	v.checkAlways(o.Now, o.Cfg.Currency, o.Cfg.HouseCodes)
	o.checkOwnerOf(&v, hold)
	o.checkCoupon(&v, true, o.Cfg.Currency)
	v.checkPeriod(o.Now)
	return affiliate.Usability{Usable: len(v.failures) == 0, Reasons: refusal.EmptyNotNil(v.failures), Hold: OrNull(hold)}, nil
}

// usabilityOfCoupon returns the usability of a code of the coupon that has no rules
// of its own.
func (o *Op) usabilityOfCoupon(coupon *record.Coupon) (affiliate.Usability, error) {
	return o.UsabilityOf(&record.Code{Active: true, AffiliateID: uuid.Max}, coupon, "")
}

// is reports whether a code is in a state.
func is(u *affiliate.Usability, s affiliate.CodeState) bool {
	if s == affiliate.CodeUsable {
		return u.Usable
	}
	for _, f := range u.Reasons {
		switch f.Reason {
		case affiliate.CodeExhausted, affiliate.CouponExhausted, affiliate.BudgetSpent:
			if s == affiliate.CodeUsedUp {
				return true
			}
		case affiliate.CodeExpired, affiliate.CouponExpired:
			if s == affiliate.CodeOver {
				return true
			}
		case affiliate.CodeNotStarted:
			if s == affiliate.CodeUpcoming {
				return true
			}
		}
	}
	return false
}
