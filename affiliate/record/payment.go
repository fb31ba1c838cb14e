package record

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The records of what payment providers report.

// Payment is the set of facts about one payment of a provider. Its keys are records of
// their own, because a record can have only one key in an index.
type Payment struct {
	ID       uuid.UUID
	Provider string
	PayerID  string                          // the provider's id of its customer; empty: not known
	Sale     uuid.UUID                       // its sale, which may be deleted before it; zero: parked
	Gross    affiliate.Opt[affiliate.Amount] `json:",omitzero"` // not given: not known to be paid
	Counted  affiliate.Currency              `json:",omitzero"` // of Gross, refunds and disputes; empty: the program's
	Worth    affiliate.Opt[affiliate.Amount] `json:",omitzero"` // Gross in the currency of its sale; only of one that is counted in another
	Rate     affiliate.ExchangeRate          `json:",omitzero"` // of the currency of its sale, if that is not the program's; zero: not known
	Waiting  []affiliate.WaitingSale         // the sale that it becomes once it is paid, or has become while nobody has told the payer's email or first payment; at most one
	Conflict uuid.UUID                       `json:",omitzero"` // the sale that a waiting one names, and of which it is not; zero: none
	Decided  string                          `json:",omitzero"` // what a person said: a PaymentDecision; empty: nothing
	Left     string                          `json:",omitzero"` // why a payment that brought money has no sale, though somebody may be owed: a SaleOutcome; empty: nothing waits
	ToldAt   affiliate.Instant               `json:",omitzero"` // of the report whose contents the payment has, which is the earliest; zero: not known
	Raised   affiliate.Opt[affiliate.Amount] `json:",omitzero"` // the most that it was told to be besides; not given: nothing else
	Revoked  affiliate.Instant               `json:",omitzero"` // when it was last said to be cancelled or failed
	Stands   affiliate.Instant               `json:",omitzero"` // when it was last said to be paid, by a provider that says both
	Refunds  []affiliate.PaymentRefund
	Refunded affiliate.Opt[affiliate.Amount] `json:",omitzero"` // the highest sum of refunds that was reported in the refund window
	Late     affiliate.Opt[affiliate.Amount] `json:",omitzero"` // the highest one after it, which does not count
	Disputes []affiliate.PaymentDispute

	// Only in records of versions in which a refunded sale could not count again: the
	// most that was taken for the facts, and the adjustments that made up for returned
	// money, with their sum. They are taken back when the sale counts again.
	Peak        affiliate.Amount
	Adjusted    affiliate.Amount
	Adjustments []uuid.UUID

	CreatedAt affiliate.Instant
	UpdatedAt affiliate.Instant
}

// RecordID returns the payment's identity in the store.
func (r Payment) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r Payment) Clone() Payment {
	r.Waiting = slices.Clone(r.Waiting)
	for i := range r.Waiting {
		r.Waiting[i].Tries = slices.Clone(r.Waiting[i].Tries)
		r.Waiting[i].Lines = affiliate.CloneLines(r.Waiting[i].Lines)
	}
	r.Refunds, r.Disputes = slices.Clone(r.Refunds), slices.Clone(r.Disputes)
	r.Adjustments = slices.Clone(r.Adjustments)
	return r
}

// Undecided is the state of payments that wait for a person's decision.
var Undecided = Key{Index: OfState, Text: "undecided"}

// AppendKeys appends BySale, OfPayer for a payment that is tried again with its payer, and OfState for one that
// waits for a person. A payment in conflict has no OfPayer.
func (r Payment) AppendKeys(dst []Key) []Key {
	if r.Sale != uuid.Nil {
		dst = append(dst, Key{Index: BySale, ID: r.Sale})
	}
	if r.Sale == uuid.Nil && r.Conflict == uuid.Nil && !r.Foreign() || r.Sale != uuid.Nil && len(r.Waiting) > 0 {
		dst = appendOfProvider(dst, OfPayer, r.Provider, r.PayerID)
	}
	if r.Waits() {
		dst = append(dst, Undecided)
	}
	return dst
}

// Foreign reports whether the payment is in another currency than the program's for which no
// rate is known, so that it cannot be a sale.
func (r *Payment) Foreign() bool {
	return r.Counted != "" && r.Rate.IsZero() && r.Sale == uuid.Nil &&
		(len(r.Waiting) == 0 && r.Worth.IsZero() || r.InAnother())
}

// InAnother reports whether the sale that the payment waits to become is in another currency
// than the program's.
func (r *Payment) InAnother() bool { return len(r.Waiting) > 0 && r.Waiting[0].Currency != "" }

// Untold reports whether the payment waits for a fact that tells how much was paid.
func (r *Payment) Untold() bool { return len(r.Waiting) > 0 && r.Waiting[0].Untold }

// WaitsAs returns why the payment waits for a person's decision; empty: it does not.
func (r *Payment) WaitsAs() affiliate.SaleOutcome {
	if r.Conflict != uuid.Nil {
		return affiliate.SaleConflict
	}
	return affiliate.SaleOutcome(r.Left)
}

// Waits reports whether the payment waits for a person's decision.
func (r *Payment) Waits() bool { return r.WaitsAs() != "" }

// PaymentKey is one of the ids of a payment.
type PaymentKey struct {
	ID        uuid.UUID
	PaymentID uuid.UUID
	Provider  string
	Key       string
}

// RecordID returns the key's identity in the store.
func (r PaymentKey) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r PaymentKey) Clone() PaymentKey { return r }

// AppendKeys appends ByPayment and OfPayment.
func (r PaymentKey) AppendKeys(dst []Key) []Key {
	return append(appendOfProvider(dst, ByPayment, r.Provider, r.Key), Key{Index: OfPayment, ID: r.PaymentID})
}

// Payer is a customer of a payment provider.
type Payer struct {
	ID         uuid.UUID
	Provider   string
	PayerID    string // the provider's id
	Email      string // canonical; empty: none, none that is accepted, or erased
	Name       string
	ReferralID uuid.UUID // whom it pays for; zero: not known yet
	ByEmail    bool      `json:",omitzero"` // the email alone says so, which the payer can type: Subs do not count
	Subs       []affiliate.Subscription
	Early      bool `json:",omitzero"` // a renewal made the customer, and no first payment is told: that one decides anew about what renewals have earned
	ByHand     bool `json:",omitzero"` // a person set the referral's status after Subs did
	Erased     bool `json:",omitzero"` // Email and Name are not stored again
	CreatedAt  affiliate.Instant
	UpdatedAt  affiliate.Instant
}

// RecordID returns the payer's identity in the store.
func (r Payer) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its subscriptions.
func (r Payer) Clone() Payer {
	r.Subs = slices.Clone(r.Subs)
	return r
}

// AppendKeys appends ByPayer and OfReferral.
func (r Payer) AppendKeys(dst []Key) []Key {
	return AppendID(appendOfProvider(dst, ByPayer, r.Provider, r.PayerID), OfReferral, r.ReferralID)
}

// OfProvider returns the key for an id of a provider. A provider's name has no colon,
// so ids of two providers never meet.
func OfProvider(ix Index, provider, id string) Key { return TextKey(ix, provider+":"+id) }

// appendOfProvider appends the key for an id of a provider, when there is one.
func appendOfProvider(dst []Key, ix Index, provider, id string) []Key {
	if id == "" {
		return dst
	}
	return append(dst, OfProvider(ix, provider, id))
}
