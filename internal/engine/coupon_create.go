package engine

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateCoupon implements tributary.Program.CreateCoupon.
func (p *Program) CreateCoupon(ctx context.Context, in affiliate.NewCoupon) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "CreateCoupon", Writes).End(&err)
	rq := Request{Once: in.Once, Name: "coupon.create", Input: in}
	rq.Refused = p.NormalizeNewCoupon(&in)
	o := p.Op(ctx)
	return couponAnswer(o, rq, func() (couponReply, error) {
		if err := refusal.RefuseTakenExternalID(o.Tx.Coupons, in.ExternalID, refusal.CouponExternalIDTaken); err != nil {
			return couponReply{}, err
		}
		rec := record.Coupon{ID: o.NewID(), CreatedAt: o.Now, UpdatedAt: o.Now}
		o.FillCoupon(&rec, in)
		return o.saveCoupon(record.Coupon{}, rec)
	})
}
