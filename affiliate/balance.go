package affiliate

import "github.com/google/uuid"

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
