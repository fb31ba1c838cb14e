package engine

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// CouponSummaries implements tributary.Program.CouponSummaries.
func (p *Program) CouponSummaries(ctx context.Context, q affiliate.CouponQuery, pg affiliate.Page) (_ affiliate.List[affiliate.Coupon], err error) {
	defer p.Begin(&ctx, "CouponSummaries", Reads).End(&err)
	now := p.Now()
	return Found(ctx, p, Hunt{Page: pg, Operation: "coupons-summaries", Query: q}, func(o *Op, _ bool) *Seeker[record.Coupon, affiliate.Coupon] {
		o.Now = now
		return &Seeker[record.Coupon, affiliate.Coupon]{
			Choice: chooseCoupons(q), Table: o.Tx.Coupons, Item: func(rec record.Coupon) (affiliate.Coupon, error) { return o.judgedCoupon(&rec) },
		}
	})
}

// chooseCoupons turns the query into a choice.
func chooseCoupons(q affiliate.CouponQuery) (c Choice[record.Coupon]) {
	c.one(q.ID)
	if q.Valid.IsNull() {
		c.Fail(affiliate.ErrNotFound)
	}
	if valid, set := q.Valid.Get(); set {
		c.Fits = append(c.Fits, func(r *record.Coupon) bool { return r.Valid == valid })
	}
	return c
}
