package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteCoupon implements tributary.Program.DeleteCoupon.
func (p *Program) DeleteCoupon(ctx context.Context, id uuid.UUID) (_ affiliate.DeletedCoupon, err error) {
	defer p.Begin(&ctx, "DeleteCoupon", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "coupon.delete", Input: id, Refused: refusal.First(refusal.CouponIDRequired.When(id == uuid.Nil))}
	return Write(o, rq, func() (affiliate.DeletedCoupon, error) {
		rec, err := o.couponByID(id)
		if err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		if err := o.couponUnoffered(id); err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		codes, err := o.codesOf(id)
		if err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		for _, code := range codes {
			if err := o.Tx.Codes.Delete(code.ID); err != nil {
				return affiliate.DeletedCoupon{}, refusal.Internal("delete code of coupon", err)
			}
			if err := o.cascade(affiliate.PromocodeDeleted, code.ID, 0, code.Revision+1); err != nil {
				return affiliate.DeletedCoupon{}, err
			}
		}
		if err := o.Tx.Coupons.Delete(id); err != nil {
			return affiliate.DeletedCoupon{}, refusal.Internal("delete coupon", err)
		}
		return affiliate.DeletedCoupon{ID: id, Name: rec.Name}, o.emitDeleted(affiliate.CouponDeleted, id, 0, rec.Revision+1)
	})
}
