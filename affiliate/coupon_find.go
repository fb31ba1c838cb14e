package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// Coupon returns the coupon that ref names, with its codes. An empty ref names
// no coupon.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.3.
func (p *Program) Coupon(ctx context.Context, ref CouponRef) (_ Coupon, err error) {
	defer p.begin(&ctx, "Coupon", reads).end(&err)
	return view(ctx, p, func(o *op) (Coupon, error) {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return Coupon{}, err
		}
		return o.fullCoupon(rec, contacts{})
	})
}

// Coupons lists the coupons, newest first, each with its codes.
//
// Errors: [InvalidQuery].
//
// Source: docs/contract.md 3.3.
func (p *Program) Coupons(ctx context.Context, pg Page) (_ List[Coupon], err error) {
	defer p.begin(&ctx, "Coupons", reads).end(&err)
	l, err := p.listing(pg, "coupons", nil)
	if err != nil {
		return List[Coupon]{}, err
	}
	return view(ctx, p, func(o *op) (List[Coupon], error) {
		seen := contacts{}
		return collect(o.tx.Coupons, l, func(rec CouponRecord) (Coupon, error) { return o.fullCoupon(rec, seen) })
	})
}

// couponByID returns the coupon that a caller named.
func (o *op) couponByID(id uuid.UUID) (CouponRecord, error) {
	rec, err := o.tx.Coupons.Get(id)
	return rec, couponNotFound.ifMissing(err)
}

// findCoupon returns the coupon that ref names, or ErrNotFound.
func (o *op) findCoupon(ref CouponRef) (CouponRecord, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.tx.Coupons.Get(ref.ID)
	case ref.ExternalID != "":
		return findText(o.tx.Coupons, ByExternalID, ref.ExternalID)
	case plaintext.Blank(ref.Name) || !plaintext.Valid(ref.Name, false):
		return CouponRecord{}, ErrNotFound
	}
	return head(o.tx.Coupons, Query{Key: textKey(OfName, plaintext.Trim(ref.Name)), Desc: true})
}
