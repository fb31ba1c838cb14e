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
	// The caller's own id, such as that of the checkout: 1–255 characters, unique among the
	// holds of the program.
	ID string `json:"id"`
	Order
	// Until when the place is kept: after now, at most 24 hours. A plain date is its last
	// millisecond in the program's time zone.
	Until time.Time `json:"until,omitzero" wire:"end"`
}

// HoldQuery chooses holds by their code, or else by their coupon.
type HoldQuery struct {
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
	// The caller's own id.
	ID string `json:"id"`
	// HELD keeps a place. CONFIRMED: a sale took it. RELEASED: it was given back. LAPSED: its
	// time is over.
	State HoldState `json:"state"`
	// The code; null: an offer, or it was deleted.
	PromotionalCode Opt[CodeName] `json:"promotionalCode"`
	// The coupon of the code.
	CouponID uuid.UUID `json:"couponId"`
	// Of the amounts.
	Currency Currency `json:"currency"`
	// What was priced; null when the order said no amount.
	Subtotal Opt[Amount] `json:"subtotal"`
	// What comes off subtotal; null when that is.
	Discount Opt[Amount] `json:"discount"`
	// What is left to charge, before tax and shipping; null when subtotal is.
	Total Opt[Amount] `json:"total"`
	// As in a preview; empty in the answers of the other operations.
	Unverified []Reason `json:"unverified"`
	// The lines of the order, with what the code takes off each; not there without lines.
	Lines []SaleLine `json:"lines,omitempty"`
	// The sale that confirmed it; null: none.
	SaleID Opt[SaleID] `json:"saleId"`
	// When it lapses.
	Until     Time `json:"until"`
	CreatedAt Time `json:"createdAt"`
	UpdatedAt Time `json:"updatedAt"`
}
