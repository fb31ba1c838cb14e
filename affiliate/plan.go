package affiliate

import "github.com/google/uuid"

// Terms say what a sale earns.
type Terms struct {
	Type        CommissionType // zero: PERCENTAGE
	Rate        Percent        // 0–100; FLAT: an amount for each payment, ≥ 0
	MaxPayments int64          // per referral; 0: no limit
	MaxMonths   int64          // since the referral; 0: no limit
}

// A Plan is a set of terms that affiliates can be put on. Contract 2.9.
type Plan struct {
	ID                 uuid.UUID      `json:"id"`
	Name               string         `json:"name"`
	CommissionRate     Percent        `json:"commissionRate"` // FLAT: an amount
	CommissionType     CommissionType `json:"commissionType"`
	NumberOfPayments   Opt[int64]     `json:"numberOfPayments"` // null: no stop
	NumberOfMonths     Opt[int64]     `json:"numberOfMonths"`   // null: no stop
	PaymentTrigger     PaymentTrigger `json:"paymentTrigger"`
	AutoApproveRewards bool           `json:"autoApproveRewards"` // false: new commissions are ON_HOLD
	RewardType         RewardType     `json:"rewardType"`
}

// A Tier is a rank that affiliates reach by their results. Contract 2.10.
type Tier struct {
	ID             uuid.UUID     `json:"id"`
	Tier           int64         `json:"tier"` // rank, 1 lowest
	Name           string        `json:"name"`
	Emoji          Opt[string]   `json:"emoji"`
	MinReferrals   int64         `json:"minReferrals"`
	MinRevenue     Amount        `json:"minRevenue"`
	ConditionType  ConditionType `json:"conditionType"`
	CommissionRate Opt[Percent]  `json:"commissionRate"` // null: none of its own
}
