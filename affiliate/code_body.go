package affiliate

// Bodies of coupon and code events. They keep records, which are much smaller
// than the answers, and encode them when the payload is first read.

// couponBody is the body of coupon.created and coupon.updated: the JSON of a
// [Coupon] with all its codes.
type couponBody struct {
	coupon   Coupon       // without codes
	codes    []CodeRecord // newest first
	contacts contacts     // of their affiliates
}

// MarshalJSON writes the coupon.
func (b couponBody) MarshalJSON() ([]byte, error) {
	dst := make([]byte, 0, 1024+640*len(b.codes))
	dst = append(b.coupon.appendTerms(dst), `,"promotionalCodes":[`...)
	for i := range b.codes {
		if i > 0 {
			dst = append(dst, ',')
		}
		code := codeOf(b.codes[i], Opt[Coupon]{}, b.contacts.of(b.codes[i]))
		dst = code.appendJSON(dst)
	}
	return append(dst, "]}"...), nil
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
	return code.appendJSON(make([]byte, 0, 1536)), nil
}
