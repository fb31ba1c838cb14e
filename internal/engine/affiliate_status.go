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

// moves are the statuses that people give, and what such a request is called in its
// receipt.
var moves = map[affiliate.AffiliateStatus]string{
	affiliate.AffiliateActive: "affiliate.approve", affiliate.AffiliateDeclined: "affiliate.decline",
	affiliate.AffiliateDeactivated: "affiliate.deactivate", affiliate.AffiliateBanned: "affiliate.ban",
}

// SetAffiliateStatus implements tributary.Program.SetAffiliateStatus.
func (p *Program) SetAffiliateStatus(ctx context.Context, status affiliate.AffiliateStatus,
	ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetAffiliateStatus", Writes).End(&err)
	name, known := moves[status]
	rq := Request{Name: name, Input: ids}
	if !known {
		rq = Request{Name: "affiliate.status", Input: []any{status, ids}, Refused: refusal.RefuseMove.Err()}
	}
	return p.changeAll(ctx, rq, ids, func(_ *Op, rec *record.Affiliate) error {
		if rec.Status != status && !slices.Contains(rec.Status.Next(), status) {
			return refusal.StatusNotAllowed.Err()
		}
		rec.Status = status
		return nil
	})
}

// SetAffiliatePlan implements tributary.Program.SetAffiliatePlan.
func (p *Program) SetAffiliatePlan(ctx context.Context, plan uuid.UUID,
	ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetAffiliatePlan", Writes).End(&err)
	rq := Request{Name: "affiliate.set-plan", Input: []any{plan, ids}}
	return p.changeAll(ctx, rq, ids, func(o *Op, rec *record.Affiliate) error {
		rec.PlanID = plan
		_, err := o.TermsOf(plan, refusal.PlanNotFound)
		return err
	})
}

// SetAffiliateTier implements tributary.Program.SetAffiliateTier.
func (p *Program) SetAffiliateTier(ctx context.Context, tier uuid.UUID,
	ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
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
func (p *Program) SetTierExempt(ctx context.Context, exempt bool,
	ids ...uuid.UUID) (_ []affiliate.Affiliate, err error) {
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
