package affiliate

// Stand-ins; each is deleted when its owner's file arrives.

// --- owner: coupons branch ---

// couponOf: without codes.
func (p *Program) couponOf(rec CouponRecord) Coupon { panic("pending") }

// --- owner: endpoints branch ---

// AddressPolicy says which endpoint URLs and addresses may be called.
type AddressPolicy struct{}

// fanOut writes the deliveries of an event.
func (o *op) fanOut(rec EventRecord) error { return nil }

// --- owner: sales (root) ---

// rateOf: the rate and type that apply to an affiliate without a sale override: own > tier > plan > program.
func (o *op) rateOf(rec AffiliateRecord) (Percent, CommissionType, error) { panic("pending") }

// dropReferral and dropSale remove a record with all that hangs on it inside the running transaction
// (totals moved, children events when CascadeEvents). A commission in a payout: errInPayout.
func (o *op) dropReferral(rec ReferralRecord) error { panic("pending") }
func (o *op) dropSale(rec SaleRecord) error         { panic("pending") }

// --- owner: coupons branch ---

// notifyCode raises the code's revision, stores it and fires promocode.updated with its full body. The caller
// has set UpdatedAt and every changed field.
func (o *op) notifyCode(rec CodeRecord) error { panic("pending") }
