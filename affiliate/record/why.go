package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Why holds what decided a sale when it was recorded, as far as its other fields
// do not say it. Sales that are older than this field have the zero Why.
//
// Source: docs/money.md 10.
type Why struct {
	By       affiliate.Enum[affiliate.CreditedBy]
	RateFrom affiliate.Enum[affiliate.RateSource]
	PlanFrom affiliate.Enum[affiliate.PlanSource]
	Over     affiliate.Enum[affiliate.OverLimit] // that stops the commission; empty: none
	Deduct   affiliate.Enum[affiliate.Deduction]
	Referred bool  `json:",omitzero"` // Month is counted from the referral, and not from the first payment
	Month    int16 `json:",omitzero"` // this was the customer's n-th month; 0: the terms did not ask
	Click    int64 `json:",omitzero"` // the number of the click that credited the affiliate
	Payment  int64 `json:",omitzero"` // this was the customer's n-th payment; 0: nobody's, or no payment
	// What the other sales of the customer earned then; not given: the terms did not ask.
	Earlier affiliate.Opt[affiliate.Amount] `json:",omitzero"`

	PlanID uuid.UUID // zero: the program's terms
	TierID uuid.UUID // the tier that gave the rate; zero: none did
}
