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
	ID                   uuid.UUID         `json:"id"`
	Name                 string            `json:"name"`
	Currency             Currency          `json:"currency"`
	TimeZone             string            `json:"timeZone"`                  // name of an IANA zone
	URLModifier          string            `json:"urlModifier"`               // the query parameter of the slug
	OldURLModifiers      []string          `json:"oldUrlModifiers,omitempty"` // those of links from before the program was here; not there: none
	CookieDuration       int               `json:"cookieDuration"`            // days for which a click attributes
	Destinations         []LinkDestination `json:"destinations"`
	Attribution          Attribution       `json:"attribution,omitzero"` // not there: the defaults
	Terms                ProgramTerms      `json:"terms"`
	AutoApprove          bool              `json:"autoApprove"` // affiliates created without a status are ACTIVE
	CommissionOnTax      bool              `json:"commissionOnTax"`
	CommissionOnShipping bool              `json:"commissionOnShipping"`
	RefundWindowSeconds  Opt[int64]        `json:"refundWindowSeconds"` // null: no limit
	CascadeEvents        bool              `json:"cascadeEvents"`       // deletes also fire the deleted events of the children
	DeliverySchedule     []int64           `json:"deliverySchedule"`    // seconds before each attempt
}

// LinkDestination is a [Destination] in an answer.
type LinkDestination struct {
	URL    string     `json:"url"`
	Params url.Values `json:"params"` // never nil
}

// ProgramTerms are, in an answer, the [Terms] of affiliates without a rate,
// tier or plan of their own.
type ProgramTerms struct {
	CommissionType   CommissionType `json:"commissionType"`
	CommissionRate   Percent        `json:"commissionRate"`
	NumberOfPayments Opt[int64]     `json:"numberOfPayments"` // null: no limit
	NumberOfMonths   Opt[int64]     `json:"numberOfMonths"`   // null: no limit
	HoldDays         int64          `json:"holdDays"`
	Rules            []Rule         `json:"rules,omitempty"`
	MonthsFrom       MonthsFrom     `json:"monthsFrom,omitzero"` // not there: PAYMENT
	MaxPerSale       Amount         `json:"maxPerSale,omitzero"` // not there: no cap
	MaxPerCustomer   Amount         `json:"maxPerCustomer,omitzero"`
	OfferCouponID    uuid.UUID      `json:"offerCouponId,omitzero"` // not there: no offer
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
	return "affiliate: the store keeps the program in " + e.Kept + ", and its Config has the " + e.Setting + " " + e.Given
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
