package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// checkAlways applies the rules that no order in the program's currency can change: rows 2–8,
// and a minimum or a discount in another currency.
func (v *verdict) checkAlways(at affiliate.Instant, c affiliate.Currency) {
	v.checkState(at)
	if v.foreignMinimum(c) {
		v.fail(refusal.WrongCurrency, affiliate.Failure{Currency: v.code.MinimumCurrency})
	}
}

// checkCoupon applies row 16: the coupon takes off an amount in another currency.
func (v *verdict) checkCoupon(priced bool, c affiliate.Currency) {
	if foreignAmount(&v.coupon, c) {
		v.decide(priced, false, refusal.CouponCurrency, affiliate.Failure{Currency: v.coupon.Currency})
	}
}

// foreignAmount reports whether a coupon takes off an amount in another currency.
func foreignAmount(c *record.Coupon, in affiliate.Currency) bool {
	return c.Type == affiliate.CouponFlat && c.Currency != in
}

// foreignMinimum reports whether the minimum is in another currency than orders are.
func (v *verdict) foreignMinimum(c affiliate.Currency) bool {
	_, minimum := v.code.MinimumAmount.Get()
	return minimum && v.code.MinimumCurrency != c
}

// UsabilityOf returns the usability of a code whose affiliate has a hold.
func (o *Op) UsabilityOf(code *record.Code, coupon *record.Coupon, hold affiliate.HoldReason) affiliate.Usability {
	v := verdict{code: *code, coupon: *coupon}
	v.checkAlways(o.Now, o.Cfg.Currency)
	o.checkOwnerOf(&v, hold)
	v.checkCoupon(true, o.Cfg.Currency)
	return affiliate.Usability{Usable: len(v.failures) == 0, Reasons: refusal.EmptyNotNil(v.failures), Hold: OrNull(hold)}
}

// usabilityOfCoupon returns the usability of a code of the coupon that has no rules
// of its own.
func (o *Op) usabilityOfCoupon(coupon *record.Coupon) affiliate.Usability {
	return o.UsabilityOf(&record.Code{Active: true, AffiliateID: uuid.Max}, coupon, "")
}

// is reports whether a code is in a state.
func is(u *affiliate.Usability, s affiliate.CodeState) bool {
	if s == affiliate.CodeUsable {
		return u.Usable
	}
	for _, f := range u.Reasons {
		switch f.Reason {
		case affiliate.CodeExhausted, affiliate.CouponExhausted:
			if s == affiliate.CodeUsedUp {
				return true
			}
		case affiliate.CodeExpired, affiliate.CouponExpired:
			if s == affiliate.CodeOver {
				return true
			}
		}
	}
	return false
}
