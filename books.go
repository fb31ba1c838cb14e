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
	return reading.Adjustment(ctx, p.in(ctx), id)
}

// Adjustments lists adjustments, newest first.
//
// Errors: [affiliate.InvalidQuery] (kind, a bad page).
//
// Source: docs/money.md 3.
func (p *Program) Adjustments(ctx context.Context, f affiliate.AdjustmentQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error) {
	return reading.Adjustments(ctx, p.in(ctx), f, pg)
}

// RecordAdjustment records an amount that an affiliate is owed or owes besides the
// commissions of sales. It is payable at once: the next payout takes it, and a negative one
// lowers that payout. Adjustments count in no totals.
//
// With AdjustmentParams.Reverses it takes an earlier adjustment back: it has the same kind,
// affiliate and sale, and the opposite amount. An adjustment can be reversed once, and a
// reversal cannot be reversed.
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
func (p *Program) RecordAdjustment(ctx context.Context, in affiliate.AdjustmentParams) (affiliate.Adjustment, error) {
	return p.in(ctx).RecordAdjustment(ctx, in)
}

// Attention returns what waits for somebody: the newest n of each kind. n is 1–20; 0 means
// 5. It reads at most 101 records of each kind from an index, and the endpoints, however
// large the program is.
//
// Errors: [affiliate.InvalidQuery] (limit).
//
// Effects: none.
//
// Source: docs/contract.md 4.6.
func (p *Program) Attention(ctx context.Context, n int) (affiliate.Attention, error) {
	return reading.Attention(ctx, p.in(ctx), n)
}

// Balance returns what an affiliate is owed and was paid, at this moment. It reads the
// stored sums and, to tell what has matured, only recent sales: those of as many days as
// the longest holding period of any sale of the affiliate.
//
// Errors: [affiliate.AffiliateNotFound]; [affiliate.BooksNotOpen] for an affiliate whose
// sales are older than movements, until an [affiliate.OpenBooksJob]; [affiliate.IdentifiersMismatch].
//
// Source: docs/money.md 8.
func (p *Program) Balance(ctx context.Context, of affiliate.AffiliateRef) (affiliate.Balance, error) {
	return reading.Balance(ctx, p.in(ctx), of)
}

// Balances lists the balances of all affiliates, newest affiliate first. It
// leaves out those whose books are not open; a page is shorter then, and Next
// says whether there are more.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 8.
func (p *Program) Balances(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	return reading.Balances(ctx, p.in(ctx), pg)
}

// TotalBalance returns what all affiliates together are owed and were paid: now, or as of
// a moment, before which everything counts. The zero time is now.
//
// Of a moment of the past it tells from the ledger: it reads the last movement of each
// affiliate before it and those of the longest holding period before that, and the movements
// since, for affiliates who were deleted. What was maturing is told by the sales as they are
// now: a commission of a sale that was deleted since, or from before the books, counts as payable.
// It reads a thousand affiliates at a time, so a total of now may have a sale that moves meanwhile twice or not at all.
//
// Of a moment to come it tells what will have matured by then, if nothing else happens.
//
// Errors: [affiliate.InvalidQuery] (at) for a time outside of the years 1–9999.
//
// Source: docs/money.md 8.1.
func (p *Program) TotalBalance(ctx context.Context, at time.Time) (affiliate.TotalBalance, error) {
	return reading.TotalBalance(ctx, p.in(ctx), at)
}

// RankedBalances lists the balances that TotalBalance adds up: whom most is owed first.
// Those that are zero are left out, and those of affiliates who were deleted since are
// there. A page reads everything anew.
//
// Errors: [affiliate.InvalidQuery] (at, a bad page); [affiliate.ReportTooLarge] for more
// than 100,000 balances.
//
// Source: docs/money.md 8.1.
func (p *Program) RankedBalances(ctx context.Context, at time.Time,
	pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	return reading.RankedBalances(ctx, p.in(ctx), at, pg)
}

// Movements lists movements, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page, a cause that does not exist, and a time
// outside the years 1 to 9999.
//
// Source: docs/money.md 8.
func (p *Program) Movements(ctx context.Context, f affiliate.MovementQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
	return reading.Movements(ctx, p.in(ctx), f, pg)
}

// AdjustmentReasons returns the reasons of adjustments by their ids, at most 1,000 of them.
// A statement has only ids: this says what its lines are about. Adjustments that do not
// exist, or whose reason was erased, are left out.
//
// Errors: [affiliate.InvalidField] (adjustmentIds).
//
// Source: docs/money.md 9.
func (p *Program) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]string, error) {
	return payout.AdjustmentReasons(ctx, p.in(ctx), ids...)
}

// Report counts what happened in each day, week, month, quarter or year of a period, from ≤ t < to: the
// oldest first, empty ones too. A sale, a refund and a deletion count when they happen: a
// refund changes its own day and not the day of the sale. Clicks and referrals are those
// that are still stored, by the time of their creation.
//
// It reads the movements, clicks and referrals of the buckets of the page, a thousand at
// a time, so its cost depends on these only. The report of a link or a code reads the
// movements of the affiliate that owns it, and counts only its own. When the host sets
// [Config].NewID, ids do not tell the time, and all clicks and referrals are read.
//
// Errors: [affiliate.InvalidQuery] (from, to) for a time outside of the years 1–9999 and
// when to is not after from; (by) for another interval; when more than one id is
// set. [affiliate.MissingField] (by). [affiliate.ReportTooLarge] for more than 1,000 buckets.
// [affiliate.BooksNotOpen] when the
// books of the affiliate are not open, or not yet at from. [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 16.
func (p *Program) Report(ctx context.Context, q affiliate.ReportQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) {
	return reading.Report(ctx, p.in(ctx), q, pg)
}

// Breakdown ranks who or what brought the activity of a period, from ≤ t < to: a row for
// each affiliate, link, code, coupon, product, commission plan, landing page, campaign or
// partner's mark in it, the greatest first. The amounts of the rows add up to those of
// [Program.Report] for the same period. What has none of the dimension, adjustments among
// it, is the row with an empty value.
//
// A sale is counted as in a report, by its movements. Of a sale of several lines each
// product has its share of the amounts, and the sale counts once for each of its products.
//
// It reads the movements of the period, and for the dimensions that they do not have the
// sales, redemptions or clicks of these, a thousand at a time. A page ranks everything
// anew: a row may be on two pages, or on none, while something of the period changes.
//
// Errors: [affiliate.InvalidQuery] (from, to, by, sort); [affiliate.MissingField] (by);
// [affiliate.ReportTooLarge] for more than 100,000 rows; [affiliate.BooksNotOpen] when the
// books of the affiliate are not open, or not yet at from. [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 16.1.
func (p *Program) Breakdown(ctx context.Context, q affiliate.BreakdownQuery,
	pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
	return reading.Breakdown(ctx, p.in(ctx), q, pg)
}

// ExplainSale says who was credited with a sale and why, on which terms, and how
// the commission was calculated.
//
// Errors: [affiliate.SaleNotFound].
//
// Source: docs/money.md 10.
func (p *Program) ExplainSale(ctx context.Context, id affiliate.SaleID) (affiliate.Explanation, error) {
	return reading.ExplainSale(ctx, p.in(ctx), id)
}

// Simulate calculates what past sales would have earned with other terms, for each
// affiliate that has such sales, oldest first. Recorded kept amounts, deductions, and the
// rates of a sale, an affiliate or a tier are used as they are; the limits of the terms
// apply to the number of the payment and the time of the referral. A sale keeps its
// commission if it was set by hand, does not say where its rate comes from, has a rate of
// its own of another type than the terms, or if its limits cannot be checked because the
// customer's referral was deleted. The holding period has no effect.
//
// With an Attribution it says instead whom the sales would credit by other choices.
//
// It reads the sales of one affiliate at a time, or all in the order of their recording when affiliates
// share a budget or sales may change hands, in pieces, and writes nothing.
//
// Errors: [affiliate.InvalidField] for terms that no plan may have, for choices that there are not, and
// for both at once (terms); those of the store; each ends the walk.
//
// Source: docs/money.md 11.
func (p *Program) Simulate(ctx context.Context, q affiliate.SimulateQuery) iter.Seq2[affiliate.Difference, error] {
	return func(yield func(affiliate.Difference, error) bool) { reading.Simulate(ctx, p.in(ctx), q)(yield) }
}

// Statement returns what was owed to an affiliate at the beginning and at the end of a
// period, from ≤ t < to. Its lines, as of when it was made, are read on demand: all of
// them ([affiliate.Statement.Lines]) or a page ([affiliate.Statement.Page]). Its cost does
// not depend on the movements outside of the period.
//
// Errors: [affiliate.MissingField] for the zero ref; [affiliate.AffiliateNotFound],
// [affiliate.IdentifiersMismatch]; [affiliate.InvalidQuery]
// (from, to) for a time outside of the years 1–9999 and when to is not after from;
// [affiliate.BooksNotOpen], also for a period that begins before the [affiliate.OpenBooksJob].
//
// Source: docs/money.md 9.
func (p *Program) Statement(ctx context.Context, of affiliate.AffiliateRef, from,
	to time.Time) (affiliate.Statement, error) {
	return reading.Statement(ctx, p.in(ctx), of, from, to)
}
