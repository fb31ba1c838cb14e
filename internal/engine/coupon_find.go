package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Coupon implements tributary.Program.Coupon.
func (p *Program) Coupon(ctx context.Context, ref affiliate.CouponRef) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "Coupon", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Coupon, error) {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return affiliate.Coupon{}, err
		}
		return o.fullCoupon(rec, Contacts{})
	})
}

// Coupons implements tributary.Program.Coupons.
func (p *Program) Coupons(ctx context.Context, pg affiliate.Page) (_ affiliate.List[affiliate.Coupon], err error) {
	defer p.Begin(&ctx, "Coupons", Reads).End(&err)
	l, err := p.Listing(pg, "coupons", nil)
	if err != nil {
		return affiliate.List[affiliate.Coupon]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Coupon], error) {
		seen := Contacts{}
		return Collect(o.Tx.Coupons, l, func(rec record.Coupon) (affiliate.Coupon, error) { return o.fullCoupon(rec, seen) })
	})
}

// couponByID returns the coupon that a caller named.
func (o *Op) couponByID(id uuid.UUID) (record.Coupon, error) {
	rec, err := o.Tx.Coupons.Get(id)
	return rec, refusal.CouponNotFound.IfMissing(err)
}

// findCoupon returns the coupon that ref names, or ErrNotFound.
func (o *Op) findCoupon(ref affiliate.CouponRef) (record.Coupon, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.Tx.Coupons.Get(ref.ID)
	case ref.ExternalID != "":
		return refusal.FindText(o.Tx.Coupons, record.ByExternalID, ref.ExternalID)
	case plaintext.Blank(ref.Name) || !plaintext.Valid(ref.Name, false):
		return record.Coupon{}, affiliate.ErrNotFound
	}
	return Head(o.Tx.Coupons, record.Query{Key: record.TextKey(record.OfName, plaintext.Trim(ref.Name)), Desc: true})
}
