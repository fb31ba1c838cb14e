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

// PayoutParams is the input of Program.CreatePayout. It names the affiliate by id
// or by email.
type PayoutParams struct {
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

// Next returns the statuses that a payout with this status can get. A final
// status has none.
//
// Source: docs/money.md 4.
func (s PayoutStatus) Next() []PayoutStatus {
	switch s {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutPaid:
		return []PayoutStatus{PayoutReturned}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing, PayoutCanceled}
	}
	return nil
}

// A PayoutEntry is something that a payout took: a commission or an adjustment.
type PayoutEntry struct {
	SaleID       Opt[SaleID]         `json:"saleId"`       // of a commission, and of an adjustment that belongs to a sale
	CommissionID Opt[CommissionID]   `json:"commissionId"` // null: it is an adjustment
	AdjustmentID Opt[uuid.UUID]      `json:"adjustmentId"` // null: it is a commission; with one: see [AdjustMove]
	Kind         Opt[AdjustmentKind] `json:"kind"`
	Reason       Opt[string]         `json:"reason"` // of the adjustment
	Amount       Opt[Amount]         `json:"amount"` // as it is now; null: it was deleted since the payout let it go
	At           Opt[Time]           `json:"at"`     // of the sale, or of the entry when it came later
}

// A Transfer is what a payer needs to know of a payout. Package payfile writes
// transfers into the files of payment providers.
//
// Source: docs/money.md 7.
type Transfer struct {
	PayoutID uuid.UUID
	Status   PayoutStatus
	Amount   Amount
	Currency Currency
	Method   PaymentMethod // as Name and Email, the affiliate's when the payout was created; may be empty
	Name     string
	Email    string
	Note     string // to the payee; empty here, for the caller to fill
}

// PayoutRun is the input of Program.RunPayouts and Program.PreviewPayouts:
// the settings of a run that pays every affiliate to whom enough is due.
//
// Source: docs/money.md 6.
type PayoutRun struct {
	ExternalID   string          `json:"externalId,omitzero" wire:"name"` // required: the run's identity, 1–255 characters; a preview needs none
	Until        time.Time       `json:"until,omitzero" wire:"end"`       // as of [PayoutParams]; zero: the moment of the first call
	Minimum      Amount          `json:"minimum,omitzero"`                // of each payout, ≥ 0
	Currency     Currency        `json:"currency,omitzero"`               // of Minimum: the program's, in any letter case; zero: the program's
	Methods      []PaymentMethod `json:"methods,omitempty"`               // only affiliates who are paid in one of these ways; empty: all
	NoDetails    bool            `json:"noDetails,omitzero"`              // also affiliates without a payment method or a payout email
	AffiliateIDs []uuid.UUID     `json:"affiliateIds,omitempty"`          // only these affiliates, at most 10,000; empty: all
	ExceptIDs    []uuid.UUID     `json:"exceptIds,omitempty"`             // and none of these, at most 10,000

	// Limit is how many affiliates one call of RunPayouts examines, 0–1,000; zero: all
	// of them. It is no setting of the run, and a preview ignores it.
	Limit int `json:"limit,omitzero"`
}

// PayoutRunResult is a payout run with its results, or with those so far while it
// is RUNNING.
type PayoutRunResult struct {
	ID         uuid.UUID `json:"id"`
	ExternalID string    `json:"externalId"`
	Status     RunStatus `json:"status"`
	Until      Time      `json:"until"`
	Created    int64     `json:"created"` // payouts
	Skipped    int64     `json:"skipped"` // affiliates with something open who were paid nothing
	Total      Amount    `json:"total"`   // of the payouts
	StartedAt  Time      `json:"startedAt"`
	FinishedAt Opt[Time] `json:"finishedAt"`
}

// A PayoutLine is the result of a run for one affiliate with something open. In a
// preview PayoutID is null.
type PayoutLine struct {
	AffiliateID uuid.UUID       `json:"affiliateId"`
	Amount      Amount          `json:"amount"` // paid, or not paid for the reason
	PayoutID    Opt[uuid.UUID]  `json:"payoutId"`
	Skipped     Opt[SkipReason] `json:"skipped"` // null: it is paid
}

// PayoutItem is one entry that a payout took: a commission by its number, with the
// number of its sale, or an adjustment. It has both when the sale has moved to
// another affiliate since: then the adjustment replaces the commission.
type PayoutItem struct {
	Sale       int64     `json:",omitzero"`
	Commission int64     `json:",omitzero"`
	Adjustment uuid.UUID `json:",omitzero"`
}

// RunCounts sums up lines of a payout run.
type RunCounts struct {
	Created int64
	Skipped int64
	Total   Amount // of the payouts
}
