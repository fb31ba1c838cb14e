package affiliate

import "github.com/google/uuid"

// PartnerPayout is a payout of the affiliate.
type PartnerPayout struct {
	ID             uuid.UUID          `json:"id"`
	Amount         Amount             `json:"amount"`
	Currency       Currency           `json:"currency"`
	Status         PayoutStatus       `json:"status"`
	PaymentMethod  Opt[PaymentMethod] `json:"paymentMethod"`
	PayeeEmail     Opt[string]        `json:"payeeEmail"` // to which it was sent, as MaskEmail has it
	PeriodStart    Opt[Time]          `json:"periodStart"`
	PeriodEnd      Opt[Time]          `json:"periodEnd"`
	PaidAt         Opt[Time]          `json:"paidAt"`
	FailedReason   Opt[string]        `json:"failedReason"`
	ReturnedAt     Opt[Time]          `json:"returnedAt"`
	ReturnedReason Opt[string]        `json:"returnedReason"`
	CreatedAt      Time               `json:"createdAt"`
}
