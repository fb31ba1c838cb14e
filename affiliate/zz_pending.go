package affiliate

import "github.com/google/uuid"

// Stand-ins; each is deleted when its owner's file arrives.

// --- owner: coupons branch ---

// couponOf: without codes.
func (p *Program) couponOf(rec CouponRecord) Coupon { panic("pending") }

// --- owner: coupons branch ---
type customer struct {
	known    bool
	email    string
	referral ReferralRecord
}
type order struct {
	total     Opt[Amount]
	customer  customer
	affiliate uuid.UUID
	product   string
}
type verdict struct {
	found      bool
	code       CodeRecord
	coupon     CouponRecord
	failures   []Failure
	unverified []Reason
}

func (o *op) judge(code string, ord order) (verdict, error) { panic("pending") }
func (v verdict) refusal() error                            { panic("pending") }

// --- owner: coupons branch ---

// notifyCode raises the code's revision, stores it and fires promocode.updated with its full body. The caller
// has set UpdatedAt and every changed field.
func (o *op) notifyCode(rec CodeRecord) error { panic("pending") }
