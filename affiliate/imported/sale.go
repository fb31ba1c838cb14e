package imported

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

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
