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
	AffiliateID uuid.UUID `json:"affiliateId"`
	Currency    Currency  `json:"currency"`
	Held        Amount    `json:"held"`     // commissions that are ON_HOLD
	Maturing    Amount    `json:"maturing"` // accepted, but not payable yet
	Payable     Amount    `json:"payable"`  // everything else that is open, also below the minimum; less than zero: the affiliate owes it
	InPayout    Amount    `json:"inPayout"` // in payouts that are neither PAID nor CANCELED
	Paid        Amount    `json:"paid"`     // in payouts that are PAID
	Earned      Amount    `json:"earned"`   // the sum of the five
	Movements   int64     `json:"movements"`
	At          Time      `json:"at"` // when it was read
}

// A TotalBalance is what all affiliates together are owed and were paid, at a moment.
//
// Source: docs/money.md 8.1.
type TotalBalance struct {
	Currency   Currency `json:"currency"`
	Held       Amount   `json:"held"`       // commissions that are ON_HOLD
	Maturing   Amount   `json:"maturing"`   // accepted, but not payable yet
	Payable    Amount   `json:"payable"`    // of those to whom something is payable
	InPayout   Amount   `json:"inPayout"`   // in payouts that are neither PAID nor CANCELED
	Debts      Amount   `json:"debts"`      // what affiliates owe: the sum of what is payable to them and less than zero, as an amount above zero
	Owed       Amount   `json:"owed"`       // held, maturing, payable and inPayout, less debts
	Paid       Amount   `json:"paid"`       // in payouts that are PAID
	Earned     Amount   `json:"earned"`     // owed and paid
	Affiliates int64    `json:"affiliates"` // who have a balance that is not zero, also those deleted since
	NotOpen    int64    `json:"notOpen"`    // affiliates who are left out, because their books were not open
	At         Time     `json:"at"`         // the moment
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
	Number       int64             `json:"number"` // 1, 2, 3 … of the affiliate, without a gap
	AffiliateID  uuid.UUID         `json:"affiliateId"`
	At           Time              `json:"at"` // never before the movement before it
	From         Account           `json:"from"`
	To           Account           `json:"to"`
	Amount       Amount            `json:"amount"` // > 0; 0 in a memo
	Cause        Cause             `json:"cause"`
	SaleID       Opt[SaleID]       `json:"saleId"`       // may outlive the sale
	CommissionID Opt[CommissionID] `json:"commissionId"` // null: none, or several
	PayoutID     Opt[uuid.UUID]    `json:"payoutId"`
	AdjustmentID Opt[uuid.UUID]    `json:"adjustmentId"`
	LinkID       Opt[uuid.UUID]    `json:"affiliateLinkId"` // of the sale
	CodeID       Opt[uuid.UUID]    `json:"promotionalCodeId"`
	Sales        int64             `json:"-"`              // change of the number of sales; Go only
	Conversions  int64             `json:"-"`              // change of the number of conversions; Go only
	Revenue      Amount            `json:"revenue"`        // change of the sum of totalEarned
	Refunds      Amount            `json:"refunds"`        // change of the sum of refundedAmount
	Actor        string            `json:"actor,omitzero"` // who moved it, as Program.By or the API said: a person, a key; empty: nobody said
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

// MovementFilter selects the movements that match every field that is set;
// without a field it selects all. An id that is set to null or to zero selects
// nothing. PayoutID and AdjustmentID find the movements of payouts and
// adjustments that still exist.
//
// Source: docs/money.md 8.
type MovementFilter struct {
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	AffiliateEmail Opt[string]    `json:"affiliateEmail,omitzero"`
	SaleID         Opt[SaleID]    `json:"saleId,omitzero"`
	PayoutID       Opt[uuid.UUID] `json:"payoutId,omitzero"`
	AdjustmentID   Opt[uuid.UUID] `json:"adjustmentId,omitzero"`
	Cause          Cause          `json:"cause,omitzero"`             // empty: any
	From           time.Time      `json:"from,omitzero" wire:"start"` // inclusive; zero: the beginning
	To             time.Time      `json:"to,omitzero" wire:"after"`   // exclusive; zero: no end
}
