package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// PayoutRun is the input of Program.RunPayouts and Program.PreviewPayouts:
// the settings of a run that pays every affiliate to whom enough is due.
//
// Source: docs/money.md 6.
type PayoutRun struct {
	ExternalID   string          `json:"externalId,omitzero" wire:"name"` // required: the run's identity, 1–255 characters; a preview needs none
	Until        time.Time       `json:"until,omitzero" wire:"end"`       // as of [NewPayout]; zero: the moment of the first call
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
