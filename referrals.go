package tributary

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// CreateReferral records a customer who came through an affiliate. The
// affiliate comes from the promotional code, else from AffiliateID (a click id,
// an affiliate id or a slug), else from AffiliateEmail.
//
// A customer with a known email is not created again and not moved: the
// existing referral is returned, unless only payers have told the email and another affiliate
// brought who signs up. A code must pass the same rules as in a sale,
// and it is not counted. A click id joins that click to the referral, unless
// the click is older than Config.CookieDays: then it counts as not sent.
//
// Errors: [affiliate.AttributionRequired], [affiliate.MissingField], [affiliate.InvalidField],
// [affiliate.IdentifiersMismatch], [affiliate.ReferralExternalIDTaken], the refusals of a code;
// [affiliate.ErrNotFound] when no
// affiliate could be found (null on the wire).
//
// Effects: a referral, the totals of its affiliate and link; referral.created.
//
// Source: docs/contract.md 3.6; docs/rules.md 3.3, 4.6; docs/money.md 14.
func (p *Program) CreateReferral(ctx context.Context, in affiliate.ReferralParams) (affiliate.Referral, error) {
	return p.in(ctx).CreateReferral(ctx, in)
}

// DeleteReferral removes a referral, named by id or email, and its sales. It
// returns nil when there is no such referral.
//
// Errors: [affiliate.MissingField], [affiliate.InPayout] when a payout holds one of the sales,
// [affiliate.MoneyOwed] when their commission is owed: see [Program.Forfeiting].
//
// Effects: referral, sales and totals are deleted, clicks lose the reference,
// counters of codes stay; referral.deleted.
//
// Source: docs/rules.md 4.7.
func (p *Program) DeleteReferral(ctx context.Context, ident string) error {
	return p.in(ctx).DeleteReferral(ctx, ident)
}

// Referral returns the referral with the id, else with the customer's email.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.6.
func (p *Program) Referral(ctx context.Context, ident string) (affiliate.Referral, error) {
	return p.in(ctx).Referral(ctx, ident)
}

// Referrals lists the referrals that a query selects, newest first. An unknown affiliate has
// none. A search text that is exactly an id, an email or the host's own id of a customer finds
// only what it names.
//
// Errors: [affiliate.InvalidQuery] (subscriptionStatus, since, until, search, a bad page).
//
// Source: docs/contract.md 3.6, 4.6.
func (p *Program) Referrals(ctx context.Context, q affiliate.ReferralQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
	return p.in(ctx).Referrals(ctx, q, pg)
}

// UpdateReferral changes a referral, named by its id or the customer's email. A
// field that is not given stays as it is.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField], [affiliate.ReferralNotFound],
// [affiliate.ReferralEmailTaken], [affiliate.ReferralExternalIDTaken],
// [affiliate.AffiliateNotFound]; [affiliate.ReferralErased]
// when a value would show an erased customer again.
//
// Effects: the referral, and the counts of both affiliates when it moves;
// referral.updated when something changed.
//
// Source: docs/contract.md 3.6.
func (p *Program) UpdateReferral(ctx context.Context, ident string,
	up affiliate.ReferralUpdate) (affiliate.Referral, error) {
	return p.in(ctx).UpdateReferral(ctx, ident, up)
}

// MergeReferrals makes one customer of two. All that From has becomes that of Into: sales, clicks, payers of payment
// providers, and redemptions, which count together from then on. From is deleted, and its id, email and host's id name
// Into. Into stays with its affiliate, link, plan and time, and takes over what only From says. No sale changes whom
// it credits or what it earned. What was merged before is answered as it is, so the call may be repeated.
//
// Errors: [affiliate.MissingField] (from, into), [affiliate.InvalidField] (into) for one and
// the same, [affiliate.ReferralNotFound]; [affiliate.ReferralErased] when one of them was erased.
//
// Effects: all of it in one transaction; sale.updated for each sale that moved, then referral.deleted
// and referral.updated.
//
// Source: docs/rules.md 4.9.
func (p *Program) MergeReferrals(ctx context.Context, in affiliate.Merge) (affiliate.Referral, error) {
	return p.in(ctx).MergeReferrals(ctx, in)
}

// PushReferralStatus sets the subscription status that a payment provider
// reports: any of the five. The referral is named by id or email.
//
// Errors: [affiliate.MissingField] (referralId), [affiliate.InvalidField] (subscriptionStatus),
// [affiliate.ReferralNotFound].
//
// Effects: the status; referral.updated when it changed.
//
// Source: docs/contract.md 7.1.
func (p *Program) PushReferralStatus(ctx context.Context, ident string,
	status affiliate.SubscriptionStatus) (affiliate.Referral, error) {
	return p.in(ctx).PushReferralStatus(ctx, ident, status)
}
