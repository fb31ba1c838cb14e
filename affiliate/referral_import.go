package affiliate

import "time"

// An ImportedReferral is a customer of the past, from another service or a
// historical resync. A promotional code only attributes it, even when the code
// could not be used today.
type ImportedReferral struct {
	NewReferral
	CreatedAt time.Time          // zero: now; in the future: refused
	Status    SubscriptionStatus // zero: ACTIVE

	// Ref is the service's id, 1–255 characters, unique among all refs; it must
	// name no person. With it Name and ReferredUserExternalID may be left out,
	// and the row is found again when it comes a second time. Empty: only the
	// email tells a row from another.
	Ref string `json:",omitzero"`

	// Via names by refs the link, the code or the affiliate through which the
	// customer came. The first that was imported decides, before the fields of
	// NewReferral.
	Via []string `json:",omitzero"`

	// Payers are the ids that payment providers gave to the customer, ≤ 6: later
	// reports find the customer by them. A customer who is known by one of them is
	// the row's, before one with its email.
	Payers []ProviderID `json:",omitzero"`
}
