package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// The records of what payment providers report.

// PaymentRecord is the set of facts about one payment of a provider. Its keys
// are records of their own, because a record has one key in an index.
type PaymentRecord struct {
	ID       uuid.UUID
	Provider string
	PayerID  string        // the provider's id of its customer; empty: not known
	Sale     uuid.UUID     // its sale, which it may outlive; zero: parked
	Gross    Opt[Amount]   `json:",omitzero"` // not given: not known to be paid
	Counted  Currency      `json:",omitzero"` // of Gross, refunds and disputes; empty: the program's
	Worth    Opt[Amount]   `json:",omitzero"` // Gross in the program's currency; only of one that is counted in another
	Waiting  []WaitingSale // of a parked payment: what would be its sale, once it is paid; at most one
	Conflict uuid.UUID     `json:",omitzero"` // the sale that a waiting one names, and of which it is not; zero: none
	Decided  string        `json:",omitzero"` // what a person said: a PaymentDecision; empty: nothing
	Left     string        `json:",omitzero"` // why a payment that brought money has no sale, though somebody may be owed: a SaleOutcome; empty: nothing waits
	Refunds  []PaymentRefund
	Refunded Opt[Amount] `json:",omitzero"` // the highest sum of refunds that was reported in the refund window
	Late     Opt[Amount] `json:",omitzero"` // the highest one after it, which does not count
	Disputes []PaymentDispute

	// Of records from before a sale could count again: the most that was taken for
	// the facts, and the adjustments that made up for what came back, with their
	// sum. They are taken back when the sale counts again.
	Peak        Amount
	Adjusted    Amount
	Adjustments []uuid.UUID

	CreatedAt Instant
	UpdatedAt Instant
}

// WaitingSale is a [Paid] that could not be credited yet. Email and name are
// those of its payer.
type WaitingSale struct {
	TotalEarned Amount
	Subtotal    Opt[Amount] `json:",omitzero"`
	Tax         Amount
	Shipping    Amount
	ExternalID  string
	InvoiceID   string
	Rate        Opt[Percent] `json:",omitzero"`
	ProductID   string
	ProductName string
	Trigger     PaymentTrigger
	Free        bool
	Renewal     bool
	Nothing     bool  `json:",omitzero"` // a trial: its customer is referred, and there is no sale
	Payment     int64 `json:",omitzero"` // of [Paid]
	PaidAt      Instant
	Tries       []Credit
}

// PaymentRefund is a stored [RefundFact].
type PaymentRefund struct {
	ID       string
	Amount   Amount
	Tax      Opt[Amount] `json:",omitzero"` // given together with Shipping, when it is known
	Shipping Opt[Amount] `json:",omitzero"`
	State    RefundState
	Late     bool `json:",omitzero"` // it succeeded after the refund window, and does not count
}

// PaymentDispute is a stored [DisputeFact].
type PaymentDispute struct {
	ID      string
	Amount  Amount
	State   DisputeState
	At      Instant // of State, by the provider's clock
	Warning bool    `json:",omitzero"` // it announces another one
	Late    bool    `json:",omitzero"` // its money went after the refund window, and does not count
}

// RecordID is the payment's identity in the store.
func (r PaymentRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r PaymentRecord) Clone() PaymentRecord {
	r.Waiting = slices.Clone(r.Waiting)
	for i := range r.Waiting {
		r.Waiting[i].Tries = slices.Clone(r.Waiting[i].Tries)
	}
	r.Refunds, r.Disputes = slices.Clone(r.Refunds), slices.Clone(r.Disputes)
	r.Adjustments = slices.Clone(r.Adjustments)
	return r
}

// undecided is the state of the payments that wait for a person.
var undecided = Key{Index: OfState, Text: "undecided"}

// AppendKeys appends BySale, or OfPayer of a parked payment, and OfState of one that
// waits for a person. One in conflict is not tried again with its payer.
func (r PaymentRecord) AppendKeys(dst []Key) []Key {
	switch {
	case r.Sale != uuid.Nil:
		return append(dst, Key{Index: BySale, ID: r.Sale})
	case r.Conflict == uuid.Nil && !r.foreign():
		dst = appendOfProvider(dst, OfPayer, r.Provider, r.PayerID)
	}
	if r.waits() {
		dst = append(dst, undecided)
	}
	return dst
}

// foreign reports whether all that is known of the payment is in another currency than
// the program's, so that it cannot be a sale.
func (r *PaymentRecord) foreign() bool {
	return r.Counted != "" && r.Worth.IsZero() && r.Sale == uuid.Nil && len(r.Waiting) == 0
}

// waits reports whether a person is to decide about the payment.
func (r *PaymentRecord) waits() bool { return r.Conflict != uuid.Nil || r.Left != "" }

// PaymentKeyRecord is one of the ids of a payment.
type PaymentKeyRecord struct {
	ID        uuid.UUID
	PaymentID uuid.UUID
	Provider  string
	Key       string
}

// RecordID is the key's identity in the store.
func (r PaymentKeyRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r PaymentKeyRecord) Clone() PaymentKeyRecord { return r }

// AppendKeys appends ByPayment and OfPayment.
func (r PaymentKeyRecord) AppendKeys(dst []Key) []Key {
	return append(appendOfProvider(dst, ByPayment, r.Provider, r.Key), Key{Index: OfPayment, ID: r.PaymentID})
}

// PayerRecord is a customer of a payment provider.
type PayerRecord struct {
	ID         uuid.UUID
	Provider   string
	PayerID    string // the provider's id
	Email      string // canonical; empty: none that is accepted, or erased
	Name       string
	ReferralID uuid.UUID // whom it pays for; zero: not known yet
	ByEmail    bool      `json:",omitzero"` // the email alone says so, which the payer can type: Subs do not count
	Subs       []Subscription
	ByHand     bool `json:",omitzero"` // a person set the referral's status after Subs did
	Erased     bool `json:",omitzero"` // Email and Name are not stored again
	CreatedAt  Instant
	UpdatedAt  Instant
}

// Subscription is the last known state of one subscription of a payer.
type Subscription struct {
	ID     string
	Status SubscriptionStatus
	At     Instant // by the provider's clock
}

// RecordID is the payer's identity in the store.
func (r PayerRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its subscriptions.
func (r PayerRecord) Clone() PayerRecord {
	r.Subs = slices.Clone(r.Subs)
	return r
}

// AppendKeys appends ByPayer and OfReferral.
func (r PayerRecord) AppendKeys(dst []Key) []Key {
	return appendID(appendOfProvider(dst, ByPayer, r.Provider, r.PayerID), OfReferral, r.ReferralID)
}

// ofProvider is the key of an id of a provider. A provider's name has no colon,
// so ids of two providers never meet.
func ofProvider(ix Index, provider, id string) Key { return textKey(ix, provider+":"+id) }

// appendOfProvider appends the key of an id of a provider, when there is one.
func appendOfProvider(dst []Key, ix Index, provider, id string) []Key {
	if id == "" {
		return dst
	}
	return append(dst, ofProvider(ix, provider, id))
}
