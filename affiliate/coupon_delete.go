package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// DeleteCoupon deletes a coupon and all its codes in one step. The codes stop
// working at once. Sales and the redemption ledger stay.
//
// Errors: [MissingField] for a zero id, [CouponNotFound].
//
// Effects: coupon.deleted, after promocode.deleted for each code with
// Config.CascadeEvents.
//
// Source: docs/rules.md 3.7; docs/contract.md 3.3.
func (p *Program) DeleteCoupon(ctx context.Context, id uuid.UUID) (_ DeletedCoupon, err error) {
	defer p.begin(&ctx, "DeleteCoupon", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "coupon.delete", input: id, refused: first(couponIDRequired.when(id == uuid.Nil))}
	return write(o, rq, func() (DeletedCoupon, error) {
		rec, err := o.couponByID(id)
		if err != nil {
			return DeletedCoupon{}, err
		}
		codes, err := o.codesOf(id)
		if err != nil {
			return DeletedCoupon{}, err
		}
		for _, code := range codes {
			if err := o.tx.Codes.Delete(code.ID); err != nil {
				return DeletedCoupon{}, internal("delete code of coupon", err)
			}
			if err := o.cascade(PromocodeDeleted, code.ID, 0, code.Revision+1); err != nil {
				return DeletedCoupon{}, err
			}
		}
		if err := o.tx.Coupons.Delete(id); err != nil {
			return DeletedCoupon{}, internal("delete coupon", err)
		}
		return DeletedCoupon{ID: id, Name: rec.Name}, o.emitDeleted(CouponDeleted, id, 0, rec.Revision+1)
	})
}
