package affiliate

import "github.com/google/uuid"

// fullCoupon is the coupon with its codes.
func (o *op) fullCoupon(rec CouponRecord, seen contacts) (Coupon, error) {
	coupon := o.couponOf(rec)
	coupon.PromotionalCodes = []Code{}
	for code, err := range o.tx.Codes.List(Query{Key: Key{Index: OfCoupon, ID: rec.ID}, Desc: true}) {
		if err != nil {
			return Coupon{}, err
		}
		if err := o.appendCode(code, &coupon, seen); err != nil {
			return Coupon{}, err
		}
	}
	return coupon, nil
}

// appendCode appends a code to those of its coupon.
func (o *op) appendCode(code CodeRecord, coupon *Coupon, seen contacts) error {
	contact, err := o.contact(code.AffiliateID, seen)
	if err != nil {
		return err
	}
	coupon.PromotionalCodes = append(coupon.PromotionalCodes, codeOf(code, Opt[Coupon]{}, contact))
	return nil
}

// codesOf returns the live codes of a coupon, newest first.
func (o *op) codesOf(coupon uuid.UUID) ([]CodeRecord, error) {
	return gather(o.tx.Codes, Query{Key: Key{Index: OfCoupon, ID: coupon}, Desc: true})
}
