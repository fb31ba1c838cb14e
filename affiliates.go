package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// CreateAffiliate adds an affiliate together with its first link. The slug is
// AffiliateLink, or is made from the email; see rule 4.2. The status is
// AffiliateStatus, or is decided by Config.NoAutoApprove.
//
// Errors: [affiliate.MissingField] and [affiliate.InvalidField] (firstName, lastName, email),
// [affiliate.SlugSyntax], [affiliate.InvalidField] (questionAnswers.questionId,
// questionAnswers.answer), [affiliate.PlanNotFound] (invalid: 400), [affiliate.GroupNotFound],
// [affiliate.InvalidField] (commissionRate), [affiliate.AffiliateEmailTaken], [affiliate.SlugTaken].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/contract.md 3.1.
func (p *Program) CreateAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	return p.in(ctx).CreateAffiliate(ctx, in)
}

// InviteAffiliate is [Program.CreateAffiliate] with the status INVITED; it
// ignores AffiliateStatus. [Program.AcceptInvite] ends the invitation.
//
// Errors: those of [Program.CreateAffiliate].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) InviteAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	return p.in(ctx).InviteAffiliate(ctx, in)
}

// EnsureAffiliate returns the affiliate with in.ExternalID, the host's own id of a user,
// account or tenant, and creates it like [Program.CreateAffiliate] when there is none. An
// affiliate that is there already stays as it is, whatever else in says. An affiliate with
// the same email and another external id, or none, is not taken over:
// [Program.UpdateAffiliate] gives it the external id.
//
// Errors: [affiliate.MissingField] (externalId) and those of [Program.CreateAffiliate].
//
// Effects: those of [Program.CreateAffiliate], for a new one.
//
// Concurrency: of any number of callers at once with the same external id, one creates the
// affiliate, and all get it.
//
// Source: docs/rules.md 4.8; docs/contract.md 3.1.
func (p *Program) EnsureAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	return p.in(ctx).EnsureAffiliate(ctx, in)
}

// MergeAffiliates makes one affiliate of two. All that From has becomes that of Into, as it is: links
// with their former slugs, clicks, codes, customers, sales, adjustments, and payouts that are paid or
// canceled; nothing earns more or less, and what is held stays held. Each entry leaves the ledger of From and
// enters that of Into with the cause MERGE. From is deleted, and its id, email and external id name Into from then on.
// Terms, tier, status and payout details are those of Into. What was merged before is answered as it
// is, so the call may be repeated.
//
// Errors: [affiliate.MissingField] (from, into), [affiliate.InvalidField] (into) for one and
// the same, [affiliate.AffiliateNotFound]; [affiliate.InPayout] while a payout of From is
// PENDING, PROCESSING or FAILED; [affiliate.StatusNotAllowed] (into) when Into was erased.
//
// Effects: all of it in one transaction; promocode.updated, referral.updated and sale.updated for what
// moved, then affiliate.deleted and affiliate.updated.
//
// Source: docs/rules.md 4.9.
func (p *Program) MergeAffiliates(ctx context.Context, in affiliate.Merge) (affiliate.Affiliate, error) {
	return p.in(ctx).MergeAffiliates(ctx, in)
}

// DeleteAffiliate removes an affiliate with its links, clicks, referrals, sales,
// adjustments and canceled payouts. Its codes stay without an affiliate, until
// [Program.UpdateCode] gives them to another one. When nothing matches,
// DeleteAffiliate does nothing and returns nil.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.IdentifiersMismatch]; [affiliate.InPayout] when
// a commission or an adjustment that would be deleted is part of a payout that is
// not canceled; [affiliate.MoneyOwed] when the affiliate is owed money, or owes it: see [Program.Forfeiting].
//
// Effects: only affiliate.deleted; with Config.CascadeEvents the events of the
// children before it.
//
// Source: docs/rules.md 4.7; docs/contract.md 3.1.
func (p *Program) DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) error {
	return p.in(ctx).DeleteAffiliate(ctx, ref)
}

// Affiliate returns the affiliate that ident names. When ident is [affiliate.External] of an
// external id, it is the affiliate with that; when ident has an @, the one with that email, in
// any letter case; when it has only digits, the affiliate of the click with that number; else
// the affiliate with that id; else the owner of that slug. An id must be spelled as it was
// given out; a slug matches in any letter case.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.1; docs/rules.md 4.4.
func (p *Program) Affiliate(ctx context.Context, ident string) (affiliate.Affiliate, error) {
	return p.in(ctx).Affiliate(ctx, ident)
}

// Answers returns the signup answers of an affiliate, in the order in which they were given.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.1.
func (p *Program) Answers(ctx context.Context, affiliateID uuid.UUID) ([]affiliate.Answer, error) {
	return p.in(ctx).Answers(ctx, affiliateID)
}

// Affiliates lists the affiliates that a query selects, newest first. A search text that is
// exactly an id, an email or a slug finds that affiliate alone.
//
// Errors: [affiliate.InvalidQuery] (status, search, a bad page).
//
// Source: docs/contract.md 3.1, 4.6.
func (p *Program) Affiliates(ctx context.Context, q affiliate.AffiliateQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
	return p.in(ctx).Affiliates(ctx, q, pg)
}

// SetAffiliateStatus gives affiliates a status that follows their present one: all of
// them or none. Pending ones become ACTIVE or DECLINED, active ones DEACTIVATED or
// BANNED, and those who are out ACTIVE again; [affiliate.AffiliateStatus.Next] has
// them. An affiliate that has the status already stays as it is.
//
// With ACTIVE, commissions that waited for the approval are accepted, in the same
// transaction. With DEACTIVATED and BANNED, commissions of later sales are on hold;
// earlier commissions stay as they are.
//
// Errors: [affiliate.InvalidField] (status) for another status;
// [affiliate.AffiliateNotFound], [affiliate.StatusNotAllowed], [affiliate.BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed; with ACTIVE its commissions on hold
// with [affiliate.HoldAffiliateNotApproved], and sale.updated for each of their sales.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) SetAffiliateStatus(ctx context.Context, status affiliate.AffiliateStatus,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return p.in(ctx).SetAffiliateStatus(ctx, status, ids...)
}

// UpdateAffiliate changes the affiliate that ref names and returns how many
// matched: 0 or 1. AffiliateLink adds a link; it never renames one.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.InvalidField] (firstName, lastName,
// email, affiliateLink, affiliateStatus, note), [affiliate.SlugSyntax], [affiliate.IdentifiersMismatch],
// [affiliate.InvalidField] (commissionRate), [affiliate.AffiliateEmailTaken], [affiliate.SlugTaken] (also for
// a slug of its own), [affiliate.LinkLimitReached].
//
// Effects: affiliate.updated, once, when something changed. It does not show the note.
//
// Source: docs/contract.md 3.1.
func (p *Program) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef,
	up affiliate.AffiliateUpdate) (int, error) {
	return p.in(ctx).UpdateAffiliate(ctx, ref, up)
}

// AcceptInvite ends an invitation: INVITED becomes ACTIVE, or INACTIVE under
// Config.NoAutoApprove, and the fields that are given are changed too.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.AffiliateNotFound],
// [affiliate.StatusNotAllowed] unless the status is INVITED, and those of
// [Program.UpdateAffiliate].
//
// Effects: the affiliate; affiliate.updated.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) AcceptInvite(ctx context.Context, id uuid.UUID,
	in affiliate.Acceptance) (affiliate.Affiliate, error) {
	return p.in(ctx).AcceptInvite(ctx, id, in)
}
