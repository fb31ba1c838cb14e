// Package pay brings the reports of payment providers into a program. A package for each
// provider turns an event into an [Action], without a clock, a store or a network; only
// [Apply] calls the engine.
package pay

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Kind says what an [Action] is about.
type Kind string

// The kinds.
const (
	KindSale     Kind = "sale"     // Payment, with Payment.Sale
	KindCustomer Kind = "customer" // Payment.Provider and Payment.Payer; a trial or a free order also has Payment.Keys and Tries
	KindLink     Kind = "link"     // Payment: ids that belong together
	KindRefund   Kind = "refund"   // Payment, with refunds
	KindDispute  Kind = "dispute"  // Payment, with disputes
	KindStatus   Kind = "status"   // Status
	KindIgnored  Kind = "ignored"  // Reason says why
)

// Reason says why an event is ignored, or why a payment has no lines. The values are stable:
// a host may count them.
type Reason string

// The reasons.
const (
	UnknownEvent     Reason = "unknown_event"
	CoveredElsewhere Reason = "covered_elsewhere"  // another event reports the same; the ids are linked
	FirstFromSession Reason = "first_from_session" // the session tells the same; the ids are linked
	OneOffInvoice    Reason = "one_off_invoice"
	ZeroAmount       Reason = "zero_amount"
	Unpaid           Reason = "unpaid"
	OtherCurrency    Reason = "currency" // there is no rate for it: Payment has the ids, the amounts and the currency
	TestMode         Reason = "test_mode"
	LiveMode         Reason = "live_mode"
	OtherAccount     Reason = "account"
	Inquiry          Reason = "inquiry"
	CreditBalance    Reason = "credit_balance"
	NoCustomer       Reason = "no_customer"
	ThinEvent        Reason = "thin_event"
	UnknownUnit      Reason = "unit"    // nobody confirmed in which unit the provider counts this currency, or the event does not tell it
	Revoked          Reason = "revoked" // it was paid, and is cancelled or failed, and its refunds do not say what went back
)

// Why a payment is told without its lines. What a rule pays for some products then holds for
// all of it or nothing of it.
const (
	LinesMissing Reason = "lines_missing" // the event has none
	LinesCut     Reason = "lines_cut"     // the event has only the first of them, or they are more than 500
	LinesUnclear Reason = "lines_unclear" // what they cost does not add up to what was paid
)

// An Event holds what the events of all providers have in common.
type Event struct {
	ID         string
	Type       string
	At         time.Time // when the provider made it
	Live       bool
	Account    string // of a platform: the connected account; empty: its own
	APIVersion string
}

// An Action is the work that one event of a provider asks for.
type Action struct {
	Kind    Kind
	Reason  Reason // of an ignored event, of an invoice that waits for its session, and [Revoked] of any; else empty
	Event   Event
	Payment affiliate.PaymentFact      // of sale, link, refund and dispute; of customer its Provider and Payer; of an ignored one what waits
	Status  affiliate.SubscriptionFact // of status
	Tries   []affiliate.Credit         // of customer, with Payment.Keys: who may be credited with a trial, in order

	// Settled is the currency in which the provider pays the host, when Payment.ExchangeRate
	// is the rate to it; empty: the provider said no rate. [Apply] uses the rate for programs in
	// that currency.
	Settled affiliate.Currency

	// NoLines says why the sale of Payment has no lines: [LinesMissing], [LinesCut],
	// [LinesUnclear]. Then it has the product, if all the lines that are there have the same.
	NoLines Reason

	// Carried is the data that the checkout carried. [Apply] puts it into Payment, Lead
	// and Tries, if it belongs to the program.
	Carried Carried

	// Wait marks a payment that should not come before another event: [Apply] answers
	// [ErrLater]. A renewal waits for the first payment of its subscription while nothing
	// is known of its payer. An invoice with the Reason [FirstFromSession] waits for its
	// session, when there is somebody to credit, and is booked afterwards. Clear it when
	// enough time has passed since Event.At.
	Wait bool
}

// leads reports whether the action is about an order of nothing, and not only about what is known of a payer.
func (a *Action) leads() bool { return a.Kind == KindCustomer && len(a.Payment.Keys) > 0 }
