package affiliate

import "github.com/google/uuid"

// A Payout is a record of commissions that are paid together. No money is
// moved. Contract 2.8.
type Payout struct {
	ID            uuid.UUID          `json:"id"`
	AffiliateID   uuid.UUID          `json:"affiliateId"`
	Amount        Amount             `json:"amount"`
	Status        PayoutStatus       `json:"status"`
	PaymentMethod Opt[PaymentMethod] `json:"paymentMethod"`
	PeriodStart   Opt[Time]          `json:"periodStart"` // of its oldest commission
	PeriodEnd     Opt[Time]          `json:"periodEnd"`
	ExternalID    Opt[string]        `json:"externalId"`
	ManuallyPaid  bool               `json:"manuallyPaid"`
	PaidAt        Opt[Time]          `json:"paidAt"`
	FailedReason  Opt[string]        `json:"failedReason"`
	CommissionIDs []CommissionID     `json:"commissionIds"` // oldest first
	CreatedAt     Time               `json:"createdAt"`
	UpdatedAt     Time               `json:"updatedAt"`
}
