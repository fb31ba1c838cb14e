// Package imported has the words of an import, which brings the past of a program
// from another service: the rows that go in, and the report that comes out. They are
// the input of the Import methods of tributary.Program; package importer makes them
// from the files of other services.
//
// An import is silent: it fires no event and no hook, and makes no delivery. A ledger
// keeps the record that each row made under the row's Ref, so a repeated row changes
// nothing, whatever people did to its record since. When the row differs from the first
// time it is counted as changed and not written, unless it is the newer state of a sale
// or a payout.
package imported

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Report is the result of an import call.
type Report struct {
	Created  int // how many rows became records
	Existing int // how many rows were there and changed nothing
	Changed  int // how many rows say something else than when they were imported
	Failed   []Failure
	Notes    []Note // what is stored otherwise than a row says
	Rows     []Row  // one for each row, in their order
}

// A Failure is a row that could not be imported. Err is an [*affiliate.Error], or
// [affiliate.ErrNotFound] when no affiliate could be found.
type Failure struct {
	Row int // from 0
	Err error
}

// A Note says where the stored record differs from the row: a link or a
// code that was left out or renamed, or a row that has changed and was not
// written.
type Note struct {
	Row  int              // from 0
	Ref  string           // of the link or the code; empty: the row
	Err  *affiliate.Error // why
	Kept string           // what is stored in its place; empty: nothing
}

// A Row is the result of one row.
type Row struct {
	Outcome Outcome
	Stored  Figures // what the records hold of it
}

// Outcome says what an import did with a row.
type Outcome string

// The outcomes. Forwarded counts as Changed too.
const (
	Created   Outcome = "created"
	Existing  Outcome = "existing"
	Changed   Outcome = "changed"   // the row differs from the first time, and nothing is written
	Forwarded Outcome = "forwarded" // the row has a newer state of a sale or a payout, and that is written
	Failed    Outcome = "failed"
)

// SlugConflict says what an import does with a link whose slug another affiliate
// has.
type SlugConflict string

// The ways to resolve the conflict: leave the link out and note it; append -2,
// -3 … to the slug and note it; or refuse the row.
const (
	SkipLink   SlugConflict = "" // the affiliate is imported, and who came by the link belongs to them
	RenameSlug SlugConflict = "rename"
	RefuseRow  SlugConflict = "refuse"
)

// An Affiliate is an affiliate of another service with their links.
type Affiliate struct {
	Ref        string                    // the service's id, 1–255 characters, unique among all refs; it must name no person
	FirstName  string                    `json:",omitzero"` // 0–100 characters; without both names: the local part of the email
	LastName   string                    `json:",omitzero"`
	Email      string                    `json:",omitzero"`
	ExternalID string                    `json:",omitzero"` // the host's own id of the user, account or tenant; of an affiliate who is there already: left as it is
	Status     affiliate.AffiliateStatus `json:",omitzero"` // any; empty: ACTIVE
	CreatedAt  time.Time                 `json:",omitzero"` // zero: now; in the future: refused
	Links      []Link                    `json:",omitzero"` // none that can be stored: a link is made from the email

	PayoutEmail      string                           `json:",omitzero"`
	PaymentMethod    affiliate.PaymentMethod          `json:",omitzero"`
	CommissionPlanID uuid.UUID                        `json:",omitzero"`
	CommissionRate   affiliate.Opt[affiliate.Percent] `json:",omitzero"` // the affiliate's own, of the type of their terms

	OnConflict SlugConflict `json:"-"` // a slug that another affiliate has
}

// A Link is a link of an [Affiliate].
type Link struct {
	Ref       string    `json:",omitzero"` // by which customers and sales name the link; empty: they cannot
	Slug      string    `json:",omitzero"` // what is no letter, digit or hyphen becomes a hyphen
	CreatedAt time.Time `json:",omitzero"` // zero: that of the affiliate
	Clicks    int64     `json:",omitzero"` // visits so far
}

// A Referral is a customer of the past, from another service or a
// historical resync. A promotional code only attributes it, even when the code
// could not be used today.
type Referral struct {
	affiliate.ReferralParams
	CreatedAt time.Time                    // zero: now; in the future: refused
	Status    affiliate.SubscriptionStatus // zero: ACTIVE

	// Ref is the service's id, 1–255 characters, unique among all refs; it must
	// not name a person. With it, Name and ReferredUserExternalID may be empty,
	// and a repeated row finds its record. Empty: rows are told apart by email
	// only.
	Ref string `json:",omitzero"`

	// Via names by refs the link, the code or the affiliate through which the
	// customer came. The first ref that was imported decides; after them, the
	// fields of ReferralParams.
	Via []string `json:",omitzero"`

	// Unreferred marks a customer whom nobody brought, and who has bought before the program
	// began: only Email and ReferredUserExternalID count, of which digests are kept. Their
	// next order is not the first one.
	Unreferred bool `json:",omitzero"`

	// Payers are the ids that payment providers gave to the customer, ≤ 6: later
	// reports find the customer by them. A customer who already has one of these
	// ids is taken for the row's, before a customer with its email.
	Payers []affiliate.ProviderID `json:",omitzero"`
}

// A Coupon is a coupon of another service with its codes.
type Coupon struct {
	affiliate.CouponParams
	Ref           string    // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt     time.Time `json:",omitzero"` // zero: now; in the future: refused
	TimesRedeemed int64     `json:",omitzero"` // uses so far, of all its codes; zero: the sum of those below
	Codes         []Code    `json:",omitzero"`
}

// A Code is a code of a [Coupon]. Its text is given, never
// generated, and CouponID stays empty.
type Code struct {
	affiliate.CodeParams
	Ref           string    `json:",omitzero"` // by which customers and sales name the code; empty: they cannot
	Via           []string  `json:",omitzero"` // refs of the affiliate; the first that was imported decides, before the fields of CodeParams
	CreatedAt     time.Time `json:",omitzero"` // zero: that of the coupon
	TimesRedeemed int64     `json:",omitzero"` // uses so far
}

// A Sale is a past payment with the commission that another service
// gave for it. One with a commission and a total of 0 is a bonus, and becomes an
// adjustment; one that is not ACCEPTED a conversion, whose commission waits or is declined.
type Sale struct {
	Ref            string    // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt      time.Time `json:",omitzero"` // zero: now; in the future: refused
	Customer       string    `json:",omitzero"` // ref of the customer; empty: by Email
	Email          string    `json:",omitzero"` // the customer's; nobody with it: the sale is of no customer
	Name           string    `json:",omitzero"` // empty: the customer's
	Via            []string  `json:",omitzero"` // refs of the link, the code or the affiliate; the first that was imported is credited
	AffiliateEmail string    `json:",omitzero"` // credited when no ref is; empty too: the customer's affiliate

	TotalEarned      affiliate.Amount         `json:",omitzero"` // ≥ 0
	Tax              affiliate.Amount         `json:",omitzero"`
	Shipping         affiliate.Amount         `json:",omitzero"`
	Refunded         affiliate.Amount         `json:",omitzero"` // 0 to TotalEarned, so far
	CommissionEarned affiliate.Amount         `json:",omitzero"` // on what is kept; never calculated again, and reduced in proportion by later refunds
	Approval         affiliate.ApprovalStatus `json:",omitzero"` // empty: ACCEPTED
	HoldReason       affiliate.HoldReason     `json:",omitzero"` // unless ACCEPTED; empty: PROGRAM_SETTINGS
	ExternalID       string                   `json:",omitzero"` // unique: with that of a sale that exists, the row is that sale; of an imported one, another commission of the order
	InvoiceID        string                   `json:",omitzero"` // likewise
	Keys             []affiliate.ProviderID   `json:",omitzero"` // the ids that one payment provider gave to the payment, ≤ 6: later reports find the sale by them, and a sale that one of them has is the row's
	Counts           bool                     `json:",omitzero"` // it is one of the payments of Terms.MaxPayments
	Reason           string                   `json:",omitzero"` // of a bonus; empty: "Bonus"
}

// A Payout is a payout of another service: the imported commissions
// and bonuses that it paid or is going to pay.
type Payout struct {
	Ref        string                 // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt  time.Time              `json:",omitzero"` // zero: PaidAt, else now; in the future: refused
	PaidAt     time.Time              `json:",omitzero"` // only of PAID; zero: CreatedAt
	Status     affiliate.PayoutStatus `json:",omitzero"` // any but CANCELED; empty: PAID with PaidAt, else PENDING
	Sales      []string               `json:",omitzero"` // refs of sales and bonuses of one affiliate, all ACCEPTED
	Amount     affiliate.Amount       `json:",omitzero"` // > 0: the sum of their commissions
	ExternalID string                 `json:",omitzero"`
}

// A Kind says what kind of record a record.Import stands for.
type Kind string

// Figures are the amounts of imported rows, in the program's currency.
type Figures struct {
	Sales      affiliate.Amount `json:",omitzero"` // totals of sales
	Refunds    affiliate.Amount `json:",omitzero"` // of these sales
	Commission affiliate.Amount `json:",omitzero"` // of these sales, declined ones too, and bonuses
	Payouts    affiliate.Amount `json:",omitzero"`
}
