package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A Payout is a record of commissions and adjustments that are paid together.
// The engine moves no money.
//
// Source: docs/contract.md 2.8.
type Payout struct {
	ID             uuid.UUID          `json:"id"`
	AffiliateID    uuid.UUID          `json:"affiliateId"`
	Amount         Amount             `json:"amount"` // > 0: the sum of what it took
	Currency       Currency           `json:"currency"`
	Status         PayoutStatus       `json:"status"`
	PaymentMethod  Opt[PaymentMethod] `json:"paymentMethod"` // with PayeeName and PayeeEmail: of the affiliate when the payout was created
	PayeeName      Opt[string]        `json:"payeeName"`
	PayeeEmail     Opt[string]        `json:"payeeEmail"`  // the payout email
	PeriodStart    Opt[Time]          `json:"periodStart"` // of its oldest commission
	PeriodEnd      Opt[Time]          `json:"periodEnd"`
	ExternalID     Opt[string]        `json:"externalId"`
	ManuallyPaid   bool               `json:"manuallyPaid"`
	PaidAt         Opt[Time]          `json:"paidAt"` // also of one that is RETURNED
	FailedReason   Opt[string]        `json:"failedReason"`
	CanceledAt     Opt[Time]          `json:"canceledAt"`
	ReturnedAt     Opt[Time]          `json:"returnedAt"`     // when it was said that the money came back
	ReturnedReason Opt[string]        `json:"returnedReason"` // why it came back
	CommissionIDs  []CommissionID     `json:"commissionIds"`  // oldest first; after CANCELED or RETURNED they are free again, and may have been deleted
	AdjustmentIDs  []uuid.UUID        `json:"adjustmentIds"`  // oldest first
	RunID          Opt[uuid.UUID]     `json:"runId"`          // null: no run made it
	CreatedAt      Time               `json:"createdAt"`
	UpdatedAt      Time               `json:"updatedAt"`
}

// NewPayout is the input of Program.CreatePayout. It names the affiliate by id
// or by email.
type NewPayout struct {
	AffiliateID    uuid.UUID `json:"affiliateId,omitzero"`
	AffiliateEmail string    `json:"affiliateEmail,omitzero"`
	Until          time.Time `json:"until,omitzero" wire:"end"` // sales until this time, inclusive, by their millisecond; zero: now. Negative amounts are taken whatever their time.
	ExternalID     string    `json:"externalId,omitzero"`       // the host's own id of the payment
	ManuallyPaid   bool      `json:"manuallyPaid,omitzero"`     // the host has paid already: the payout starts as PAID
	Minimum        Amount    `json:"minimum,omitzero"`          // ≥ 0; nothing is paid below it
	Currency       Currency  `json:"currency,omitzero"`         // of Minimum: the program's, in any letter case; zero: the program's
}

// PayoutFilter selects the payouts that match every field that is set; without
// a field it selects all. A field that is set to null or to a zero value
// selects nothing.
//
// Source: docs/contract.md 2.8; docs/money.md 4.
type PayoutFilter struct {
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	AffiliateEmail Opt[string]    `json:"affiliateEmail,omitzero"`
	Status         PayoutStatus   `json:"status,omitzero"` // empty: any
	RunID          Opt[uuid.UUID] `json:"runId,omitzero"`
	Method         PaymentMethod  `json:"method,omitzero"` // kept with the payout; empty: any or none
}
