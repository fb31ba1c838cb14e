package affiliate

import "github.com/google/uuid"

// CouponQuery selects the coupons that match every field that is set. A field
// that is set to null selects nothing.
//
// Source: docs/contract.md 4.6.
type CouponQuery struct {
	ID    Opt[uuid.UUID] `json:"couponId,omitzero"`
	Valid Opt[bool]      `json:"valid,omitzero"`
}
