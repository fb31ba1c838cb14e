package engine

import (
	"cmp"
	"errors"
	"fmt"

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
		v.decide(priced, false, refusal.CouponCurrency,
			affiliate.Failure{Currency: cmp.Or(v.coupon.Currency, o.Cfg.Currency)})
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
func (o *Op) UsabilityOf(code *record.Code, coupon *record.Coupon,
	hold affiliate.HoldReason) (affiliate.Usability, error) {
	v := verdict{code: *code, coupon: *coupon}
	err := o.freePlaces(&v, nil)
	if err != nil {
		return affiliate.Usability{}, err
	}
	v.checkAlways(o.Now, o.Cfg.Currency, o.Cfg.HouseCodes)
	o.checkOwnerOf(&v, hold)
	o.checkCoupon(&v, true, o.Cfg.Currency)
	v.checkPeriod(o.Now)
	return affiliate.Usability{Usable: len(v.failures) == 0,
		Reasons: refusal.EmptyNotNil(v.failures), Hold: OrNull(hold)}, nil
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

// complete fills in the defaults.
//
// Errors: a negative limit; Bulk above its most.
func complete(l *affiliate.Limits) error {
	if l.Links < 0 || l.Refunds < 0 || l.Bulk < 0 || l.Holds < 0 || l.Nobody < 0 {
		return errors.New("affiliate: Config.Limits must not be negative")
	}
	if l.Bulk > refusal.MaxBulk {
		return fmt.Errorf("affiliate: Config.Limits.Bulk must not be above %d", refusal.MaxBulk)
	}
	l.Links = cmp.Or(l.Links, 1000)
	l.Refunds = cmp.Or(l.Refunds, 1000)
	l.Holds = cmp.Or(l.Holds, 5)
	l.Nobody = cmp.Or(l.Nobody, 100)
	l.Bulk = cmp.Or(l.Bulk, refusal.MaxBulk)
	return nil
}

// CheckBulk refuses a call for more objects than one call may change.
func (p *Program) CheckBulk(n int) *affiliate.Error {
	return refusal.BulkLimitExceeded.When(n > p.Cfg.Limits.Bulk)
}

// maxImport is the largest number of rows in one import call, besides
// Limits.Bulk.
const maxImport = 1000

// CheckImport refuses an import call with too many rows.
func (p *Program) CheckImport(n int) *affiliate.Error {
	return refusal.BulkLimitExceeded.When(n > min(maxImport, p.Cfg.Limits.Bulk))
}

// roomForLink refuses a link of an affiliate that already has the maximum.
func (o *Op) roomForLink(owner uuid.UUID) error {
	n, err := CountUpTo(o.Tx.Links, record.Key{Index: record.OfAffiliate, ID: owner}, o.Cfg.Limits.Links)
	if err != nil {
		return refusal.Internal("count links", err)
	}
	if n == o.Cfg.Limits.Links {
		return refusal.LinkLimitReached.Err()
	}
	return nil
}
