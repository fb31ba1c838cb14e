package partner

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Payout is a payout of the affiliate.
type Payout struct {
	ID             uuid.UUID                              `json:"id"`
	Amount         affiliate.Amount                       `json:"amount"`
	Currency       affiliate.Currency                     `json:"currency"`
	Status         affiliate.PayoutStatus                 `json:"status"`
	PaymentMethod  affiliate.Opt[affiliate.PaymentMethod] `json:"paymentMethod"`
	PayeeEmail     affiliate.Opt[string]                  `json:"payeeEmail"` // to which it was sent, as MaskEmail has it
	PeriodStart    affiliate.Opt[affiliate.Time]          `json:"periodStart"`
	PeriodEnd      affiliate.Opt[affiliate.Time]          `json:"periodEnd"`
	PaidAt         affiliate.Opt[affiliate.Time]          `json:"paidAt"`
	FailedReason   affiliate.Opt[string]                  `json:"failedReason"`
	ReturnedAt     affiliate.Opt[affiliate.Time]          `json:"returnedAt"`
	ReturnedReason affiliate.Opt[string]                  `json:"returnedReason"`
	CreatedAt      affiliate.Time                         `json:"createdAt"`
}

// Due is what is owed to the affiliate, and when what matures is payable.
type Due struct {
	Balance affiliate.Balance `json:"balance"`
	Days    []DueDay          `json:"days"` // of Balance.Maturing, which is their sum, the earliest first
}

// DueDay is what becomes payable on a day.
type DueDay struct {
	Day    affiliate.Time   `json:"day"` // its beginning, in the program's zone
	Amount affiliate.Amount `json:"amount"`
}
