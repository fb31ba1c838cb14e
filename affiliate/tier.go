package affiliate

import "github.com/google/uuid"

// A Tier is a rank that affiliates reach by their results.
//
// Source: docs/contract.md 2.10.
type Tier struct {
	ID             uuid.UUID     `json:"id"`
	Tier           int64         `json:"tier"` // rank, 1 lowest
	Name           string        `json:"name"`
	Emoji          Opt[string]   `json:"emoji"`
	MinReferrals   int64         `json:"minReferrals"` // live ones
	MinRevenue     Amount        `json:"minRevenue"`   // of what is kept of live sales
	ConditionType  ConditionType `json:"conditionType"`
	CommissionRate Opt[Percent]  `json:"commissionRate"`     // of the program's commission type; null: no rate
	CreatedAt      Time          `json:"createdAt,omitzero"` // not in events
	UpdatedAt      Time          `json:"updatedAt,omitzero"` // not in events
}

// NewTier is the input of Program.CreateTier. Tier and Name are required.
type NewTier struct {
	Tier          int64         `json:"tier,omitzero"`         // rank, 1 lowest; ranks need not be unique
	Name          string        `json:"name" wire:"text"`      // 1–255 characters
	Emoji         string        `json:"emoji,omitzero"`        // empty: none
	MinReferrals  int64         `json:"minReferrals,omitzero"` // live referrals, ≥ 0
	MinRevenue    Amount        `json:"minRevenue,omitzero"`   // of what is kept of live sales, ≥ 0
	ConditionType ConditionType `json:"conditionType,omitzero"`
	Rate          Opt[Percent]  `json:"commissionRate,omitzero"` // not given: no rate
}

// TierUpdate is the input of Program.UpdateTier. A field that is not given
// stays as it is.
type TierUpdate struct {
	Tier          Opt[int64]         `json:"tier,omitzero"`
	Name          Opt[string]        `json:"name,omitzero" wire:"text"`
	Emoji         Opt[string]        `json:"emoji,omitzero"` // null: none
	MinReferrals  Opt[int64]         `json:"minReferrals,omitzero"`
	MinRevenue    Opt[Amount]        `json:"minRevenue,omitzero"`
	ConditionType Opt[ConditionType] `json:"conditionType,omitzero"`
	Rate          Opt[Percent]       `json:"commissionRate,omitzero"` // null: no rate
}
