package tributary

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/payout"
	"github.com/tributary-go/tributary/internal/reading"
)

// Adjustment returns an adjustment.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/money.md 3.
func (p *Program) Adjustment(ctx context.Context, id uuid.UUID) (affiliate.Adjustment, error) {
	return reading.Adjustment(ctx, p.engine, id)
}

// Adjustments lists adjustments, newest first.
//
// Errors: [affiliate.InvalidQuery] (kind, a bad page).
//
// Source: docs/money.md 3.
func (p *Program) Adjustments(ctx context.Context, f affiliate.AdjustmentFilter, pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error) {
	return reading.Adjustments(ctx, p.engine, f, pg)
}

// RecordAdjustment records an amount that an affiliate is owed or owes beside
// the commissions of sales. It is payable at once: the next payout takes it, and
// a negative one lowers that payout. An adjustment is in no totals.
//
// With NewAdjustment.Reverses it takes an earlier adjustment back: it has the
// same kind, affiliate and sale, and the opposite amount. An adjustment is
// reversed once, and one that reverses cannot be reversed.
//
// Errors: [affiliate.MissingField] and [affiliate.InvalidField] (affiliateId, saleId, kind, amount,
// reason, externalId), [affiliate.AffiliateNotFound], [affiliate.SaleNotFound],
// [affiliate.IdentifiersMismatch] when the sale credits another affiliate,
// [affiliate.AdjustmentExternalIDTaken]; of a reversal [affiliate.AdjustmentNotFound],
// [affiliate.AdjustmentReversed].
//
// Effects: the adjustment; no event.
//
// Source: docs/money.md 3.
func (p *Program) RecordAdjustment(ctx context.Context, in affiliate.NewAdjustment) (affiliate.Adjustment, error) {
	return p.engine.RecordAdjustment(ctx, in)
}

// Attention returns what waits for somebody: n of each kind, the newest first. n
// is 1–20; 0 means 5. It reads at most 101 records of each kind from an index,
// and the endpoints, however large the program is.
//
// Errors: [affiliate.InvalidQuery] (limit).
//
// Effects: none.
//
// Source: docs/contract.md 4.6.
func (p *Program) Attention(ctx context.Context, n int) (affiliate.Attention, error) {
	return reading.Attention(ctx, p.engine, n)
}

// Balance returns what an affiliate is owed and was paid, at this moment. It
// reads the kept sums, and besides only the sales that may mature: those of as
// many days as any sale of the affiliate was held.
//
// Errors: [affiliate.AffiliateNotFound]; [affiliate.BooksNotOpen] for an affiliate with sales from
// before there were movements, until an [affiliate.OpenBooksJob]; [affiliate.IdentifiersMismatch].
//
// Source: docs/money.md 8.
func (p *Program) Balance(ctx context.Context, of affiliate.AffiliateRef) (affiliate.Balance, error) {
	return reading.Balance(ctx, p.engine, of)
}

// Balances lists the balances of all affiliates, newest affiliate first. It
// leaves out those whose books are not open; a page is shorter then, and Next
// says whether there are more.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 8.
func (p *Program) Balances(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	return reading.Balances(ctx, p.engine, pg)
}

// Movements lists movements, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page, a cause that does not exist, and a time
// outside the years 1 to 9999.
//
// Source: docs/money.md 8.
func (p *Program) Movements(ctx context.Context, f affiliate.MovementFilter, pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
	return reading.Movements(ctx, p.engine, f, pg)
}

// AdjustmentReasons are the reasons of adjustments by their ids, at most 1,000: what the
// lines of a statement, which keeps ids alone, are about. It leaves out those that are
// not there, and those whose reason was erased.
//
// Errors: [affiliate.InvalidField] (adjustmentIds).
//
// Source: docs/money.md 9.
func (p *Program) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]string, error) {
	return payout.AdjustmentReasons(ctx, p.engine, ids...)
}

// Report counts what happened in each day, week or month of a period, from ≤ t <
// to: the oldest first, empty ones too. A sale, a refund and a deletion count when
// they happen: a refund changes its own day and leaves the day of the sale alone.
// Clicks and referrals are those that are stored now, by the time of their
// creation.
//
// It reads the movements, clicks and referrals of the buckets of the page, a thousand
// at a time, so its cost does not depend on what is outside. The report of a link or a
// code reads the movements of the affiliate it belongs to, and is about these
// alone. With a [Config].NewID of the host, ids do not tell the time, and all
// clicks and referrals are read.
//
// Errors: [affiliate.InvalidQuery] (from, to) for a time outside of the years 1–9999 and
// when to is not after from; (by) for another interval; when more than one id is
// set. [affiliate.MissingField] (by). [affiliate.ReportTooLarge] for more than 1,000 buckets. [affiliate.BooksNotOpen] when the
// books of the affiliate are not open, or not yet at from. [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 16.
func (p *Program) Report(ctx context.Context, q affiliate.ReportQuery, pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) {
	return reading.Report(ctx, p.engine, q, pg)
}

// ExplainSale says who was credited with a sale and why, on which terms, and how
// the commission was calculated.
//
// Errors: [affiliate.SaleNotFound].
//
// Source: docs/money.md 10.
func (p *Program) ExplainSale(ctx context.Context, id affiliate.SaleID) (affiliate.Explanation, error) {
	return reading.ExplainSale(ctx, p.engine, id)
}

// Simulate calculates what past sales would have earned with other terms, for
// each affiliate that has such sales, oldest first. The amounts that are kept,
// the deductions and the rates of a sale, an affiliate or a tier stay as they
// are recorded; the limits of the terms are judged by the number of the payment
// and the time of the referral. Sales that were set by hand, that do not say
// where their rate comes from, that have a rate of their own of another type
// than the terms, or whose limits cannot be judged because the customer's
// referral was deleted, stay as they are. The holding period changes nothing.
//
// It reads the sales of one affiliate at a time, in pieces, and writes nothing.
//
// Errors: [affiliate.InvalidField] for terms that no plan may have, and those of the
// store; each ends the walk.
//
// Source: docs/money.md 11.
func (p *Program) Simulate(ctx context.Context, q affiliate.SimulateQuery) iter.Seq2[affiliate.Difference, error] {
	return reading.Simulate(ctx, p.engine, q)
}

// Statement returns what was owed to an affiliate at the beginning and at the end
// of a period, from ≤ t < to. Its lines are read when they are asked for, all of them
// ([affiliate.Statement.Lines]) or a page ([affiliate.Statement.Page]): those that were
// there when the statement was made. A statement costs the same however many
// movements there are outside.
//
// Errors: [affiliate.MissingField] for the zero ref; [affiliate.AffiliateNotFound],
// [affiliate.IdentifiersMismatch]; [affiliate.InvalidQuery]
// (from, to) for a time outside of the years 1–9999 and when to is not after from;
// [affiliate.BooksNotOpen], also for a period that begins before the [affiliate.OpenBooksJob].
//
// Source: docs/money.md 9.
func (p *Program) Statement(ctx context.Context, of affiliate.AffiliateRef, from, to time.Time) (affiliate.Statement, error) {
	return reading.Statement(ctx, p.engine, of, from, to)
}
