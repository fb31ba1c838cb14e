package engine

import (
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Bodies of coupon and code events. They keep records, which are much smaller
// than the answers, and encode them when the payload is first read.

// CouponBody is the body of coupon.created and coupon.updated: the JSON of a
// [affiliate.Coupon] with all its codes, newest first.
type CouponBody struct {
	Coupon   affiliate.Coupon // without codes
	Codes    []record.Code    // oldest first
	Contacts Contacts         // of their affiliates
	own      *ownLists        // holds the codes and contacts; nil: they are not shared
}

// couponBody reads the body of a coupon's event.
func (o *Op) couponBody(rec record.Coupon) (CouponBody, error) {
	codes, err := o.codesOf(rec.ID)
	if err != nil {
		return CouponBody{}, err
	}
	seen := Contacts{}
	for _, code := range codes {
		if _, err := o.contact(code.AffiliateID, seen); err != nil {
			return CouponBody{}, err
		}
	}
	return o.lists.freezeCoupon(o.CouponOf(rec), codes, seen), nil
}

// MarshalJSON writes the coupon.
func (b CouponBody) MarshalJSON() ([]byte, error) { return b.Encode(), nil }

// Encode writes the coupon, in events and in answers.
func (b CouponBody) Encode() []byte {
	dst := openCodes(&b.Coupon, make([]byte, 0, 1024+640*len(b.Codes)))
	for i, rec := range slices.Backward(b.Codes) {
		if i < len(b.Codes)-1 {
			dst = append(dst, ',')
		}
		code := CodeOf(rec, affiliate.Opt[affiliate.Coupon]{}, b.Contacts.of(rec))
		dst = code.AppendJSON(dst)
	}
	return append(dst, "]}"...)
}

// openCodes appends a coupon without codes, and opens their list, which is its last
// member.
func openCodes(c *affiliate.Coupon, dst []byte) []byte {
	dst = c.AppendJSON(dst)
	return append(dst[:len(dst)-1], `,"promotionalCodes":[`...)
}

// full returns the coupon as the API answers it. It shares no memory with the body.
func (b CouponBody) full() affiliate.Coupon {
	coupon := b.Coupon
	coupon.ProductIDs = slices.Clone(coupon.ProductIDs)
	coupon.PromotionalCodes = make([]affiliate.Code, 0, len(b.Codes))
	for _, rec := range slices.Backward(b.Codes) {
		coupon.PromotionalCodes = append(coupon.PromotionalCodes, CodeOf(rec, affiliate.Opt[affiliate.Coupon]{}, b.Contacts.of(rec)))
	}
	return coupon
}

// CodeBody is the body of promocode.created and promocode.updated: the JSON of
// a [affiliate.Code]. The codes of a batch share their parents.
type CodeBody struct {
	Code    record.Code
	Parents *CodeParents
}

// MarshalJSON writes the code.
func (b CodeBody) MarshalJSON() ([]byte, error) {
	code := CodeOf(b.Code, b.Parents.Coupon, b.Parents.Affiliate)
	return code.AppendJSON(make([]byte, 0, 1536)), nil
}
