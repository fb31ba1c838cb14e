package affiliate

import "github.com/google/uuid"

// ReferralQuery selects the referrals that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type ReferralQuery struct {
	AffiliateID Opt[uuid.UUID]     `json:"affiliateId,omitzero"`
	Status      SubscriptionStatus `json:"subscriptionStatus,omitzero"` // empty: any
	Since       Opt[Date]          `json:"since,omitzero"`              // created then or later; a plain date is its first millisecond
	Until       Opt[Date]          `json:"until,omitzero"`              // created then or earlier; a plain date is its last millisecond
	OldestFirst bool               `json:"oldestFirst,omitzero"`        // false: newest first
	Search      Opt[string]        `json:"search,omitzero"`             // 1–100 characters: exactly an id, email or external id; else a part of a name or email
}
