package tributary

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// Profile returns the affiliate's own profile.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 4.7.
func (p Partner) Profile(ctx context.Context) (partner.Profile, error) {
	return p.in(ctx).Profile(ctx)
}

// Terms returns the terms by which the affiliate's sales earn, oldest first: those in force,
// and those to come. They are of the affiliate's plan or of the program, with the rate that
// reaches the affiliate, without rules that an own rate or a tier's stands above, and without
// the names of rules. A customer on a plan of their own has other terms.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/terms.md 7; docs/contract.md 4.7.
func (p Partner) Terms(ctx context.Context) ([]affiliate.DatedTerms, error) {
	return p.in(ctx).Terms(ctx)
}

// Bonuses is [Program.Bonuses] of the affiliate.
//
// Source: docs/rewards.md 5.
func (p Partner) Bonuses(ctx context.Context) ([]affiliate.BonusProgress, error) {
	return p.in(ctx).Bonuses(ctx)
}

// Offer returns what the affiliate's links give customers without a code, as it works now; not given: nothing, or
// a coupon that does not work.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/rules.md 3.11.
func (p Partner) Offer(ctx context.Context) (affiliate.Opt[affiliate.Offer], error) {
	return p.in(ctx).Offer(ctx)
}

// Balance is [Program.Balance] of the affiliate.
//
// Source: docs/money.md 8.
func (p Partner) Balance(ctx context.Context) (affiliate.Balance, error) {
	return p.in(ctx).Balance(ctx)
}

// Due is Balance with the days on which what is not payable yet will be.
//
// Errors: those of Balance.
//
// Source: docs/money.md 8.
func (p Partner) Due(ctx context.Context) (partner.Due, error) {
	return p.in(ctx).Due(ctx)
}

// Statement is [Program.Statement] of the affiliate.
//
// Source: docs/money.md 9.
func (p Partner) Statement(ctx context.Context, from, to time.Time) (affiliate.Statement, error) {
	return p.in(ctx).Statement(ctx, from, to)
}

// Report is [Program.Report] of the affiliate.
//
// Source: docs/money.md 16.
func (p Partner) Report(ctx context.Context, from, to time.Time, by affiliate.Interval) ([]affiliate.Bucket, error) {
	return p.in(ctx).Report(ctx, from, to, by)
}

// Breakdown ranks by what means the affiliate brought the activity of a period: it is
// [Program.Breakdown] of the affiliate, by revenue. What is not the affiliate's own, such as
// coupons, products and plans, is no dimension here.
//
// Errors: those of Program.Breakdown; [affiliate.InvalidQuery] (by) for another dimension
// than link, promotionalCode, landingPage, utmSource, utmMedium, utmCampaign and sub.
//
// Source: docs/money.md 16.1.
func (p Partner) Breakdown(ctx context.Context, from, to time.Time, by affiliate.Dimension,
	pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
	return p.in(ctx).Breakdown(ctx, from, to, by, pg)
}

// SetPayoutDetails is [Program.SetPayoutDetails] by the affiliate itself, with the source
// AFFILIATE_PORTAL. The affiliate must be ACTIVE.
//
// Errors: those of Program.SetPayoutDetails; [affiliate.StatusNotAllowed].
//
// Effects: those of Program.SetPayoutDetails.
//
// Source: docs/contract.md 4.7.
func (p Partner) SetPayoutDetails(ctx context.Context, d affiliate.PayoutDetails) (partner.Profile, error) {
	return p.in(ctx).SetPayoutDetails(ctx, d)
}

// Links lists the links of the affiliate.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Links(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Link], error) {
	return p.in(ctx).Links(ctx, pg)
}

// Link returns a link of the affiliate.
//
// Errors: [affiliate.ErrNotFound], also for one of somebody else.
//
// Source: docs/contract.md 4.7.
func (p Partner) Link(ctx context.Context, id uuid.UUID) (partner.Link, error) {
	return p.in(ctx).Link(ctx, id)
}

// AddLink adds a link that the affiliate makes, with the source AFFILIATE_PORTAL. Without a
// slug it gets one that is made from the affiliate's email. most is how many links the
// affiliate may then have, those counted that the program has made. The affiliate must be
// ACTIVE.
//
// Errors: those of [Program.CreateLink]; [affiliate.ErrNotFound]; [affiliate.StatusNotAllowed];
// [affiliate.LinkLimitReached] also for most.
//
// Effects: those of Program.CreateLink.
//
// Source: docs/contract.md 4.7.
func (p Partner) AddLink(ctx context.Context, slug string, most int) (partner.Link, error) {
	return p.in(ctx).AddLink(ctx, slug, most)
}

// RenameLink is [Program.RenameLink] of a link of the affiliate, with the source
// AFFILIATE_PORTAL. The affiliate must be ACTIVE.
//
// Errors: those of Program.RenameLink, [affiliate.LinkNotFound] also for a link of somebody
// else; [affiliate.ErrNotFound]; [affiliate.StatusNotAllowed].
//
// Effects: those of Program.RenameLink.
//
// Source: docs/contract.md 4.7.
func (p Partner) RenameLink(ctx context.Context, id uuid.UUID, slug string) (partner.Link, error) {
	return p.in(ctx).RenameLink(ctx, id, slug)
}

// Codes lists the codes of the affiliate.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Codes(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Code], error) {
	return p.in(ctx).Codes(ctx, pg)
}

// Referrals lists the customers of the affiliate.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Referrals(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Referral], error) {
	return p.in(ctx).Referrals(ctx, pg)
}

// Sales lists the sales that credit the affiliate.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Sales(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Sale], error) {
	return p.in(ctx).Sales(ctx, pg)
}

// ExplainSale says why a sale earned the affiliate what it did: it is
// [Program.ExplainSale] without what is not the affiliate's own.
//
// Errors: [affiliate.ErrNotFound], also for a sale that credits somebody else.
//
// Source: docs/contract.md 4.7.
func (p Partner) ExplainSale(ctx context.Context, id affiliate.SaleID) (partner.Explanation, error) {
	return p.in(ctx).ExplainSale(ctx, id)
}

// Payouts lists the payouts of the affiliate.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Payouts(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Payout], error) {
	return p.in(ctx).Payouts(ctx, pg)
}

// Payout returns a payout of the affiliate.
//
// Errors: [affiliate.ErrNotFound], also for one of somebody else.
//
// Source: docs/contract.md 4.7.
func (p Partner) Payout(ctx context.Context, id uuid.UUID) (partner.Payout, error) {
	return p.in(ctx).Payout(ctx, id)
}

// PayoutEntries is [Program.PayoutEntries] of a payout of the affiliate.
//
// Errors: [affiliate.ErrNotFound], also for one of somebody else; [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) PayoutEntries(ctx context.Context, id uuid.UUID,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutEntry], error) {
	return p.in(ctx).PayoutEntries(ctx, id, pg)
}

// AdjustmentReasons is [Program.AdjustmentReasons] for adjustments of the affiliate.
//
// Errors: [affiliate.InvalidField] (adjustmentIds).
//
// Source: docs/contract.md 4.7.
func (p Partner) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]string, error) {
	return p.in(ctx).AdjustmentReasons(ctx, ids...)
}

// Spend uses up something of the affiliate that counts once, such as a token in a link, and
// reports whether this was the first time. It stores a receipt, which every process on the
// store sees, for 24 hours, so the token must expire earlier. name has 1–255 visible ASCII
// characters. The affiliate need not exist.
//
// Errors: [affiliate.IdempotencyKeyInvalid] for another name; those of the store, after
// which the name may be used up.
//
// Source: docs/contract.md 1.8.
func (p Partner) Spend(ctx context.Context, name string) (bool, error) {
	return p.in(ctx).Spend(ctx, name)
}

// Spent reports whether a name was spent in the last 24 hours.
//
// Errors: those of the store.
func (p Partner) Spent(ctx context.Context, name string) (bool, error) {
	return p.in(ctx).Spent(ctx, name)
}

// OpenCase is [Program.OpenCase] by the affiliate itself. What the input says of who asks is
// the affiliate, or nothing.
//
// Errors: those of Program.OpenCase; [affiliate.IdentifiersMismatch] for another affiliate.
//
// Source: docs/contract.md 4.7.
func (p Partner) OpenCase(ctx context.Context, in affiliate.CaseParams) (partner.Case, error) {
	return p.in(ctx).OpenCase(ctx, in)
}

// Cases lists what the affiliate has asked, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (p Partner) Cases(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Case], error) {
	return p.in(ctx).Cases(ctx, pg)
}
