package affiliate

import "slices"

// Bodies of coupon and code events. They keep records, which are much smaller
// than the answers, and encode them when the payload is first read.

// couponBody is the body of coupon.created and coupon.updated: the JSON of a
// [Coupon] with all its codes, newest first.
type couponBody struct {
	coupon   Coupon       // without codes
	codes    []CodeRecord // oldest first
	contacts contacts     // of their affiliates
	own      *ownLists    // where codes and contacts are; nil: they are not shared
}

// couponBody reads the body of a coupon's event.
func (o *op) couponBody(rec CouponRecord) (couponBody, error) {
	codes, err := o.codesOf(rec.ID)
	if err != nil {
		return couponBody{}, err
	}
	seen := contacts{}
	for _, code := range codes {
		if _, err := o.contact(code.AffiliateID, seen); err != nil {
			return couponBody{}, err
		}
	}
	return o.lists.freezeCoupon(o.couponOf(rec), codes, seen), nil
}

// MarshalJSON writes the coupon.
func (b couponBody) MarshalJSON() ([]byte, error) { return b.AppendAnswer(nil), nil }

// appendAnswer appends the coupon, in events and in answers.
func (b couponBody) AppendAnswer(dst []byte) []byte {
	dst = slices.Grow(dst, 1024+640*len(b.codes))
	dst = openCodes(&b.coupon, dst)
	for i, rec := range slices.Backward(b.codes) {
		if i < len(b.codes)-1 {
			dst = append(dst, ',')
		}
		code := codeOf(rec, Opt[Coupon]{}, b.contacts.of(rec))
		dst = code.AppendJSON(dst)
	}
	return append(dst, "]}"...)
}

// openCodes appends a coupon without codes, and the beginning of their list, which is
// its last member.
func openCodes(c *Coupon, dst []byte) []byte {
	dst = c.AppendJSON(dst)
	return append(dst[:len(dst)-1], `,"promotionalCodes":[`...)
}

// full is the coupon as the API answers it. It shares no memory with the body.
func (b couponBody) full() Coupon {
	coupon := b.coupon
	coupon.ProductIDs = slices.Clone(coupon.ProductIDs)
	coupon.PromotionalCodes = make([]Code, 0, len(b.codes))
	for _, rec := range slices.Backward(b.codes) {
		coupon.PromotionalCodes = append(coupon.PromotionalCodes, codeOf(rec, Opt[Coupon]{}, b.contacts.of(rec)))
	}
	return coupon
}

// codeBody is the body of promocode.created and promocode.updated: the JSON of
// a [Code]. The codes of a batch share their parents.
type codeBody struct {
	code    CodeRecord
	parents *codeParents
}

// MarshalJSON writes the code.
func (b codeBody) MarshalJSON() ([]byte, error) {
	code := codeOf(b.code, b.parents.coupon, b.parents.affiliate)
	return code.AppendJSON(make([]byte, 0, 1536)), nil
}
