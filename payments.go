package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payment"
	"github.com/tributary-go/tributary/internal/reading"
)

// Payments has what payment providers say of a program's orders and customers, in any order.
// The modules of package pay call it, and a host whose provider has none. It is a value, safe
// for concurrent use.
type Payments struct{ engine *engine.Program }

func (p Payments) in(ctx context.Context) *engine.Program { return p.engine.Current(ctx) }

// Payments returns what payment providers say.
func (p *Program) Payments() Payments { return Payments{p.engine} }

// PaymentConflict returns a payment that waits for [Program.DecidePayment].
//
// Errors: [affiliate.ErrNotFound] when no such payment waits.
//
// Source: docs/contract.md 4.6.
func (p Payments) PaymentConflict(ctx context.Context, id uuid.UUID) (affiliate.ConflictPayment, error) {
	return reading.PaymentConflict(ctx, p.in(ctx), id)
}

// ReportPayer takes in that a customer of a payment provider was created or changed. Empty
// fields change nothing. The customer is the referral that the payer paid for before, else
// the one with the host's CustomerID, else the one with the email. The oldest 100 parked
// payments of the payer are tried again.
//
// Errors: [affiliate.InvalidField].
//
// Effects: the payer; those of [Payments.ReportPayment] for each payment that is
// credited. A payer without a referral is kept for Config.PaymentMemory.
//
// Source: docs/payments.md.
func (p Payments) ReportPayer(ctx context.Context, provider string, f affiliate.PayerFact) error {
	return payment.ReportPayer(ctx, p.in(ctx), provider, f)
}

// Payer returns the referral that a payer would be credited with, by the look-ups of
// [Payments.ReportPayer], and whether the payer is known. Nobody is no error.
//
// Errors: [affiliate.InvalidField].
//
// Source: docs/payments.md.
func (p Payments) Payer(ctx context.Context, provider string, f affiliate.PayerFact) (affiliate.Payer, error) {
	return payment.Payer(ctx, p.in(ctx), provider, f)
}

// ReportSubscription takes in the state of one subscription, as a payment provider reports
// it. For one subscription the state with the latest At counts; at the same moment PAST_DUE
// < ACTIVE < CANCELLED. The customer is ACTIVE if any subscription is, else PAST_DUE if any
// is, else CANCELLED. A status that a person set stays until that result changes; SUBMITTED
// and DECLINED stay for good. The last 20 subscriptions of a payer are kept; closed ones
// are dropped first.
//
// Errors: [affiliate.InvalidField]; [affiliate.ErrNotFound] when no referral of the payer
// is known. The payer is found by its id alone.
//
// Effects: the payer; the status of the referral, and referral.updated when it
// changed.
//
// Source: docs/payments.md.
func (p Payments) ReportSubscription(ctx context.Context, f affiliate.SubscriptionFact) (affiliate.Referral, error) {
	return payment.ReportSubscription(ctx, p.in(ctx), f)
}

// ProviderPayment returns what the program knows of the payment with this id of a provider.
//
// Errors: [affiliate.InvalidField] (provider, key); [affiliate.ErrNotFound].
//
// Source: docs/payments.md.
func (p Payments) ProviderPayment(ctx context.Context, provider, key string) (affiliate.ProviderPayment, error) {
	return payment.ProviderPayment(ctx, p.in(ctx), provider, key)
}

// ProviderPayments lists the payments of a provider, newest first, as they became known. It searches: see
// [affiliate.Page].
//
// Errors: [affiliate.InvalidField] (provider); [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/reconcile.md.
func (p Payments) ProviderPayments(ctx context.Context, q affiliate.ProviderPaymentQuery,
	pg affiliate.Page) (affiliate.List[affiliate.ProviderPayment], error) {
	return payment.ProviderPayments(ctx, p.in(ctx), q, pg)
}

// ReportPayment takes in what a payment provider says about a payment. Report each fact as
// often and in whatever order it comes: what the affiliate earns depends on the facts only.
// A payment is recognised by any of its ids.
//
// The sale is made by the rules of [Program.RecordSale] for the first of Paid.Tries that
// works: when a code is refused or a credit names nobody, the next one is tried. After
// them, or before them in a renewal, the payer's own customer is credited. When the host
// recorded the sale itself, under Paid.ExternalID or ExternalInvoiceID, that sale is used.
// Facts that come before the sale are kept and applied together with it; nothing needs to
// be reported again. A payment that credits nobody is kept for Config.PaymentMemory, if it
// has a credit, a refund, a dispute or a link of ids.
//
// Refunds and disputes reduce the sale as a refund with ClawBack does, so payouts stay as
// they are. Money that comes back, because a refund failed or a dispute was won, becomes an
// adjustment, because a refund is never undone. Facts after Config.RefundWindow are kept
// and do not count.
//
// A payment in another currency than the program's is a sale in that currency, at
// PaymentFact.ExchangeRate or the rate of Config.Rate for the moment of payment. Without a rate it
// earns nothing: when it names somebody it waits, as [affiliate.SaleOtherCurrency], until it is
// reported again with a rate or a person decides. An error of Config.Rate is returned, and
// nothing has changed.
//
// Errors: [affiliate.InvalidField] for a fact that is not valid by itself, in another
// currency than what is known of the payment, or with another amount for a known refund or
// dispute;
// [affiliate.PaymentConflict] when the ids belong to two payments that both have a sale: a
// person decides then, and nothing is changed. Refusals of codes are in
// PaymentResult.Refused.
//
// Effects: in one transaction the payment with its ids and its payer, those of
// RecordSale, those of [Program.RefundSale] and of [Program.RecordAdjustment].
// Sales and customers have the source INTEGRATION, and the provider as their
// integration if it is one.
//
// Source: docs/payments.md.
func (p Payments) ReportPayment(ctx context.Context, f affiliate.PaymentFact) (affiliate.PaymentResult, error) {
	return payment.ReportPayment(ctx, p.in(ctx), f)
}

// DecidePayment ends the wait of a payment that [Program.Attention] lists.
//
// The same sale: the payment belongs to the sale from now on, and its refunds and disputes
// reduce the sale, by no more than the payment brought. A sale of its own: it is booked by
// the rules of [Payments.ReportPayment] under the provider's id of the payment, for ReferralID if
// that is given, or waits on as its Outcome says. Dismissed: its facts are kept and count nowhere.
//
// A payment of its own whose provider's id belongs to another sale still waits, and so does
// one that credits nobody. One that was reported as paid without saying whom to credit can
// only be dismissed: record its sale yourself when somebody is owed. For a sale of its own in
// another currency, ExchangeRate counts, else Config.Rate for the moment of payment.
//
// Errors: [affiliate.MissingField] (paymentId, decision; exchangeRate, when there is none for its
// currency), [affiliate.InvalidField] (decision; referralId: it names nobody; referralId,
// exchangeRate: with another decision, or without a need; currency, when the payment of that
// sale is counted in another one);
// [affiliate.PaymentNotFound] when no such payment waits; [affiliate.SaleNotFound] when it is said to be
// the payment of a sale that was deleted.
//
// Effects: the payment; those of [Payments.ReportPayment].
//
// Source: docs/payments.md; docs/contract.md 4.6.
func (p *Program) DecidePayment(ctx context.Context, id uuid.UUID,
	in affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error) {
	return payment.DecidePayment(ctx, p.in(ctx), id, in)
}
