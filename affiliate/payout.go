package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A Payout is a record of commissions that are paid together. The engine moves
// no money.
//
// Source: docs/contract.md 2.8.
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

// NewPayout is the input of [Program.CreatePayout].
type NewPayout struct {
	AffiliateID  uuid.UUID
	Until        time.Time // sales until this time, inclusive; zero: now
	ExternalID   string    // the host's own id of the payment
	ManuallyPaid bool      // the host has paid already: the payout starts as PAID
}

// PayoutFilter selects the payouts that match every field that is set; without
// a field it selects all. A field that is set to null or to a zero value
// selects nothing.
//
// Source: docs/contract.md 2.8.
type PayoutFilter struct{ AffiliateID Opt[uuid.UUID] }

func payoutOf(rec PayoutRecord) Payout {
	ids := make([]CommissionID, len(rec.Commissions))
	for i, n := range rec.Commissions {
		ids[i] = CommissionID(n)
	}
	return Payout{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Amount: rec.Amount, Status: rec.Status,
		PaymentMethod: orNull(rec.PaymentMethod), PeriodStart: timeOrNull(rec.PeriodStart),
		PeriodEnd: timeOrNull(rec.PeriodEnd), ExternalID: orNull(rec.ExternalID), ManuallyPaid: rec.ManuallyPaid,
		PaidAt: timeOrNull(rec.PaidAt), FailedReason: orNull(rec.FailedReason), CommissionIDs: ids,
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}
}
