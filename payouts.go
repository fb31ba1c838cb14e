package tributary

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/payout"
)

// SetPayoutDetails replaces the details of how the affiliate is paid; an empty
// field clears it.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.InvalidField] (payoutEmail,
// paymentMethod), [affiliate.AffiliateNotFound].
//
// Effects: the affiliate; affiliate.updated when something changed.
//
// Source: docs/contract.md 2.3, 7.1.
func (p *Program) SetPayoutDetails(ctx context.Context, id uuid.UUID,
	d affiliate.PayoutDetails) (affiliate.Affiliate, error) {
	return p.in(ctx).SetPayoutDetails(ctx, id, d)
}

// CreatePayout collects what is payable to an affiliate: the accepted commissions of its
// sales and its adjustments until PayoutParams.Until that are in no payout and past their
// holding period, and all negative ones, whatever their time. When the sum is not more than
// zero, or is below the minimum, nothing is written and everything stays open for the next
// payout.
//
// Payment method, payout email and name of the affiliate are kept with the
// payout. They do not follow later changes.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.InvalidField] (externalId, minimum),
// [affiliate.AffiliateNotFound], [affiliate.IdentifiersMismatch], [affiliate.AffiliateNotApproved] while the
// affiliate is INACTIVE, INVITED or DECLINED, [affiliate.NothingPayable], [affiliate.BelowPayoutMinimum].
//
// Effects: the payout; payoutCreated and payoutId of what it takes, until the
// payout is canceled; sale.updated once for each sale, except for those whose
// sale.deleted was fired.
//
// Source: docs/rules.md 5.6; docs/money.md 4, 5.
func (p *Program) CreatePayout(ctx context.Context, in affiliate.PayoutParams) (affiliate.Payout, error) {
	return payout.CreatePayout(ctx, p.in(ctx), in)
}

// PayoutEntries lists what a payout took, oldest first, a hundred without a limit.
//
// Errors: [affiliate.ErrNotFound]; [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 4.
func (p *Program) PayoutEntries(ctx context.Context, id uuid.UUID,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutEntry], error) {
	return payout.PayoutEntries(ctx, p.in(ctx), id, pg)
}

// Payout returns a payout.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 2.8.
func (p *Program) Payout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error) {
	return payout.Payout(ctx, p.in(ctx), id)
}

// Payouts lists payouts, newest first.
//
// Errors: [affiliate.InvalidQuery] (status, method, a bad page).
//
// Source: docs/contract.md 2.8.
func (p *Program) Payouts(ctx context.Context, f affiliate.PayoutQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
	return payout.Payouts(ctx, p.in(ctx), f, pg)
}

// PayoutSums returns how many payouts a query selects, and what they add up to: in all, and by
// status.
//
// Errors: [affiliate.InvalidQuery] (status, method).
//
// Source: ours, for people who look at a list. docs/contract.md 4.7.
func (p *Program) PayoutSums(ctx context.Context, f affiliate.PayoutQuery) (affiliate.PayoutSums, error) {
	return payout.PayoutSums(ctx, p.in(ctx), f)
}

// PreviewPayouts lists the lines that [Program.RunPayouts] with these settings
// would write, oldest affiliate first, and changes nothing. A page with a limit is of
// at most 5,000 affiliates, so it may be short, or empty: Next says whether there are
// more. [affiliate.All] walks all pages. Each piece of 500 affiliates is read by
// itself, so the preview costs little memory; on a program that does not change it
// equals the run. Whether a commission is past its holding period is judged by each
// page at its own time.
//
// Errors: [affiliate.InvalidField] as of RunPayouts; [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PreviewPayouts(ctx context.Context, in affiliate.PayoutRun,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	return payout.PreviewPayouts(ctx, p.in(ctx), in, pg)
}

// PayoutRun returns the payout run with an external id.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/money.md 6.
func (p *Program) PayoutRun(ctx context.Context, externalID string) (affiliate.PayoutRunResult, error) {
	return payout.PayoutRun(ctx, p.in(ctx), externalID)
}

// PayoutRuns lists payout runs, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PayoutRuns(ctx context.Context,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutRunResult], error) {
	return payout.PayoutRuns(ctx, p.in(ctx), pg)
}

// PayoutLines lists what a payout run did for each affiliate with something open,
// oldest affiliate first. An unknown run has no lines.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PayoutLines(ctx context.Context, externalID string,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	return payout.PayoutLines(ctx, p.in(ctx), externalID, pg)
}

// RunPayouts pays every affiliate to whom enough is due, and returns when the run
// is DONE. A run is known by its ExternalID. It goes on where it stopped: call it
// again after an error or a crash, in as many processes as you like, and each
// affiliate is examined once and paid at most once. A run that is DONE answers
// what it did. With a Limit it examines so many affiliates and returns the run,
// which is RUNNING when there are more.
//
// The moment of the first call decides what a run pays: a commission whose holding period
// ends later waits for the next run. Each affiliate has a transaction of its own, and a
// line that says what was paid, or why nothing was: [Program.PayoutLines].
//
// Errors: [affiliate.MissingField] and [affiliate.InvalidField] (externalId, minimum, methods,
// affiliateIds), [affiliate.PayoutRunMismatch] when the run was begun with other settings;
// [affiliate.InvalidQuery] (limit); those of the store, after which a part of the run is done.
//
// Effects: the run, its lines and its payouts, each as by
// [Program.CreatePayout].
//
// Source: docs/money.md 6.
func (p *Program) RunPayouts(ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error) {
	return payout.RunPayouts(ctx, p.in(ctx), in)
}

// SetPayoutStatus changes the status of a payout: PENDING to PROCESSING, either
// of them to PAID or FAILED, FAILED back to PROCESSING, PENDING or FAILED to
// CANCELED, and PAID to RETURNED. CANCELED and RETURNED are final. Setting the
// current status changes nothing. A failed payout keeps its commissions. A canceled
// one, and one whose money came back, let them go, so that another payout takes
// them; they keep their amount and their list.
//
// A payout that is PROCESSING cannot be canceled, because its money may be on
// the way: set it to FAILED first.
//
// Errors: [affiliate.MissingField] (payoutId, status), [affiliate.InvalidField] (status),
// [affiliate.PayoutNotFound], [affiliate.StatusNotAllowed].
//
// Effects: the payout; when it becomes PAID, CANCELED or RETURNED, sale.updated
// once for each sale, except for those whose sale.deleted was fired; CANCELED and
// RETURNED also clear payoutCreated, payoutId and manuallyPaid of what it took.
//
// Source: docs/rules.md 5.6; docs/money.md 4.
func (p *Program) SetPayoutStatus(ctx context.Context, id uuid.UUID,
	status affiliate.PayoutStatus) (affiliate.Payout, error) {
	return payout.SetPayoutStatus(ctx, p.in(ctx), id, status)
}

// FailPayout is [Program.SetPayoutStatus] with FAILED and the reason for it (1–10,000
// characters, newlines and tabs allowed). Another reason replaces the one before.
//
// Errors: [affiliate.MissingField] (payoutId), [affiliate.InvalidField] (failedReason),
// [affiliate.PayoutNotFound], [affiliate.StatusNotAllowed].
//
// Effects: the payout; no event.
//
// Source: docs/contract.md 2.8.
func (p *Program) FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return payout.FailPayout(ctx, p.in(ctx), id, reason)
}

// ReturnPayout is [Program.SetPayoutStatus] with RETURNED and the reason for it: a payout
// that was PAID bounced, and the money is back (1–10,000 characters, newlines and tabs
// allowed). Another reason replaces the one before. What it took is payable from now on;
// statements of past months stay as they are.
//
// Errors: [affiliate.MissingField] (payoutId), [affiliate.InvalidField] (returnedReason),
// [affiliate.PayoutNotFound], [affiliate.StatusNotAllowed] unless it is PAID or RETURNED.
//
// Effects: those of [Program.SetPayoutStatus].
//
// Source: docs/money.md 4.
func (p *Program) ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return payout.ReturnPayout(ctx, p.in(ctx), id, reason)
}

// Transfers yields the payouts that a filter selects as transfers, in the order of their
// ids, which is the order of their creation. It reads them in pieces, so it costs little
// memory. A payout that is created or changed meanwhile may be yielded in its old or in its
// new form.
//
// Errors: [affiliate.InvalidQuery] (status, method), and those of the store; each ends the walk.
//
// Source: docs/money.md 7.
func (p *Program) Transfers(ctx context.Context, f affiliate.PayoutQuery) iter.Seq2[affiliate.Transfer, error] {
	return func(yield func(affiliate.Transfer, error) bool) { payout.Transfers(ctx, p.in(ctx), f)(yield) }
}
