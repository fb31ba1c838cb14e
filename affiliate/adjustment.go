package affiliate

import "github.com/google/uuid"

// An Adjustment is an amount that an affiliate is owed, or owes, besides the
// commissions of sales: a bonus, a correction, a fee. Payouts take it like a
// commission. It is never changed or deleted on its own, but another adjustment can
// reverse it.
//
// Source: docs/money.md 3.
type Adjustment struct {
	ID          uuid.UUID `json:"id"`
	AffiliateID uuid.UUID `json:"affiliateId"` // Whose it is.
	// The sale that it is about; it may be gone.
	SaleID Opt[SaleID] `json:"saleId"`
	// What it is for. MOVE: a sale was given to another affiliate although payouts held
	// commissions of it; each of these is one, and one takes their sum back.
	Kind        AdjustmentKind `json:"kind"`
	Amount      Amount         `json:"amount"`      // Signed: below zero the affiliate owes it.
	Reason      string         `json:"reason"`      // Why it was made.
	BonusReason Opt[string]    `json:"bonusReason"` // The reason of a BONUS, else null.
	// The caller's own id; unique among the adjustments of the program.
	ExternalID    Opt[string]    `json:"externalId"`
	ReversesID    Opt[uuid.UUID] `json:"reversesId"`    // The adjustment that it takes back.
	ReversedByID  Opt[uuid.UUID] `json:"reversedById"`  // The adjustment that takes it back.
	PayoutCreated bool           `json:"payoutCreated"` // True once a payout holds it.
	PayoutID      Opt[uuid.UUID] `json:"payoutId"`      // The payout, if there is one.
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
	Once `json:"-"`
	// Whose it is: the id, the email or both.
	AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
	// The email of whose it is.
	AffiliateEmail string `json:"affiliateEmail,omitzero"`
	// A sale of the affiliate; DISPUTE_WON and CHARGEBACK_FEE need one.
	SaleID SaleID `json:"saleId,omitzero"`
	// What it is for; required unless another one is reversed.
	Kind AdjustmentKind `json:"kind,omitzero"`
	// With the sign of its kind: above zero for BONUS and DISPUTE_WON, below for CHARGEBACK_FEE,
	// either for CORRECTION; required unless another one is reversed. Rounded to the digits of
	// the currency.
	Amount Amount `json:"amount"`
	// The currency of the amount, in any letter case: the program's, which is also meant when it
	// is not given. Another one is refused.
	Currency Currency `json:"currency,omitzero"`
	// Why it is made: 1–10,000 characters, with line breaks and tabs.
	Reason     string `json:"reason" wire:"text"`
	ExternalID string `json:"externalId,omitzero"`

	// An earlier adjustment that this one takes back. Its affiliate, sale, kind and opposite
	// amount are used, and none of them may be sent.
	Reverses uuid.UUID `json:"reversesId,omitzero"`
}

// AdjustmentQuery selects the adjustments that match every field that is set;
// without a field it selects all. An id that is set to null or to zero selects
// nothing.
//
// Source: docs/money.md 3.
type AdjustmentQuery struct {
	// The adjustments of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The adjustments of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// The adjustments that are about this sale.
	SaleID Opt[SaleID] `json:"saleId,omitzero"`
	// The adjustments of this kind; not given: any.
	Kind AdjustmentKind `json:"kind,omitzero"`
	// The adjustments that this payout holds.
	PayoutID Opt[uuid.UUID] `json:"payoutId,omitzero"`
}
