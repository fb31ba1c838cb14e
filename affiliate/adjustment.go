package affiliate

import "github.com/google/uuid"

// An Adjustment is an amount that an affiliate is owed, or owes, besides the
// commissions of sales: a bonus, a correction, a fee. Payouts take it like a
// commission. It is never changed or deleted on its own, but another adjustment can
// reverse it.
//
// Source: docs/money.md 3.
type Adjustment struct {
	ID            uuid.UUID      `json:"id"`
	AffiliateID   uuid.UUID      `json:"affiliateId"`
	SaleID        Opt[SaleID]    `json:"saleId"` // may outlive the sale
	Kind          AdjustmentKind `json:"kind"`
	Amount        Amount         `json:"amount"` // negative: the affiliate owes it
	Reason        string         `json:"reason"`
	BonusReason   Opt[string]    `json:"bonusReason"` // Reason of a BONUS, else null
	ExternalID    Opt[string]    `json:"externalId"`
	ReversesID    Opt[uuid.UUID] `json:"reversesId"`
	ReversedByID  Opt[uuid.UUID] `json:"reversedById"`
	PayoutCreated bool           `json:"payoutCreated"`
	PayoutID      Opt[uuid.UUID] `json:"payoutId"` // the payout that holds it
	CreatedAt     Time           `json:"createdAt"`
}

// AdjustmentKind says what an adjustment is for.
type AdjustmentKind string

// The kinds of adjustments.
const (
	AdjustBonus         AdjustmentKind = "BONUS"          // > 0
	AdjustCorrection    AdjustmentKind = "CORRECTION"     // either sign
	AdjustDisputeWon    AdjustmentKind = "DISPUTE_WON"    // > 0; of a sale whose refund was undone
	AdjustChargebackFee AdjustmentKind = "CHARGEBACK_FEE" // < 0; of a sale that was disputed

	// AdjustMove is for a sale that moved to another affiliate although payouts hold
	// commissions of it. Each of these commissions gets an adjustment, which stays in
	// its payout, and one more adjustment takes their sum back. Only Program.UpdateSale
	// records them.
	AdjustMove AdjustmentKind = "MOVE"
)

// AdjustmentParams is the input of Program.RecordAdjustment. It names the
// affiliate by id or by email.
type AdjustmentParams struct {
	Once           `json:"-"`
	AffiliateID    uuid.UUID      `json:"affiliateId,omitzero"`
	AffiliateEmail string         `json:"affiliateEmail,omitzero"`
	SaleID         SaleID         `json:"saleId,omitzero"` // a sale of the affiliate; required by DISPUTE_WON and CHARGEBACK_FEE
	Kind           AdjustmentKind `json:"kind,omitzero"`
	Amount         Amount         `json:"amount"`              // with the sign of its kind; rounded to the digits of the currency
	Currency       Currency       `json:"currency,omitzero"`   // of Amount: the program's, in any letter case; zero: the program's
	Reason         string         `json:"reason" wire:"text"`  // 1–10,000 characters, newlines and tabs allowed
	ExternalID     string         `json:"externalId,omitzero"` // unique among the adjustments of the program

	// Reverses is an earlier adjustment, which this one takes back. Affiliate,
	// sale, kind and amount then come from it and must be left out.
	Reverses uuid.UUID `json:"reversesId,omitzero"`
}

// AdjustmentFilter selects the adjustments that match every field that is set;
// without a field it selects all. An id that is set to null or to zero selects
// nothing.
//
// Source: docs/money.md 3.
type AdjustmentFilter struct {
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	AffiliateEmail Opt[string]    `json:"affiliateEmail,omitzero"`
	SaleID         Opt[SaleID]    `json:"saleId,omitzero"`
	Kind           AdjustmentKind `json:"kind,omitzero"`     // empty: any
	PayoutID       Opt[uuid.UUID] `json:"payoutId,omitzero"` // the payout that holds it
}
