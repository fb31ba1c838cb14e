package affiliate

import "context"

// CreateCoupon makes a coupon without codes. The discount fields that do not
// belong to its type are checked too, but not stored.
//
// Errors: [MissingField], [InvalidField]; [CouponExternalIDTaken].
//
// Effects: the coupon; coupon.created.
//
// Source: docs/rules.md 3.1; docs/contract.md 3.3.
func (p *Program) CreateCoupon(ctx context.Context, in NewCoupon) (_ Coupon, err error) {
	defer p.begin(&ctx, "CreateCoupon", writes).end(&err)
	rq := request{once: in.Once, name: "coupon.create", input: in}
	rq.refused = p.normalizeNewCoupon(&in)
	o := p.op(ctx)
	return couponAnswer(o, rq, func() (couponReply, error) {
		if err := refuseTakenExternalID(o.tx.Coupons, in.ExternalID, couponExternalIDTaken); err != nil {
			return couponReply{}, err
		}
		rec := CouponRecord{ID: o.newID(), CreatedAt: o.now, UpdatedAt: o.now}
		o.fillCoupon(&rec, in)
		return o.saveCoupon(CouponRecord{}, rec)
	})
}
