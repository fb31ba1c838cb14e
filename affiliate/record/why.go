package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Why is what decided a sale when it was recorded, so far as its other fields do
// not say it. The zero Why is that of a sale older than this field.
//
// Source: docs/money.md 10.
type Why struct {
	By       affiliate.Enum[affiliate.CreditedBy]
	RateFrom affiliate.Enum[affiliate.RateSource]
	PlanFrom affiliate.Enum[affiliate.PlanSource]
	Over     affiliate.Enum[affiliate.OverLimit] // empty: the terms gave a commission
	Deduct   affiliate.Enum[affiliate.Deduction]
	Click    int64     `json:",omitzero"` // the number of the click that credited the affiliate
	Payment  int64     `json:",omitzero"` // this was the customer's n-th payment; 0: nobody's, or no payment
	PlanID   uuid.UUID // zero: the program's terms
	TierID   uuid.UUID // the tier that gave the rate; zero: none did
}
