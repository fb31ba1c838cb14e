package imported

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A Referral is a customer of the past, from another service or a
// historical resync. A promotional code only attributes it, even when the code
// could not be used today.
type Referral struct {
	affiliate.NewReferral
	CreatedAt time.Time                    // zero: now; in the future: refused
	Status    affiliate.SubscriptionStatus // zero: ACTIVE

	// Ref is the service's id, 1–255 characters, unique among all refs; it must
	// not name a person. With it, Name and ReferredUserExternalID may be empty,
	// and a repeated row finds its record. Empty: rows are told apart by email
	// only.
	Ref string `json:",omitzero"`

	// Via names by refs the link, the code or the affiliate through which the
	// customer came. The first ref that was imported decides; after them, the
	// fields of NewReferral.
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
