package affiliate

import "github.com/google/uuid"

// AffiliateQuery selects the affiliates that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type AffiliateQuery struct {
	Status      AffiliateStatus `json:"status,omitzero"`           // empty: any
	ExternalID  Opt[string]     `json:"externalId,omitzero"`       // the host's own id of it
	PlanID      Opt[uuid.UUID]  `json:"commissionPlanId,omitzero"` // the plan they are on
	TierID      Opt[uuid.UUID]  `json:"commissionTierId,omitzero"` // the tier they are in
	OldestFirst bool            `json:"oldestFirst,omitzero"`      // false: newest first
	Search      Opt[string]     `json:"search,omitzero"`           // 1–100 characters: exactly an id, external id, email or slug; else a part of a name or email
}
