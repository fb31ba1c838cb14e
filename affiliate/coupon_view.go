package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// judgedCoupon is the coupon with its usability, and without its codes.
func (o *op) judgedCoupon(rec *CouponRecord) Coupon {
	coupon := o.couponOf(*rec)
	coupon.Usability = Set(o.usabilityOfCoupon(rec))
	return coupon
}

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

// A couponReply is a changed coupon that is not built yet: that is done after
// the transaction has ended.
type couponReply struct {
	body   couponBody
	stored *Coupon // from a receipt
}

// couponAnswer is [write] for a write that answers a coupon.
func couponAnswer(o *op, rq request, fn func() (couponReply, error)) (Coupon, error) {
	reply, err := write(o, rq, fn)
	if err != nil {
		return Coupon{}, err
	}
	return reply.coupon(), nil
}

// coupon is the coupon as the API answers it.
func (r *couponReply) coupon() Coupon {
	if r.stored != nil {
		return *r.stored
	}
	return r.body.full()
}

var _ keeper = (*couponReply)(nil)

// KeepAnswer and RestoreAnswer convert a reply to and from its receipt, which keeps what
// the event keeps: the JSON of a coupon with many codes has megabytes.
func (r *couponReply) KeepAnswer() (answer StoredAnswer, outcome string) {
	return lateAnswer(r.body), ""
}

func (r *couponReply) RestoreAnswer(answer []byte, _ string) error {
	return json.Unmarshal(answer, &r.stored)
}
