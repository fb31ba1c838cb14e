package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// UpdateCoupon implements tributary.Program.UpdateCoupon.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID, up affiliate.CouponUpdate) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "UpdateCoupon", Writes).End(&err)
	rq := Request{Name: "coupon.update", Input: append([]any{id, up}, digested(atProvider{up.ExternalID, up.IntegrationType})...), Refused: refusal.First(refusal.CouponIDRequired.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = p.checkCouponUpdate(up)
	}
	o := p.Op(ctx)
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
			if err := refusal.RefuseTakenExternalID(o.Tx.Coupons, rec.ExternalID, refusal.CouponExternalIDTaken); err != nil {
				return couponReply{}, err
			}
		}
		return o.saveCoupon(old, rec)
	})
}
