package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ApproveAffiliates implements tributary.Program.ApproveAffiliates.
func (p *Program) ApproveAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "ApproveAffiliates", Writes).End(&err)
	return p.moveAll(ctx, "affiliate.approve", ids, affiliate.AffiliateActive)
}

// DeclineAffiliates implements tributary.Program.DeclineAffiliates.
func (p *Program) DeclineAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "DeclineAffiliates", Writes).End(&err)
	return p.moveAll(ctx, "affiliate.decline", ids, affiliate.AffiliateDeclined)
}

// DeactivateAffiliates implements tributary.Program.DeactivateAffiliates.
func (p *Program) DeactivateAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "DeactivateAffiliates", Writes).End(&err)
	return p.moveAll(ctx, "affiliate.deactivate", ids, affiliate.AffiliateDeactivated)
}

// BanAffiliates implements tributary.Program.BanAffiliates.
func (p *Program) BanAffiliates(ctx context.Context, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "BanAffiliates", Writes).End(&err)
	return p.moveAll(ctx, "affiliate.ban", ids, affiliate.AffiliateBanned)
}

// moveAll gives affiliates a status that follows their present one.
func (p *Program) moveAll(ctx context.Context, name string, ids []uuid.UUID, to affiliate.AffiliateStatus) ([]affiliate.Affiliate, error) {
	return p.changeAll(ctx, Request{Name: name, Input: ids}, ids, func(_ *Op, rec *record.Affiliate) error {
		if rec.Status != to && !slices.Contains(rec.Status.Next(), to) {
			return refusal.StatusNotAllowed.Err()
		}
		rec.Status = to
		return nil
	})
}

// SetAffiliatePlan implements tributary.Program.SetAffiliatePlan.
func (p *Program) SetAffiliatePlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetAffiliatePlan", Writes).End(&err)
	rq := Request{Name: "affiliate.set-plan", Input: []any{plan, ids}}
	return p.changeAll(ctx, rq, ids, func(o *Op, rec *record.Affiliate) error {
		rec.PlanID = plan
		_, err := o.TermsOf(plan, refusal.PlanNotFound)
		return err
	})
}

// SetAffiliateTier implements tributary.Program.SetAffiliateTier.
func (p *Program) SetAffiliateTier(ctx context.Context, tier uuid.UUID, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetAffiliateTier", Writes).End(&err)
	rq := Request{Name: "affiliate.set-tier", Input: []any{tier, ids}}
	return p.changeAll(ctx, rq, ids, func(o *Op, rec *record.Affiliate) error {
		rec.TierID = tier
		if tier == uuid.Nil {
			return nil
		}
		if _, err := o.Tx.Tiers.Get(tier); err != nil {
			return refusal.TierNotFound.IfMissing(err)
		}
		return nil
	})
}

// SetTierExempt implements tributary.Program.SetTierExempt.
func (p *Program) SetTierExempt(ctx context.Context, exempt bool, ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetTierExempt", Writes).End(&err)
	rq := Request{Name: "affiliate.set-tier-exempt", Input: []any{exempt, ids}}
	return p.changeAll(ctx, rq, ids, func(_ *Op, rec *record.Affiliate) error {
		rec.TierExempt = exempt
		return nil
	})
}

// newStatus returns the status of a new affiliate: the requested one, else the one
// that Config.NoAutoApprove decides.
func (p *Program) newStatus(asked string) affiliate.AffiliateStatus {
	if status := statusInput(asked); status != "" {
		return status
	}
	if p.Cfg.NoAutoApprove {
		return affiliate.AffiliateInactive
	}
	return affiliate.AffiliateActive
}

// statusInput reads affiliateStatus: active or inactive in any letter case.
// Anything else is empty.
func statusInput(s string) affiliate.AffiliateStatus {
	switch plaintext.Lower(s) {
	case "active":
		return affiliate.AffiliateActive
	case "inactive":
		return affiliate.AffiliateInactive
	}
	return ""
}
