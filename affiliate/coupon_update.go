package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// UpdateCoupon changes the discount for every code of the coupon. The coupon is
// checked with the update applied. An update that changes nothing fires no
// event. A limit may be set below the count; then the coupon is exhausted.
//
// Errors: [MissingField] for a zero id, [CouponNotFound], [MissingField] and
// [InvalidField] of the fields, [CouponExternalIDTaken].
//
// Effects: the coupon; coupon.updated.
//
// Source: docs/rules.md 2.4 and 3.1; docs/contract.md 3.3.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID, up CouponUpdate) (_ Coupon, err error) {
	defer p.begin(&ctx, "UpdateCoupon", writes).end(&err)
	rq := request{name: "coupon.update", input: append([]any{id, up}, digested(atProvider{up.ExternalID, up.IntegrationType})...), refused: first(couponIDRequired.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = p.checkCouponUpdate(up)
	}
	o := p.op(ctx)
	return couponAnswer(o, rq, func() (couponReply, error) {
		old, err := o.couponByID(id)
		if err != nil {
			return couponReply{}, err
		}
		rec, err := o.mergeCoupon(old, up)
		if err != nil {
			return couponReply{}, err
		}
		if rec.ExternalID != old.ExternalID {
			if err := refuseTakenExternalID(o.tx.Coupons, rec.ExternalID, couponExternalIDTaken); err != nil {
				return couponReply{}, err
			}
		}
		return o.saveCoupon(old, rec)
	})
}
