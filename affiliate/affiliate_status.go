package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// The status of an affiliate and the methods that change it. Rule 4.1; contract
// 6.

// Next returns the statuses that [Program.ApproveAffiliates] and its siblings
// give an affiliate of this status. For the way back, UpdateAffiliate sets ACTIVE or
// INACTIVE from any status. AcceptInvite ends INVITED.
//
// Source: docs/rules.md 4.1.
func (s AffiliateStatus) Next() []AffiliateStatus {
	switch s {
	case AffiliateInactive:
		return []AffiliateStatus{AffiliateActive, AffiliateDeclined}
	case AffiliateActive:
		return []AffiliateStatus{AffiliateDeactivated, AffiliateBanned}
	}
	return nil
}

// unapproved reports whether nobody has approved an affiliate of this status.
func (s AffiliateStatus) unapproved() bool {
	return s == AffiliateInactive || s == AffiliateInvited || s == AffiliateDeclined
}

// ApproveAffiliates makes pending affiliates ACTIVE: all of them or none. An
// affiliate that is ACTIVE already stays as it is. Commissions that waited for the
// approval are accepted, in the same transaction.
//
// Errors: [AffiliateNotFound], [StatusNotAllowed], [BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed; its commissions on hold with
// [HoldAffiliateNotApproved], and sale.updated for each of their sales.
//
// Source: docs/contract.md 6.
func (p *Program) ApproveAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "ApproveAffiliates", writes).end(&err)
	return p.moveAll(ctx, "affiliate.approve", ids, AffiliateActive)
}

// DeclineAffiliates makes pending affiliates DECLINED; otherwise like
// [Program.ApproveAffiliates].
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) DeclineAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "DeclineAffiliates", writes).end(&err)
	return p.moveAll(ctx, "affiliate.decline", ids, AffiliateDeclined)
}

// DeactivateAffiliates makes active affiliates DEACTIVATED: commissions of
// their later sales are on hold. Earlier commissions stay as they are.
// Otherwise like [Program.ApproveAffiliates].
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) DeactivateAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "DeactivateAffiliates", writes).end(&err)
	return p.moveAll(ctx, "affiliate.deactivate", ids, AffiliateDeactivated)
}

// BanAffiliates makes active affiliates BANNED, with the effect of
// [Program.DeactivateAffiliates].
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) BanAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "BanAffiliates", writes).end(&err)
	return p.moveAll(ctx, "affiliate.ban", ids, AffiliateBanned)
}

// moveAll gives affiliates a status that follows their present one.
func (p *Program) moveAll(ctx context.Context, name string, ids []uuid.UUID, to AffiliateStatus) ([]Affiliate, error) {
	return p.changeAll(ctx, request{name: name, input: ids}, ids, func(_ *op, rec *AffiliateRecord) error {
		if rec.Status != to && !slices.Contains(rec.Status.Next(), to) {
			return statusNotAllowed.Err()
		}
		rec.Status = to
		return nil
	})
}

// SetAffiliatePlan puts affiliates on a commission plan, all of them or none;
// the zero id means the program's own terms. The plan applies to future sales.
// Recorded sales keep their commission, without an event, until
// [Program.RecalculateSales] calculates them again. An affiliate's own rate and
// a tier's rate are ignored while the plan has another commission type than the
// rate.
//
// Errors: [PlanNotFound], [AffiliateNotFound], [InvalidField] (commissionRate)
// when an affiliate's own rate is above 100 and the plan pays a percentage;
// [BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/rules.md 5.3.
func (p *Program) SetAffiliatePlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "SetAffiliatePlan", writes).end(&err)
	rq := request{name: "affiliate.set-plan", input: []any{plan, ids}}
	return p.changeAll(ctx, rq, ids, func(o *op, rec *AffiliateRecord) error {
		rec.PlanID = plan
		_, err := o.termsOf(plan, planNotFound)
		return err
	})
}

// SetAffiliateTier puts affiliates into a tier, all of them or none, including
// exempt ones; the zero id means no tier.
//
// Errors: [TierNotFound], [AffiliateNotFound], [BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/contract.md 7.1.
func (p *Program) SetAffiliateTier(ctx context.Context, tier uuid.UUID, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "SetAffiliateTier", writes).end(&err)
	rq := request{name: "affiliate.set-tier", input: []any{tier, ids}}
	return p.changeAll(ctx, rq, ids, func(o *op, rec *AffiliateRecord) error {
		rec.TierID = tier
		if tier == uuid.Nil {
			return nil
		}
		if _, err := o.tx.Tiers.Get(tier); err != nil {
			return tierNotFound.ifMissing(err)
		}
		return nil
	})
}

// SetTierExempt sets whether [Program.AssignTiers] skips the affiliates: for
// all of them or none.
//
// Errors: [AffiliateNotFound], [BulkLimitExceeded].
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/contract.md 2.3 (exemptFromCommissionTierChanges).
func (p *Program) SetTierExempt(ctx context.Context, exempt bool, ids ...uuid.UUID) (_ []Affiliate, err error) {
	defer p.begin(&ctx, "SetTierExempt", writes).end(&err)
	rq := request{name: "affiliate.set-tier-exempt", input: []any{exempt, ids}}
	return p.changeAll(ctx, rq, ids, func(_ *op, rec *AffiliateRecord) error {
		rec.TierExempt = exempt
		return nil
	})
}

// newStatus is the status of a new affiliate: the requested one, else the one
// that Config.NoAutoApprove decides.
func (p *Program) newStatus(asked string) AffiliateStatus {
	if status := statusInput(asked); status != "" {
		return status
	}
	if p.cfg.NoAutoApprove {
		return AffiliateInactive
	}
	return AffiliateActive
}

// statusInput reads affiliateStatus: active or inactive in any letter case.
// Anything else is empty.
func statusInput(s string) AffiliateStatus {
	switch plaintext.Lower(s) {
	case "active":
		return AffiliateActive
	case "inactive":
		return AffiliateInactive
	}
	return ""
}
