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
	l := all((*tributary.Program).Coupons)
	page := l.run
	l.run = func(c *call, q query, value string) error {
		if q.page != (affiliate.Page{}) {
			return page(c, q, value)
		}
		return c.stream(func(w io.Writer) error { return c.p.WriteCoupons(c.r.Context(), w) })
	}
	return l
}

func couponByID(v string) affiliate.CouponRef         { return affiliate.CouponRef{ID: idOf(v)} }
func couponByExternalID(v string) affiliate.CouponRef { return affiliate.CouponRef{ExternalID: v} }
func couponByName(v string) affiliate.CouponRef       { return affiliate.CouponRef{Name: v} }

func newCoupon(in *input) affiliate.NewCoupon {
	return affiliate.NewCoupon{
		Name:             in.text("name"),
		CouponType:       enum[affiliate.CouponType](in, "couponType").Or(""),
		PercentOff:       in.percent("percentOff"),
		AmountOff:        in.amount("amountOff"),
		Currency:         enum[affiliate.Currency](in, "currency"),
		Duration:         enum[affiliate.Duration](in, "duration").Or(""),
		DurationInMonths: in.integer("durationInMonths"),
		MaxRedemptions:   in.integer("maxRedemptions"),
		LimitToProducts:  in.flag("limitToProducts"),
		ProductIDs:       texts[string](in, "productIds").Or(nil),
		Valid:            in.boolean("valid"),
		RedeemBy:         in.date("redeemBy"),
		StartsAt:         in.date("startsAt"),
		MaxDiscount:      in.amount("maxDiscount"),
		MaxDiscountTotal: in.amount("maxDiscountTotal"),
		RestoreOnRefund:  in.flag("restoreOnRefund"),

		MaxRedemptionsPerCustomer: in.integer("maxRedemptionsPerCustomer"),

		ExternalID:      in.optional("externalId"),
		IntegrationType: enum[affiliate.IntegrationType](in, "integrationType").Or(""),
	}
}

type couponChange struct {
	id uuid.UUID
	up affiliate.CouponUpdate
}

func couponChangeOf(in *input) couponChange {
	return couponChange{
		id: couponTarget(in),
		up: affiliate.CouponUpdate{
			Name:             in.optText("name"),
			CouponType:       enum[affiliate.CouponType](in, "couponType"),
			PercentOff:       in.percent("percentOff"),
			AmountOff:        in.amount("amountOff"),
			Currency:         enum[affiliate.Currency](in, "currency"),
			Duration:         enum[affiliate.Duration](in, "duration"),
			DurationInMonths: in.integer("durationInMonths"),
			MaxRedemptions:   in.integer("maxRedemptions"),
			LimitToProducts:  in.boolean("limitToProducts"),
			ProductIDs:       texts[string](in, "productIds"),
			Valid:            in.boolean("valid"),
			RedeemBy:         in.date("redeemBy"),
			StartsAt:         in.date("startsAt"),
			MaxDiscount:      in.amount("maxDiscount"),
			MaxDiscountTotal: in.amount("maxDiscountTotal"),
			RestoreOnRefund:  in.boolean("restoreOnRefund"),

			MaxRedemptionsPerCustomer: in.integer("maxRedemptionsPerCustomer"),
		},
	}
}

func updateCoupon(p *tributary.Program, ctx context.Context, in couponChange) (affiliate.Coupon, error) {
	return p.UpdateCoupon(ctx, in.id, in.up)
}

func couponTarget(in *input) uuid.UUID {
	defer in.targeted()
	return in.id("couponId")
}

type deletedCoupon struct {
	Message string                  `json:"message"`
	Coupon  affiliate.DeletedCoupon `json:"deletedCoupon"`
}

func deleteCoupon(p *tributary.Program, ctx context.Context, id uuid.UUID) (deletedCoupon, error) {
	coupon, err := p.DeleteCoupon(ctx, id)
	return deletedCoupon{"Coupon deleted successfully", coupon}, err
}
