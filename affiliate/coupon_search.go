package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// CouponQuery selects the coupons that match every field that is set. A field
// that is set to null selects nothing.
//
// Source: docs/contract.md 4.6.
type CouponQuery struct {
	ID    Opt[uuid.UUID] `json:",omitzero"`
	Valid Opt[bool]      `json:",omitzero"`
}

// CouponSummaries lists coupons without their codes, newest first, a hundred
// without a limit. It reads no code, however many a coupon has. It looks at no
// more than 5,000 coupons for a page, so a page may be short or empty although
// more follow: Next says so.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.6.
func (p *Program) CouponSummaries(ctx context.Context, q CouponQuery, pg Page) (_ List[Coupon], err error) {
	defer p.begin(&ctx, "CouponSummaries", reads).end(&err)
	now := p.now()
	return found(ctx, p, hunt{pg, "coupons-summaries", q}, func(o *op, _ bool) *seeker[CouponRecord, Coupon] {
		o.now = now
		return &seeker[CouponRecord, Coupon]{
			choice: chooseCoupons(q), table: o.tx.Coupons, item: func(rec CouponRecord) (Coupon, error) { return o.judgedCoupon(&rec), nil },
		}
	})
}

// chooseCoupons turns the query into a choice.
func chooseCoupons(q CouponQuery) (c choice[CouponRecord]) {
	c.one(q.ID)
	if q.Valid.IsNull() {
		c.fail(ErrNotFound)
	}
	if valid, set := q.Valid.Get(); set {
		c.fits = append(c.fits, func(r *CouponRecord) bool { return r.Valid == valid })
	}
	return c
}
