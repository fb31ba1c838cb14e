package affiliate

import (
	"github.com/google/uuid"
)

// ClickID is the integer id of a click.
type ClickID int64

// A Click is one recorded visit through a link. Clicks fire no event.
//
// Source: docs/contract.md 2.11.
type Click struct {
	// The id: an AffiliateID or ReferralID of later requests.
	ID ClickID `json:"id"`
	// The affiliate of the slug.
	AffiliateID uuid.UUID `json:"affiliateId"`
	// The link; null once it is deleted.
	AffiliateLinkID Opt[uuid.UUID] `json:"affiliateLinkId"`
	// The referral; null until the visitor is one.
	ReferralID Opt[uuid.UUID] `json:"referralId"`
	// The visitor.
	DeviceID Opt[string] `json:"deviceId"`
	// False for a repeated visit.
	UniqueClick bool `json:"uniqueClick"`
	// The page that was visited, as far as it is kept.
	FullLandingURL Opt[string] `json:"fullLandingUrl"`
	// The page with the link, as far as it is kept.
	DocumentReferrer Opt[string] `json:"documentReferrer"`
	// The browser.
	UserAgent Opt[string] `json:"userAgent"`
	CreatedAt Time        `json:"createdAt"`
	// What the link gives now, if the request asks for it; not there when it gives nothing.
	Offer Opt[Offer] `json:"offer,omitzero"`
}

// ClickParams is the input of Program.TrackClick. Only the slug is required. The
// other texts are cut at 512 bytes, so that a click keeps 2 KiB at most.
//
// A click keeps these parts of the two URLs: the origin, the path, and of the
// query the slug's parameter, utm_*, sub and Config.KeepParams. The rest is
// dropped, because events contain the URLs and a visitor's query may hold
// secrets such as a token. A text that is not an http or https URL is not kept,
// but the click counts.
type ClickParams struct {
	Slug       string // in any letter case
	DeviceID   string // the visitor
	LandingURL string // the page that was visited
	Referrer   string // the page with the link
	UserAgent  string
	Repeat     bool // the visitor has come before: uniqueClick is false

	// Earlier is the visitor's click before this one; zero: none is known. A program where the first
	// click credits ([TouchFirst]) needs it, and another can say with it whom that would credit. One
	// that does not exist is left out.
	Earlier ClickID `json:",omitzero"`

	Offer bool `json:",omitzero"` // asks for Click.Offer
}

// Attribution says whom a sale and a new customer credit. A choice that is not there is
// the first of its values.
//
// Source: docs/rules.md 5.8.
type Attribution struct {
	// Which of a visitor's clicks credits: the last one, or the first; not there: LAST.
	Touch Touch `json:"touch,omitzero"`
	// Whom orders of a known customer credit: whom each of them names, or always the affiliate
	// of the customer; not there: EACH_ORDER.
	Customer CustomerCredit `json:"customer,omitzero"`
	// When a code credits its affiliate: always, or when nobody else brought the customer; not
	// there: ALWAYS.
	Code CodeCredit `json:"promoCode,omitzero"`
}

// Touch says which of a visitor's clicks credits, of those that are not too old.
type Touch string

// The touches.
const (
	TouchLast  Touch = "LAST"  // the click that the order names
	TouchFirst Touch = "FIRST" // the visitor's first one, as [ClickParams].Earlier tells
)

// CustomerCredit says whom the orders of a known customer credit.
type CustomerCredit string

// The credits of customers.
const (
	CreditEachOrder    CustomerCredit = "EACH_ORDER" // whom the order names, else the affiliate of the customer
	CreditKeptCustomer CustomerCredit = "KEEP"       // the affiliate of the customer, whatever the order names
)

// CodeCredit says when a promotional code credits its affiliate. Its discount is given in
// any case.
type CodeCredit string

// The credits of codes.
const (
	CodeAlways    CodeCredit = "ALWAYS"    // before a link and before the customer's affiliate
	CodeUnbrought CodeCredit = "UNBROUGHT" // when neither what the order names nor the customer's referral leads to an affiliate
)
