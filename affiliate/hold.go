package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// HoldState is where a hold stands.
type HoldState string

// The states of holds.
const (
	HoldHeld      HoldState = "HELD"      // it keeps a place
	HoldConfirmed HoldState = "CONFIRMED" // a sale took the place
	HoldReleased  HoldState = "RELEASED"  // the caller gave the place back
	HoldLapsed    HoldState = "LAPSED"    // its time is over, and the place is free
)

// HoldParams is the input of Program.HoldRedemption: a code, the facts of an order as in a
// preview, and until when a place is kept for it. Commission of the order is not used.
type HoldParams struct {
	ID string `json:"id"` // the caller's, such as that of the checkout: 1–255 characters, unique in the program
	Order
	Until time.Time `json:"until,omitzero" wire:"end"` // after now, at most 24 hours
}

// HoldFilter chooses holds by their code, or else by their coupon.
type HoldFilter struct {
	CodeID   Opt[uuid.UUID] `json:"codeId,omitzero"`
	CouponID Opt[uuid.UUID] `json:"couponId,omitzero"`
}

// MaxHold is the longest time that a place is held for, from the call on.
const MaxHold = 24 * time.Hour

// A Hold keeps a place of a code, of its coupon, of the customer and of the budget while the
// customer pays, with the price that the customer sees. It gives the place back when its
// time is over; nothing has to run for that.
//
// Source: docs/contract.md 3.10.
type Hold struct {
	ID              string        `json:"id"` // the caller's
	State           HoldState     `json:"state"`
	PromotionalCode Opt[CodeName] `json:"promotionalCode"` // null: an offer, or the code was deleted
	CouponID        uuid.UUID     `json:"couponId"`
	Currency        Currency      `json:"currency"`   // of what follows
	Subtotal        Opt[Amount]   `json:"subtotal"`   // what was priced; null: the order said no amount
	Discount        Opt[Amount]   `json:"discount"`   // of Subtotal; null when that is
	Total           Opt[Amount]   `json:"total"`      // to charge, before tax and shipping; null when Subtotal is
	Unverified      []Reason      `json:"unverified"` // as in [Evaluation]; empty in the answers of GetHold and ReleaseHold
	Lines           []SaleLine    `json:"lines,omitempty"`
	SaleID          Opt[SaleID]   `json:"saleId"` // null unless CONFIRMED by a sale
	Until           Time          `json:"until"`
	CreatedAt       Time          `json:"createdAt"`
	UpdatedAt       Time          `json:"updatedAt"`
}
