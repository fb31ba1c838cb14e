package affiliate

import "github.com/google/uuid"

// CodeQuery selects the codes that match every field that is set. A field that is
// set to null or to a zero value selects nothing, but for Active.
//
// Source: docs/contract.md 4.6.
type CodeQuery struct {
	CouponID    Opt[uuid.UUID] `json:"couponId,omitzero"`
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	Active      Opt[bool]      `json:"active,omitzero"`
	State       CodeState      `json:"state,omitzero"`       // empty: any
	OldestFirst bool           `json:"oldestFirst,omitzero"` // false: newest first
	Search      Opt[string]    `json:"search,omitzero"`      // 1–100 characters: exactly the code; else a part of it
}
