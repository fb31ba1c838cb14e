package httpapi

import (
	"context"
	"io"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.1, 3.3.

// coupon looks a coupon up. The answer is written while the codes are read,
// because a coupon may have a hundred thousand codes.
func coupon(name string, ref func(value string) affiliate.CouponRef) lookup {
	return lookup{name: name, single: true, answer: affiliate.Coupon{}, run: func(c *call, _ query, value string) error {
		return c.stream(func(w io.Writer) error { return c.p.WriteCoupon(c.r.Context(), ref(value), w) })
	}}
}

// coupons lists all coupons. Without a page the answer is written while the
// coupons and their codes are read.
func coupons() lookup {
	l := all(couponsWithCodes)
	page := l.run
	l.run = func(c *call, q query, value string) error {
		if q.page != (affiliate.Page{}) {
			return page(c, q, value)
		}
		return c.stream(func(w io.Writer) error { return c.p.WriteCoupons(c.r.Context(), w) })
	}
	return l
}

func couponsWithCodes(p *tributary.Program, ctx context.Context,
	pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
	return p.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, pg)
}

func couponByID(v string) affiliate.CouponRef         { return affiliate.CouponRef{ID: idOf(v)} }
func couponByExternalID(v string) affiliate.CouponRef { return affiliate.CouponRef{ExternalID: v} }
func couponByName(v string) affiliate.CouponRef       { return affiliate.CouponRef{Name: v} }

// couponDeletion is the answer for a coupon that was deleted with its codes.
type couponDeletion struct {
	Message string                  `json:"message"`
	Coupon  affiliate.DeletedCoupon `json:"deletedCoupon"` // What was deleted.
}

func deleteCoupon(p *tributary.Program, ctx context.Context, id uuid.UUID) (couponDeletion, error) {
	coupon, err := p.DeleteCoupon(ctx, id)
	return couponDeletion{"Coupon deleted successfully", coupon}, err
}

// Source: docs/contract.md 4.6.

// summaries lists coupons without their codes.
func summaries() lookup {
	l := filtered((*tributary.Program).Coupons)
	l.parts = true
	return l
}
