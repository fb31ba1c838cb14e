package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// SetAffiliatePlan puts affiliates on a commission plan, all of them or none;
// the zero id means the program's own terms. The plan applies to future sales.
// Recorded sales keep their commission, without an event, until
// an [affiliate.RecalculateJob] calculates them again. An affiliate's own rate and
// a tier's rate are ignored while the plan has another commission type than the
// rate.
//
// Errors: [affiliate.PlanNotFound], [affiliate.AffiliateNotFound], [affiliate.InvalidField] (commissionRate)
// when an affiliate's own rate is above 100 and the plan pays a percentage;
// [affiliate.BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/rules.md 5.3.
func (p *Program) SetAffiliatePlan(ctx context.Context, plan uuid.UUID,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return p.in(ctx).SetAffiliatePlan(ctx, plan, ids...)
}

// SetAffiliateTier puts affiliates into a tier, all of them or none, including
// exempt ones; the zero id means no tier.
//
// Errors: [affiliate.TierNotFound], [affiliate.AffiliateNotFound], [affiliate.BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/contract.md 7.1.
func (p *Program) SetAffiliateTier(ctx context.Context, tier uuid.UUID,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return p.in(ctx).SetAffiliateTier(ctx, tier, ids...)
}

// SetTierExempt sets whether an [affiliate.AssignTiersJob] skips the affiliates: for
// all of them or none.
//
// Errors: [affiliate.AffiliateNotFound], [affiliate.BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/contract.md 2.3 (exemptFromCommissionTierChanges).
func (p *Program) SetTierExempt(ctx context.Context, exempt bool, ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return p.in(ctx).SetTierExempt(ctx, exempt, ids...)
}

// CreatePlan adds a commission plan.
//
// Errors: [affiliate.MissingField] (name), [affiliate.InvalidField] (name, commissionType,
// commissionRate, numberOfPayments, numberOfMonths, paymentTrigger).
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) CreatePlan(ctx context.Context, in affiliate.PlanParams) (affiliate.Plan, error) {
	return p.in(ctx).CreatePlan(ctx, in)
}

// Plan finds a plan by its id.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 2.9.
func (p *Program) Plan(ctx context.Context, id uuid.UUID) (affiliate.Plan, error) {
	return p.in(ctx).Plan(ctx, id)
}

// Plans lists the commission plans, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.9.
func (p *Program) Plans(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Plan], error) {
	return p.in(ctx).Plans(ctx, pg)
}

// UpdatePlan changes a plan for future sales. Recorded sales keep their
// commission, without an event, until an [affiliate.RecalculateJob] calculates
// them again. The commission type of a plan in use cannot change, because the
// own rates of its affiliates have that type.
//
// With From, the terms change from then on: the plan keeps versions of them, as
// [Program.SetTerms] says.
//
// Errors: [affiliate.MissingField] (commissionPlanId), [affiliate.PlanNotFound], [affiliate.PlanInUse], and
// those of [Program.CreatePlan].
//
// Effects: the plan; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.9.
func (p *Program) UpdatePlan(ctx context.Context, id uuid.UUID, up affiliate.PlanUpdate) (affiliate.Plan, error) {
	return p.in(ctx).UpdatePlan(ctx, id, up)
}

// SetTerms changes the program's own terms, of affiliates without a plan, at once or from a
// moment on, and returns all versions of them. Until the first change they are
// Config.Terms; these are kept as the first version then, and a change of Config.Terms
// has no effect any more. A sale takes the terms that were in force when it was paid.
// Recorded sales keep their commission until an [affiliate.RecalculateJob] calculates them
// again, by the terms of that moment.
//
//	p.SetTerms(ctx, affiliate.TermsUpdate{
//		Rate: affiliate.Set(affiliate.MustPercent("15")), From: affiliate.Set(affiliate.Day(2027, time.January, 1)),
//	})
//
// Errors: [affiliate.InvalidField] for terms as in [Program.CreatePlan]; (from) when that
// is not later than now, or there are 32 versions; (withdraw) when no version begins
// then, or it was in force already.
//
// Effects: the terms; no event.
//
// Source: docs/terms.md 7.
func (p *Program) SetTerms(ctx context.Context, up affiliate.TermsUpdate) ([]affiliate.DatedTerms, error) {
	return p.in(ctx).SetTerms(ctx, up)
}

// Bonuses returns how far an affiliate is with the bonuses that their terms give affiliates. It reads
// the sales of the affiliate since the earliest [affiliate.Bonus].From.
//
// Errors: [affiliate.AffiliateNotFound]; [affiliate.IdentifiersMismatch].
//
// Source: docs/rewards.md 5.
func (p *Program) Bonuses(ctx context.Context, of affiliate.AffiliateRef) ([]affiliate.BonusProgress, error) {
	return p.in(ctx).Bonuses(ctx, of)
}

// Terms returns all versions of the program's own terms, oldest first: past ones, the one in
// force, and those to come.
//
// Source: docs/terms.md 7.
func (p *Program) Terms(ctx context.Context) ([]affiliate.DatedTerms, error) {
	return p.in(ctx).Terms(ctx)
}

// Budgets lists how much of the budgets of terms is used, the latest periods first, and those
// without a period last.
//
// Errors: [affiliate.InvalidQuery] for an unknown status, or a bad page.
//
// Source: docs/rewards.md.
func (p *Program) Budgets(ctx context.Context, q affiliate.BudgetQuery,
	pg affiliate.Page) (affiliate.List[affiliate.BudgetUse], error) {
	return p.in(ctx).Budgets(ctx, q, pg)
}

// DeletePlan removes a plan.
//
// Errors: [affiliate.MissingField] (commissionPlanId); [affiliate.PlanNotFound];
// [affiliate.PlanInUse] when an affiliate or a referral is on it.
//
// Effects: the plan; no event.
//
// Source: docs/contract.md 2.9.
func (p *Program) DeletePlan(ctx context.Context, id uuid.UUID) error {
	return p.in(ctx).DeletePlan(ctx, id)
}

// SetReferralPlan gives customers a commission plan of their own, which is used
// instead of their affiliate's; the zero plan removes it. All customers are
// changed or none. The plan applies to future sales. Recorded sales keep their
// commission, without an event, until an [affiliate.RecalculateJob] calculates
// them again. The affiliate's own rate and its tier's rate are ignored when the
// plan has another commission type.
//
// Errors: [affiliate.PlanNotFound], [affiliate.ReferralNotFound], [affiliate.BulkLimitExceeded].
//
// Effects: the referrals; referral.updated for each that changed.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.5.
func (p *Program) SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]affiliate.Referral, error) {
	return p.in(ctx).SetReferralPlan(ctx, plan, ids...)
}

// CreateTier adds a tier.
//
// A tier has no plan, so its rate has the commission type of the program. The
// rate is ignored under a plan of the other type.
//
// Errors: [affiliate.MissingField] (name), [affiliate.InvalidField] (tier, name, emoji,
// minReferrals, minRevenue, per, gracePeriods, atPeriodEnd, conditionType, commissionRate).
//
// Effects: the tier; no event.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.10.
func (p *Program) CreateTier(ctx context.Context, in affiliate.TierParams) (affiliate.Tier, error) {
	return p.in(ctx).CreateTier(ctx, in)
}

// Tier finds a tier by its id.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 2.10.
func (p *Program) Tier(ctx context.Context, id uuid.UUID) (affiliate.Tier, error) {
	return p.in(ctx).Tier(ctx, id)
}

// Tiers lists the tiers, newest first.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.10.
func (p *Program) Tiers(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Tier], error) {
	return p.in(ctx).Tiers(ctx, pg)
}

// UpdateTier changes a tier. It moves no affiliate; see [affiliate.AssignTiersJob].
//
// Errors: [affiliate.MissingField] (commissionTierId), [affiliate.TierNotFound], and those of
// [Program.CreateTier].
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) UpdateTier(ctx context.Context, id uuid.UUID, up affiliate.TierUpdate) (affiliate.Tier, error) {
	return p.in(ctx).UpdateTier(ctx, id, up)
}

// DeleteTier removes a tier.
//
// Errors: [affiliate.MissingField] (commissionTierId); [affiliate.TierNotFound];
// [affiliate.TierInUse] when an affiliate is in it.
//
// Effects: the tier; no event.
//
// Source: docs/contract.md 2.10.
func (p *Program) DeleteTier(ctx context.Context, id uuid.UUID) error {
	return p.in(ctx).DeleteTier(ctx, id)
}
