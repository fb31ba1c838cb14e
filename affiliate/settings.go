package affiliate

import (
	"errors"
	"net/url"

	"github.com/google/uuid"
)

// Settings is the part of a program's Config that its administrators see. It
// is read only, because a configuration is code of the host.
//
// Source: docs/contract.md 2.15.
type Settings struct {
	ID uuid.UUID `json:"id"`
	// Shown on links.
	Name string `json:"name"`
	// Of commissions and payouts; a sale may be charged in another one that has a rate.
	Currency Currency `json:"currency"`
	// Where a plain date ends: the name of an IANA zone.
	TimeZone string `json:"timeZone"`
	// The query parameter of the slug.
	URLModifier string `json:"urlModifier"`
	// Those of links from before the program was here; not there: none.
	OldURLModifiers []string `json:"oldUrlModifiers,omitempty"`
	// For how many days of 24 hours a click attributes.
	CookieDuration int `json:"cookieDuration"`
	// Where links lead to.
	Destinations []LinkDestination `json:"destinations"`
	// Whom a sale credits; not there: a code, else the last click, else the affiliate of the
	// customer, for each order anew.
	Attribution Attribution `json:"attribution,omitzero"`
	// What affiliates without a rate, tier or plan of their own earn.
	Terms ProgramTerms `json:"terms"`
	// True: affiliates who are made without a status are ACTIVE. False: INACTIVE.
	AutoApprove bool `json:"autoApprove"`
	// False: tax is deducted before the commission.
	CommissionOnTax bool `json:"commissionOnTax"`
	// False: shipping is deducted before the commission.
	CommissionOnShipping bool `json:"commissionOnShipping"`
	// How long after a sale it may be refunded; null: no limit.
	RefundWindowSeconds Opt[int64] `json:"refundWindowSeconds"`
	// True: a deletion also fires the events of what goes with it.
	CascadeEvents bool `json:"cascadeEvents"`
	// The seconds before each attempt of a delivery; its length is the number of attempts.
	DeliverySchedule []int64 `json:"deliverySchedule"`
}

// LinkDestination is a page that links lead to.
//
// It is a [Destination] in an answer.
type LinkDestination struct {
	// The page.
	URL string `json:"url"`
	// Query parameters that follow the slug.
	//
	// It is never nil.
	Params url.Values `json:"params"`
}

// ProgramTerms are the terms of affiliates without a rate, tier or plan of their own, in
// an answer.
//
// See [Terms].
type ProgramTerms struct {
	// What the rate is.
	CommissionType CommissionType `json:"commissionType"`
	// A percentage, or an amount of the flat type.
	CommissionRate Percent `json:"commissionRate"`
	// It pays for so many payments of a referral; null: no stop.
	NumberOfPayments Opt[int64] `json:"numberOfPayments"`
	// It pays for so many months of a customer; null: no stop.
	NumberOfMonths Opt[int64] `json:"numberOfMonths"`
	// Days of 24 hours until a payout may take the commission of a sale.
	HoldDays int64 `json:"holdDays"`
	// What some lines of some sales earn instead of the rate; not there when there are none.
	Rules []Rule `json:"rules,omitempty"`
	// With what the months of a customer begin: the first payment, or the referral; not there:
	// PAYMENT.
	MonthsFrom MonthsFrom `json:"monthsFrom,omitzero"`
	// What a sale earns at most; not there: no cap.
	MaxPerSale Amount `json:"maxPerSale,omitzero"`
	// What all sales of a customer earn together at most; not there: no cap.
	MaxPerCustomer Amount `json:"maxPerCustomer,omitzero"`
	// The coupon that links give customers without a code; not there: none.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
}

// A SettingsError means that a program was opened with another currency or time zone than the
// store keeps for it, in which its amounts are. The host mends it: open the program
// with what is kept.
//
// Source: docs/rules.md 1.4.
type SettingsError struct {
	Setting string // "currency" or "zone"
	Kept    string // in the store
	Given   string // by the Config
}

// Error names both.
func (e *SettingsError) Error() string {
	return "affiliate: the store keeps the program in " + e.Kept + ", and its Config has the " +
		e.Setting + " " + e.Given
}

// A Destination is a page of the host that links lead to.
type Destination struct {
	URL    string     // absolute; a query in it comes first
	Params url.Values // appended after the slug, in the order of their names
}

// Limits say how much one object may hold, and how much one call may change. When
// a limit is lowered, objects above it stay as they are, and nothing can be added
// to them.
type Limits struct {
	Links   int // of an affiliate; zero: 1,000, because each of its events and sales shows all
	Refunds int // in part, of a sale; zero: 1,000, because each refund rewrites the sale. The refund of the rest is always possible.
	Holds   int // that one customer has open at once; zero: 5
	Nobody  int // holds that name no customer, open at once on one coupon; zero: 100
	Bulk    int // objects that one call makes or changes: codes of GenerateCodes, rows of an import, ids of a call that takes many; zero: 100,000, which is also the maximum
}

// ErrNotFound means that a look-up found nothing. A wrapper of a store must keep it
// testable with errors.Is.
var ErrNotFound = errors.New("affiliate: not found")
