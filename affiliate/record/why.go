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

// What may credit an affiliate: a promotional code; of referralId a click, a
// slug, an affiliate id, or a referral by its id or email; else the referral
// with the customer's email.
const (
	CreditUnknown affiliate.CreditedBy = "UNKNOWN" // the sale is older than this field
)

// The sources of a rate: it was given for the sale, or is the affiliate's own,
// their tier's, the plan's or the program's.
const (
	RateUnknown affiliate.RateSource = "UNKNOWN" // the sale is older than this field
)

// The sources of a plan: there is none, and the terms are the program's; it is
// the affiliate's; it was set for the customer.
const (
	PlanUnknown affiliate.PlanSource = "UNKNOWN" // the sale is older than this field
)
