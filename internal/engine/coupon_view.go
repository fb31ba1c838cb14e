package engine

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// judgedCoupon returns the coupon with its usability and what is left of its budget, and without its codes.
func (o *Op) judgedCoupon(rec *record.Coupon) (affiliate.Coupon, error) {
	coupon := o.CouponOf(*rec)
	usability, err := o.usabilityOfCoupon(rec)
	if err != nil {
		return coupon, err
	}
	coupon.Usability = affiliate.Set(usability)
	coupon.BudgetLeft, err = o.BudgetLeft(rec)
	return coupon, err
}

// fullCoupon returns the coupon with its codes.
func (o *Op) fullCoupon(rec record.Coupon, seen Contacts) (affiliate.Coupon, error) {
	coupon := o.CouponOf(rec)
	coupon.PromotionalCodes = []affiliate.Code{}
	for code, err := range o.Tx.Codes.List(record.Query{Key: record.Key{Index: record.OfCoupon, ID: rec.ID}, Desc: true}) {
		if err != nil {
			return affiliate.Coupon{}, err
		}
		if err := o.appendCode(code, &coupon, seen); err != nil {
			return affiliate.Coupon{}, err
		}
	}
	return coupon, nil
}

// appendCode appends a code to those of its coupon.
func (o *Op) appendCode(code record.Code, coupon *affiliate.Coupon, seen Contacts) error {
	contact, err := o.contact(code.AffiliateID, seen)
	if err != nil {
		return err
	}
	coupon.PromotionalCodes = append(coupon.PromotionalCodes, CodeOf(code, affiliate.Opt[affiliate.Coupon]{}, contact))
	return nil
}

// codesOf returns the live codes of a coupon, newest first.
func (o *Op) codesOf(coupon uuid.UUID) ([]record.Code, error) {
	return Gather(o.Tx.Codes, record.Query{Key: record.Key{Index: record.OfCoupon, ID: coupon}, Desc: true})
}

// A couponReply is a changed coupon whose answer is built later, after the transaction.
type couponReply struct {
	body   CouponBody
	stored *affiliate.Coupon // from a receipt
}

// couponAnswer is [write] for a write that answers a coupon.
func couponAnswer(o *Op, rq Request, fn func() (couponReply, error)) (affiliate.Coupon, error) {
	reply, err := Write(o, rq, fn)
	if err != nil {
		return affiliate.Coupon{}, err
	}
	return reply.coupon(), nil
}

// coupon returns the coupon as the API answers it.
func (r *couponReply) coupon() affiliate.Coupon {
	if r.stored != nil {
		return *r.stored
	}
	return r.body.full()
}

var _ Keeper = (*couponReply)(nil)

// KeepAnswer and RestoreAnswer convert a reply to and from its receipt. The receipt
// keeps the records that the event keeps too: the JSON of a coupon with many codes has
// megabytes.
func (r *couponReply) KeepAnswer() (answer record.Payload, outcome string) {
	return record.LatePayload(r.body), ""
}

func (r *couponReply) RestoreAnswer(answer []byte, _ string) error {
	return json.Unmarshal(answer, &r.stored)
}
