package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// UpdateCoupon changes the discount for every code of the coupon. The coupon is
// checked as it will be; an update that changes nothing is no event. A limit
// may be set below the count: the coupon is exhausted then.
//
// Errors: [MissingField] for a zero id, [CouponNotFound], [MissingField] and
// [InvalidField] of the fields.
//
// Effects: the coupon; coupon.updated.
//
// Source: docs/rules.md 2.4 and 3.1; docs/contract.md 3.3.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID, up CouponUpdate) (Coupon, error) {
	rq := request{name: "coupon.update", input: []any{id, up}, refused: first(couponIDRequired.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = p.checkCouponUpdate(up)
	}
	o := p.op(ctx)
	return write(o, rq, func() (Coupon, error) {
		old, err := o.couponByID(id)
		if err != nil {
			return Coupon{}, err
		}
		rec, err := o.mergeCoupon(old, up)
		if err != nil {
			return Coupon{}, err
		}
		if same(rec, old) {
			return o.fullCoupon(old, contacts{})
		}
		rec.Revision++
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		codes, err := o.codesOf(id)
		if err != nil {
			return Coupon{}, err
		}
		if err := o.tx.Coupons.Replace(rec); err != nil {
			return Coupon{}, err
		}
		return o.announceCoupon(CouponUpdated, rec, codes)
	})
}

// mergeCoupon is the stored coupon with an update over it, checked as a whole.
func (p *Program) mergeCoupon(rec CouponRecord, up CouponUpdate) (CouponRecord, error) {
	if err := first(notCleared("name", up.Name), given("name", up.Name, maxName)); err != nil {
		return CouponRecord{}, err
	}
	in := rec.input()
	in.Name = up.Name.Or(in.Name)
	in.CouponType = up.CouponType.Or(in.CouponType)
	in.PercentOff = changed(in.PercentOff, up.PercentOff)
	in.AmountOff = changed(in.AmountOff, up.AmountOff)
	in.Currency = changed(in.Currency, up.Currency)
	in.Duration = up.Duration.Or(in.Duration)
	in.DurationInMonths = changed(in.DurationInMonths, up.DurationInMonths)
	in.MaxRedemptions = changed(in.MaxRedemptions, up.MaxRedemptions)
	in.LimitToProducts = up.LimitToProducts.Or(in.LimitToProducts)
	in.ProductIDs = up.ProductIDs.Or(in.ProductIDs)
	in.Valid = changed(in.Valid, up.Valid)
	in.RedeemBy = changed(in.RedeemBy, up.RedeemBy)
	if err := p.checkCoupon(&in, up); err != nil {
		return CouponRecord{}, err
	}
	p.fillCoupon(&rec, in)
	return rec, nil
}

// checkCouponUpdate checks an update by itself, before its coupon is looked up:
// as one of a coupon that has everything. What null takes away is missed, if at
// all, in the stored coupon.
func (p *Program) checkCouponUpdate(up CouponUpdate) error {
	up.PercentOff, up.AmountOff = unlessNull(up.PercentOff), unlessNull(up.AmountOff)
	up.Currency, up.DurationInMonths = unlessNull(up.Currency), unlessNull(up.DurationInMonths)
	_, err := p.mergeCoupon(CouponRecord{
		Name: "x", Type: CouponPercentage, PercentOff: PercentFromScaled(amountScale), AmountOff: AmountFromScaled(1),
		Currency: p.cfg.Currency, Duration: DurationForever, DurationInMonths: 1, ProductIDs: []string{"x"},
	}, up)
	return err
}

// input is the stored coupon in the shape of a create that would make it.
func (r CouponRecord) input() NewCoupon {
	in := NewCoupon{
		Name: r.Name, CouponType: r.Type, Duration: r.Duration, DurationInMonths: orNull(r.DurationInMonths),
		MaxRedemptions: orNull(r.MaxRedemptions), LimitToProducts: r.LimitToProducts, ProductIDs: r.ProductIDs,
		Valid: Set(r.Valid), ExternalID: r.ExternalID, IntegrationType: r.IntegrationType,
		PercentOff: orNull(r.PercentOff), AmountOff: orNull(r.AmountOff), Currency: orNull(r.Currency),
	}
	if !r.RedeemBy.IsZero() {
		in.RedeemBy = Set(At(r.RedeemBy))
	}
	return in
}
