package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A PaymentFact is what a payment provider said about one payment: that it was
// paid, refunded or disputed, or only which ids belong together. Facts of one
// payment may come in any order and any number of times: what the payment earns
// depends on the set of its facts and never on their order. Go calls only.
//
// All amounts are in major units of Currency, with one exception: when the customer was shown
// another one, Gross, refunds and disputes are in that. See Paid.GrossCurrency.
//
// Source: docs/payments.md.
type PaymentFact struct {
	Provider string    // "stripe": 1–32 of a–z and 0–9; ids of two providers never meet
	Keys     []string  // 1–6 ids of the one payment, of 1–255 characters each, compared exactly: payment intent, invoice, charge, session
	Payer    PayerFact // who paid; may be empty
	At       time.Time // by the provider's clock; not after now and five minutes
	Currency Currency  // of every amount here
	Sale     Opt[Paid] // that it was paid

	// ExchangeRate is what one unit of Currency is worth in the program's, when the provider
	// says it; zero: Config.Rate is asked for the moment of payment. A payment in another
	// currency that has no rate waits, with all its refunds and disputes, until it is
	// reported again with one or a person decides: see Program.DecidePayment.
	ExchangeRate ExchangeRate
	Refunds      []RefundFact
	Refunded     Opt[Amount] // the sum of refunds, as some providers count it; its highest value counts
	Disputes     []DisputeFact

	// Revoked says whether a payment that was paid is cancelled or failed, without a refund that
	// says what went back. The latest At counts; at one moment true. A sale of a payment that is
	// revoked waits in Program.Attention. Not given: nothing is said.
	Revoked Opt[bool]
}

// A Paid says that a payment was paid, and what is needed to make a sale of it. The
// discounts of its Lines have all that was taken off them, also for a code: the provider
// charged them so.
type Paid struct {
	SaleParams          // PromoCode and ReferralID stay empty: Tries has them
	Gross      Amount   // > 0, or zero with Free: as the provider counts the payment; refunds and disputes are parts of it
	Tries      []Credit // at most 8: whom to credit, in order; the first one that exists decides
	Renewal    bool     // not the first payment of a subscription: the payer's customer is credited before Tries
	Stage      Stage    // whether it was paid; empty: it was

	// GrossCurrency is the currency of Gross, when the provider counts the payment in
	// another one than PaymentFact.Currency: the customer was shown converted prices. Refunds
	// and disputes are then in it too, and take their part of TotalEarned. Empty: the same.
	GrossCurrency Currency

	// Payment is the number of this payment of its customer, when the provider or the host
	// knows it: 1 is the first payment that brought money, also after a trial or a free
	// order. Zero: the engine counts the customer's sales. Terms.MaxPayments is compared
	// with it, and Explanation.Terms shows it.
	Payment int64

	// Awaits names the event that tells how much was paid, such as order_created; only with
	// PaidUntold, and with PaidOfAgreed, which is PaidUntold when nothing was agreed. Empty: none
	// will.
	Awaits string
}

// A Stage says how far a payment has come.
type Stage string

// The stages. A payment that was agreed and then paid becomes one sale, in whatever order
// the facts arrive: the agreement says what was sold, the payment says for how much.
const (
	PaidNow      Stage = ""        // it was paid
	PaidLater    Stage = "later"   // agreed, and not paid yet: it is kept until a fact says what was paid
	PaidOfAgreed Stage = "agreed"  // a payment of what another fact agreed; it waits until that one arrives
	PaidNothing  Stage = "nothing" // a trial: Gross and TotalEarned are zero, the customer is referred, there is no sale

	// PaidUntold is a payment of which nobody knows how much was paid: another event tells
	// it, or the provider counts its currency in a unit that is not known. Gross and
	// TotalEarned are zero. When it names somebody, or its customer is known, it waits in
	// Program.Attention until a fact tells the amount, and adds nothing to that fact.
	PaidUntold Stage = "untold"
)

// A Credit names whom a payment may credit. Exactly one field is set.
type Credit struct {
	PromoCode      string // the text of a promotional code
	CodeExternalID string // the external id of a promotional code
	ReferralID     string // click id, affiliate id, slug, referral id or customer email
	HoldID         string // of Program.HoldRedemption: its code, which the sale then confirms
	Offer          bool   `json:",omitzero"` // what the link gives whom the other credits or the customer lead to, and which the sale then redeems
}

// Payer is what the program knows of who pays at a provider.
type Payer struct {
	Referral Opt[Referral] // for whom they pay; null: nobody yet

	// Known: there is a referral, or payments that are parked. Then nothing of an
	// earlier payment is on its way that would say more about whom to credit.
	Known bool
}

// A PayerFact says who paid. Every field may be empty.
type PayerFact struct {
	ID         string // the provider's id of its customer
	Email      string // one that is not accepted counts as not given
	Name       string
	CustomerID string // the host's own id of the customer: referredUserExternalId
}

// A RefundFact is a refund as a provider reports it. Its state is the highest
// that was ever reported: pending < succeeded < failed.
type RefundFact struct {
	ID       string      // unique within the payment; also the refundId of a host that books it itself
	Amount   Amount      // > 0; it never changes
	Tax      Opt[Amount] // of Amount; not given: not known, and as large a part as of the sale. Once known it never changes
	Shipping Opt[Amount] // likewise; with one of both the other is 0
	State    RefundState
}

// A RefundState says how far a refund is.
type RefundState string

// The states of a refund. Only one that succeeded counts.
const (
	RefundPending   RefundState = "pending"
	RefundSucceeded RefundState = "succeeded"
	RefundFailed    RefundState = "failed" // also one that had succeeded: the money came back
)

// A DisputeFact is a dispute as a provider reports it. Its state is the one with
// the latest PaymentFact.At; at the same moment inquiry < withdrawn < released <
// lost < won.
type DisputeFact struct {
	ID     string // unique within the payment
	Amount Amount // > 0; it never changes
	State  DisputeState

	// Warning marks the announcement of a possible dispute. It counts only until a real
	// dispute of the payment is reported.
	Warning bool
}

// A DisputeState says who has the money of a dispute.
type DisputeState string

// The states of a dispute. The merchant does not have the money while it is withdrawn or
// lost.
const (
	DisputeInquiry   DisputeState = "inquiry"
	DisputeWithdrawn DisputeState = "withdrawn"
	DisputeLost      DisputeState = "lost"
	DisputeWon       DisputeState = "won"
	DisputeReleased  DisputeState = "released" // given back without a decision
)

// A PaymentResult is the answer of Payments.ReportPayment.
type PaymentResult struct {
	Payment ProviderPayment
	Sale    Opt[Sale]   // the sale of the payment as it is now; null: it has none
	Outcome SaleOutcome // of the sale part of the fact; empty when it had none
	Refused []Failure   // the failing rules of each code that was tried and refused
	Ignored []string    // payer.email and payer.name, when they are invalid and were left out
	Differs []string    // what of a payment that has its sale is not as it was told: gross, when it is more; paidAt, when it is more than 20 days apart
	Waits   SaleOutcome // why the payment waits in Program.Attention; empty: it does not
	Moved   Amount      // by how much the fact changed commission and adjustments together, signed
}

// A ProviderPayment is what the program knows of one payment of a provider.
type ProviderPayment struct {
	ID        uuid.UUID // zero: nothing is kept
	Provider  string
	Keys      []string    // sorted
	PayerID   string      // the provider's id of its customer; empty: not known
	SaleID    Opt[SaleID] // null: parked, or without an affiliate
	Gross     Opt[Amount] // null: not known to be paid
	Currency  Currency    // of Gross, Refunds, Refunded, Disputes and Lost
	Refunds   []RefundFact
	Refunded  Opt[Amount]
	Disputes  []DisputeFact
	Lost      Amount      // of Gross: refunded, or away by disputes
	Waits     SaleOutcome // why it has no sale, though it brought money and somebody may be owed; empty: nothing waits
	ToldAt    Time        // by the provider's clock: of the earliest report of what was paid, else CreatedAt
	CreatedAt Time
	UpdatedAt Time
}

// ProviderPaymentQuery selects payments of a provider. Go calls only.
type ProviderPaymentQuery struct {
	Provider string
	From, To time.Time // of ToldAt, inclusive and exclusive; zero: without an end
}

// A SubscriptionFact is the state of one subscription of a payer. Go calls only.
type SubscriptionFact struct {
	Provider     string
	Payer        PayerFact
	Subscription string             // the provider's id of it
	Status       SubscriptionStatus // ACTIVE, PAST_DUE or CANCELLED
	At           time.Time          // by the provider's clock; not after now and five minutes
}

// A PaymentDecision is a person's decision about a payment that brought money and has
// no sale: it is in conflict with a sale ([SaleConflict]), or credits nobody.
type PaymentDecision string

// The decisions.
const (
	PaymentIsSameSale PaymentDecision = "same"    // it is the payment of that sale
	PaymentIsOwnSale  PaymentDecision = "own"     // it is another payment, and becomes a sale of its own; one that credits nobody is tried again
	PaymentDismissed  PaymentDecision = "dismiss" // it is kept, and earns nothing
)

// PaymentDecisionParams is the input of Program.DecidePayment. ReferralID and ExchangeRate go
// with [PaymentIsOwnSale] alone.
type PaymentDecisionParams struct {
	// same: it is the payment of the sale that it names. own: a sale of its own. dismiss: it is
	// kept, and earns nothing.
	Decision PaymentDecision `json:"decision,omitzero"`
	// With own, whom to credit by the rules of a sale, before whom the payment names: click id,
	// affiliate id, slug, or ext: and the host's own id of an affiliate.
	ReferralID string `json:"referralId,omitzero" wire:"ident"`
	// With own, what one unit of the payment's currency is worth in the program's, where the
	// payment has none. Default: the rate that the
	// program has for the moment of payment.
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`
}

// The ids that payment providers gave to imported payments and customers. Later
// reports of the provider find the imported records by them.

// A ProviderID is an id that a payment provider gave to a payment or to a
// customer.
type ProviderID struct {
	Provider string // lower case letters and digits: stripe, paddle …
	ID       string // 1–255 characters
}

// WaitingSale is a [Paid] that could not be credited yet. Its email and name
// are the payer's.
type WaitingSale struct {
	TotalEarned Amount
	Currency    Currency    `json:",omitzero"` // of the amounts; empty: the program's
	Subtotal    Opt[Amount] `json:",omitzero"`
	Tax         Amount
	Shipping    Amount
	ExternalID  string
	InvoiceID   string
	Rate        Opt[Percent] `json:",omitzero"`
	ProductID   string
	ProductName string
	Lines       []StoredLine `json:",omitempty"`
	Trigger     PaymentTrigger
	Free        bool
	Renewal     bool
	Nothing     bool   `json:",omitzero"` // a trial: its customer is referred, and there is no sale
	Untold      bool   `json:",omitzero"` // its amount is not known
	Payment     int64  `json:",omitzero"` // of [Paid]
	Awaits      string `json:",omitzero"` // of one that is Untold: what tells the amount; empty: nothing will
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

// Subscription is the last known state of one subscription of a payer.
type Subscription struct {
	ID     string
	Status SubscriptionStatus
	At     Instant // by the provider's clock
}
