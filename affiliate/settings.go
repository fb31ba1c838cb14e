package affiliate

import (
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"
)

// Settings are what a program does, as its administrators see it. Those that SetByCode names are
// the host's; [SettingsUpdate] changes the others.
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
	// Query parameters of a page that a click keeps, besides the slug, sub and utm_*; not there:
	// none.
	KeptParameters []string `json:"keptParameters,omitempty"`
	// The domain whose hosts share the cookie of a click; not there: each host has its own.
	CookieDomain string `json:"cookieDomain,omitempty"`
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
	// To whom less is due, a payout run pays nothing, unless the run names another minimum; 0: none.
	PayoutMinimum Amount `json:"payoutMinimum"`
	// Who pays, as statements say it: a name, an address, a tax number; not there: the name.
	Company string `json:"company,omitzero"`
	// What applicants accept; not there: nothing.
	TermsText string `json:"termsText,omitzero"`
	// The version of termsText.
	TermsVersion string `json:"termsVersion,omitzero"`
	// How long the server keeps old records; not there: as long as its code says.
	Retention RetentionDays `json:"retention,omitzero"`
	// True: sales of nothing are recorded when they say that they are free.
	FreeOrders bool `json:"freeOrders"`
	// True: codes without an affiliate discount and count. False: they are refused.
	HouseCodes bool `json:"houseCodes"`
	// True: codes of banned and deactivated affiliates are refused. False: their commissions are
	// held.
	RefuseSuspended bool `json:"refuseSuspended"`
	// True: codes with a limit per customer are refused when an order names no customer.
	RequireCustomer bool `json:"requireCustomer"`
	// True: visits of crawlers that say so are clicks too.
	CountBots bool `json:"countBots"`
	// True: a deletion also fires the events of what goes with it.
	CascadeEvents bool `json:"cascadeEvents"`
	// The seconds before each attempt of a delivery; its length is the number of attempts.
	DeliverySchedule []int64 `json:"deliverySchedule"`
	// The settings of PUT /program that the code of the host has, and that nobody else can change.
	SetByCode []string `json:"setByCode"`
	// How often settings were changed.
	Revision int64 `json:"revision"`
	// Who changed them last; null: nobody said.
	UpdatedBy Opt[string] `json:"updatedBy"`
	// When they changed last; null: they never did.
	UpdatedAt Opt[Time] `json:"updatedAt"`
}

// SettingsUpdate changes settings of a program, see [Settings]. What is not given stays as it is;
// null is the default, but for the name, the currency and the zone.
//
// Source: docs/contract.md 2.15.
type SettingsUpdate struct {
	// 1–255 characters.
	Name Opt[string] `json:"name,omitzero" wire:"text"`
	// An ISO 4217 code. It cannot change once the program has money.
	Currency Opt[Currency] `json:"currency,omitzero"`
	// The name of an IANA zone, such as Europe/Berlin. It cannot change once the program has money.
	TimeZone Opt[string] `json:"timeZone,omitzero" wire:"text"`
	// 1–64 of the characters A–Z, a–z, 0–9, - and _; null: ref.
	URLModifier Opt[string] `json:"urlModifier,omitzero" wire:"text"`
	// At most 20, as urlModifier; null: none.
	OldURLModifiers Opt[[]string] `json:"oldUrlModifiers,omitzero"`
	// At most 20, as urlModifier; null: none.
	KeptParameters Opt[[]string] `json:"keptParameters,omitzero"`
	// A domain such as shop.example; null: each host has a cookie of its own.
	CookieDomain Opt[string] `json:"cookieDomain,omitzero" wire:"text"`
	// 1–36,500; null: 60.
	CookieDuration Opt[int64] `json:"cookieDuration,omitzero"`
	// At most 20 absolute URLs; null: none.
	Destinations Opt[[]string] `json:"destinations,omitzero"`
	// All of its choices; null: the first value of each.
	Attribution Opt[Attribution] `json:"attribution,omitzero"`
	// Null: true.
	AutoApprove Opt[bool] `json:"autoApprove,omitzero"`
	// Null: false.
	CommissionOnTax Opt[bool] `json:"commissionOnTax,omitzero"`
	// Null: false.
	CommissionOnShipping Opt[bool] `json:"commissionOnShipping,omitzero"`
	// At least 1, a hundred years at most; null: no limit.
	RefundWindowSeconds Opt[int64] `json:"refundWindowSeconds,omitzero"`
	// 0 or more, in the currency of the program; null: none.
	PayoutMinimum Opt[Amount] `json:"payoutMinimum,omitzero"`
	// 1–2,000 characters in lines; null: the name.
	Company Opt[string] `json:"company,omitzero" wire:"text"`
	// 1–50,000 characters in lines, or the URL of a page with them. Another text needs another
	// version. Null: none, which the version is too then.
	TermsText Opt[string] `json:"termsText,omitzero" wire:"text"`
	// 1–100 characters, such as 2026-11; what applicants accept is kept with it.
	TermsVersion Opt[string] `json:"termsVersion,omitzero" wire:"text"`
	// All of its ages; null: as long as the code of the server says.
	Retention Opt[RetentionDays] `json:"retention,omitzero"`
	// Null: false.
	FreeOrders Opt[bool] `json:"freeOrders,omitzero"`
	// Null: false.
	HouseCodes Opt[bool] `json:"houseCodes,omitzero"`
	// Null: false.
	RefuseSuspended Opt[bool] `json:"refuseSuspended,omitzero"`
	// Null: false.
	RequireCustomer Opt[bool] `json:"requireCustomer,omitzero"`
	// Null: false.
	CountBots Opt[bool] `json:"countBots,omitzero"`
	// Null: false.
	CascadeEvents Opt[bool] `json:"cascadeEvents,omitzero"`
}

// RetentionDays say how long the server keeps old records, in days, 1–36,500. A kind that is
// not given is kept as long as its code says. See [Retention].
type RetentionDays struct {
	// Events without a delivery.
	Events int64 `json:"events,omitzero"`
	// Answers to idempotency keys.
	Receipts int64 `json:"receipts,omitzero"`
	// Settled deliveries.
	Deliveries int64 `json:"deliveries,omitzero"`
	// Clicks that never became a referral; at least as long as they attribute.
	Clicks int64 `json:"clicks,omitzero"`
	// Holds, from the time until which they held.
	Holds int64 `json:"holds,omitzero"`
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
	// What sales earn together at most; not there when nothing is.
	Budgets []Budget `json:"budgets,omitempty"`
	// What affiliates and customers get besides commissions; not there when they get nothing.
	Bonuses []Bonus `json:"bonuses,omitempty"`
	// The coupon that links give customers without a code; not there: none.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
}

// A HostValue is something that a host keeps in the store of a program for itself.
type HostValue struct {
	Name                 string
	Value                json.RawMessage
	CreatedAt, UpdatedAt time.Time
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
