// Package paytest tells whether an adapter of a payment provider is right: one that is made
// with package adapter, or without it. It is for tests only.
//
//	func TestConformance(t *testing.T) {
//		paytest.Suite{Handler: …, Map: …, Sign: …, Tell: …}.Run(t)
//	}
//
// The suite tells stories of payments, refunds, disputes and subscriptions in the
// provider's own events, which Suite.Tell writes, and compares the books with a naive fold
// of the story: in every order, with repeats, with pieces missing, with a store that fails
// at each of its calls, and with what a payer may have written into the checkout.
//
// Source: docs/adapters.md.
package paytest

import (
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// A Suite is an adapter under test. All its functions are needed.
type Suite struct {
	// Handler returns the endpoint of a program. The configuration has the suite's clock,
	// keys, logger and OnResult; the secrets are the test's own.
	Handler func(p *tributary.Program, cfg adapter.Config) (http.Handler, error)

	// Map reads one event.
	Map func(body []byte, cfg adapter.Config) (pay.Action, error)

	// Sign adds to the headers what proves a body, as the provider does it.
	Sign func(h http.Header, body []byte, at time.Time)

	// Tell returns the body of the event with which the provider tells of a step; nil: it
	// never does, and the stories are told without such steps. What a step does not say is
	// whatever the provider says of an ordinary payment. The same step gives the same body.
	Tell func(Step) []byte

	// Source reads the provider's API at base, and Serve is that API, with what these events told; both
	// nil: the adapter has none.
	Source func(base string, cfg adapter.Config) adapter.Source
	Serve  func(bodies [][]byte) http.Handler

	// Unmarked: the API does not have what a checkout carried, so the first payment of a customer is not
	// among the events that are lost.
	Unmarked bool

	// Sums: refunds are told as their sum, so that a later one says what an earlier one did.
	Sums bool
}

// A Step is one thing that happens at a provider.
type Step struct {
	Kind Kind
	ID   string    // of the event, such as "e1"
	At   time.Time // in whole seconds

	Payment string // "p1", or "p2"; with Status the id of the subscription, "s1"
	Payer   string // the provider's id of its customer, "c1"
	Email   string
	Name    string
	Renewal bool // of a Paid: a later payment of the subscription s1

	Amount affiliate.Amount // in USD: what was paid, with tax; what is refunded or disputed
	Tax    affiliate.Amount // of Amount
	Gross  affiliate.Amount // of a Refund, a Dispute and what becomes of them: what was paid
	Sum    affiliate.Amount // of a Refund: of all refunds of the payment until then

	Of     string // of a Refund, a Dispute and what becomes of them: its id, "r1" or "d1"
	Status affiliate.SubscriptionStatus

	Data map[string]string // of a Paid: what the checkout carried, by its keys
}

// A Kind says what happens in a step.
type Kind string

// The kinds.
const (
	Customer     Kind = "customer"      // a customer was made: Payer, Email, Name
	Paid         Kind = "paid"          // Payment, Payer, Email, Name, Amount, Tax, Data
	Refund       Kind = "refund"        // Payment, Of, Amount, Sum: the money went back
	RefundFailed Kind = "refund failed" // Payment, Of, Amount, Sum: it came back again
	Dispute      Kind = "dispute"       // Payment, Of, Amount: the bank has the money
	DisputeWon   Kind = "dispute won"   // Payment, Of, Amount: it is the merchant's again
	Status       Kind = "status"        // Payment, Payer, Status
)

// Run runs the suite as sub-tests.
func (s Suite) Run(t *testing.T) {
	t.Run("Fold", s.fold)
	t.Run("Orders", s.orders)
	t.Run("Tax", s.tax)
	t.Run("Codes", s.codes)
	t.Run("Payers", s.payers)
	t.Run("Missing", s.missing)
	t.Run("Crashes", s.crashes)
	t.Run("Hostile", s.hostile)
	t.Run("Requests", s.requests)
	if s.Source != nil {
		t.Run("CatchUp", s.catchUp)
	}
}
