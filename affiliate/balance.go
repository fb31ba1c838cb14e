package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A Balance is what an affiliate is owed and what was paid, from the stored
// sums of the affiliate's movements.
//
// Source: docs/money.md 8.
type Balance struct {
	AffiliateID uuid.UUID `json:"affiliateId"` // Whose it is.
	Currency    Currency  `json:"currency"`    // The currency of the program.
	Held        Amount    `json:"held"`        // Commissions that are ON_HOLD.
	Maturing    Amount    `json:"maturing"`    // Accepted, but not payable yet.
	// What the next payouts take: all else that is open, also below the minimum; below zero the
	// affiliate owes it.
	Payable   Amount `json:"payable"`
	InPayout  Amount `json:"inPayout"`  // In payouts that are neither PAID nor CANCELED.
	Paid      Amount `json:"paid"`      // In payouts that are PAID.
	Earned    Amount `json:"earned"`    // The sum of the five.
	Movements int64  `json:"movements"` // How many movements there are.
	At        Time   `json:"at"`        // When it was read.
}

// A TotalBalance is what all affiliates together are owed and were paid, at a moment.
//
// Source: docs/money.md 8.1.
type TotalBalance struct {
	Currency Currency `json:"currency"` // Of the program.
	Held     Amount   `json:"held"`     // Commissions that are ON_HOLD.
	Maturing Amount   `json:"maturing"` // Accepted, but not payable yet.
	Payable  Amount   `json:"payable"`  // Of those to whom something is payable.
	InPayout Amount   `json:"inPayout"` // In payouts that are neither PAID nor CANCELED.
	// What affiliates owe: the sum of what is payable to them and below zero, as an amount above
	// zero.
	Debts Amount `json:"debts"`
	// What is held, maturing, payable and in payouts, less debts.
	Owed   Amount `json:"owed"`
	Paid   Amount `json:"paid"`   // In payouts that are PAID.
	Earned Amount `json:"earned"` // What is owed and what was paid.
	// How many have a balance that is not zero, also those deleted since.
	Affiliates int64 `json:"affiliates"`
	// How many are left out, because their books were not open.
	NotOpen int64 `json:"notOpen"`
	At      Time  `json:"at"` // The moment.
}

// A Movement is one change of what an affiliate is owed: an amount that goes
// from one of its accounts to another. Movements are never changed and never
// deleted, so they explain every balance and every statement.
//
// A sale, a refund or a deletion that moves no commission leaves a memo: a
// movement of 0 from ACCRUAL to ACCRUAL.
//
// Source: docs/money.md 8.
type Movement struct {
	// 1, 2, 3 and so on of the affiliate, without a gap.
	Number int64 `json:"number"`
	// Whose it is.
	AffiliateID uuid.UUID `json:"affiliateId"`
	// Never before the movement before it.
	At Time `json:"at"`
	// The account that the amount leaves.
	From Account `json:"from"`
	// The account that the amount enters.
	To Account `json:"to"`
	// Above 0; 0 when no commission moved.
	Amount Amount `json:"amount"`
	// What was done.
	Cause Cause `json:"cause"`
	// The sale; it may be gone.
	SaleID Opt[SaleID] `json:"saleId"`
	// The commission; null: none, or several.
	CommissionID Opt[CommissionID] `json:"commissionId"`
	// The payout.
	PayoutID Opt[uuid.UUID] `json:"payoutId"`
	// The adjustment.
	AdjustmentID Opt[uuid.UUID] `json:"adjustmentId"`
	// The link of the sale.
	LinkID Opt[uuid.UUID] `json:"affiliateLinkId"`
	// The promotional code of the sale.
	CodeID      Opt[uuid.UUID] `json:"promotionalCodeId"`
	Sales       int64          `json:"-"` // change of the number of sales; Go only
	Conversions int64          `json:"-"` // change of the number of conversions; Go only
	// The change of the sum of TotalEarned.
	Revenue Amount `json:"revenue"`
	// The change of the sum of RefundedAmount.
	Refunds Amount `json:"refunds"`
	// Who moved it: the name of the API key, or who was logged in; not there when nobody said.
	//
	// See Program.By.
	Actor string `json:"actor,omitzero"`
}

// An Account is one of the five accounts of an affiliate.
type Account string

// The accounts.
const (
	AccountAccrual  Account = "ACCRUAL"   // the program's cost, as a negative number
	AccountHeld     Account = "HELD"      // commissions that are ON_HOLD
	AccountPayable  Account = "PAYABLE"   // what the next payouts take, now or once it matures; may be negative
	AccountInPayout Account = "IN_PAYOUT" // what payouts hold that are PENDING, PROCESSING or FAILED
	AccountPaid     Account = "PAID"
)

var accounts = []Account{AccountAccrual, AccountHeld, AccountPayable, AccountInPayout, AccountPaid}

// A Cause is the operation that moved an amount.
type Cause string

// The causes of movements.
const (
	CauseSale           Cause = "SALE"
	CauseUpdate         Cause = "UPDATE"    // of a sale, or a recalculation
	CauseMove           Cause = "MOVE"      // a sale moved to another affiliate; both have a movement
	CauseRefund         Cause = "REFUND"    // that changed a commission in place
	CauseClawBack       Cause = "CLAW_BACK" // a refund of a sale with a commission that a payout took, also one that was canceled since
	CauseReview         Cause = "REVIEW"
	CauseDeletion       Cause = "DELETION" // of a sale, or of an adjustment with its affiliate
	CauseForfeit        Cause = "FORFEIT"  // what was owed goes with an affiliate or a customer who is deleted or erased
	CauseAdjustment     Cause = "ADJUSTMENT"
	CausePayoutCreated  Cause = "PAYOUT_CREATED"
	CausePayoutPaid     Cause = "PAYOUT_PAID"
	CausePayoutCanceled Cause = "PAYOUT_CANCELED"
	CauseOpening        Cause = "OPENING"         // what was there when the books were opened
	CausePayoutReturned Cause = "PAYOUT_RETURNED" // what was paid came back
	CauseMerge          Cause = "MERGE"           // an affiliate was merged into another one; both have a movement
)

var causes = []Cause{
	CauseSale, CauseUpdate, CauseRefund, CauseClawBack, CauseReview, CauseDeletion, CauseForfeit, CauseAdjustment,
	CausePayoutCreated, CausePayoutPaid, CausePayoutCanceled, CauseOpening, CausePayoutReturned, CauseMove, CauseMerge,
}

// MovementQuery selects the movements that match every field that is set;
// without a field it selects all. An id that is set to null or to zero selects
// nothing. PayoutID and AdjustmentID find the movements of payouts and
// adjustments that still exist.
//
// Source: docs/money.md 8.
type MovementQuery struct {
	// The movements of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The movements of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// The movements of this sale.
	SaleID Opt[SaleID] `json:"saleId,omitzero"`
	// The movements of this payout.
	PayoutID Opt[uuid.UUID] `json:"payoutId,omitzero"`
	// The movements of this adjustment.
	AdjustmentID Opt[uuid.UUID] `json:"adjustmentId,omitzero"`
	// The movements with this cause; not given: any.
	Cause Cause `json:"cause,omitzero"`
	// Then or later; a plain date is its first instant. Not given: the beginning.
	From time.Time `json:"from,omitzero" wire:"start"`
	// Before then; a plain date includes its day. Not given: no end.
	To time.Time `json:"to,omitzero" wire:"after"`
}
