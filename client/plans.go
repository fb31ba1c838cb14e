package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const plans = "/commission-plans"

// Plan is [tributary.Program.Plan].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Plan(ctx context.Context, id uuid.UUID) (affiliate.Plan, error) {
	return one[affiliate.Plan](ctx, c, plans, firstOf("commissionPlanId", textOfID(id)))
}

// Plans is [tributary.Program.Plans].
func (c *Client) Plans(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Plan], error) {
	return selected[affiliate.Plan](ctx, c, plans, filter{}, pg)
}

// planID names a plan on the wire.
type planID struct {
	CommissionPlanID uuid.UUID `json:"commissionPlanId,omitzero"`
}

// CreatePlan is [tributary.Program.CreatePlan].
func (c *Client) CreatePlan(ctx context.Context, in affiliate.PlanParams) (affiliate.Plan, error) {
	return send[affiliate.Plan](ctx, c, c.post(plans, in, affiliate.Once{}))
}

// UpdatePlan is [tributary.Program.UpdatePlan].
func (c *Client) UpdatePlan(ctx context.Context, id uuid.UUID, up affiliate.PlanUpdate) (affiliate.Plan, error) {
	return send[affiliate.Plan](ctx, c, c.put(plans, struct {
		planID
		affiliate.PlanUpdate
	}{planID{id}, up}))
}

const terms = "/terms"

// Terms is [tributary.Program.Terms].
func (c *Client) Terms(ctx context.Context) ([]affiliate.DatedTerms, error) {
	return send[[]affiliate.DatedTerms](ctx, c, fetch(terms, nil))
}

// SetTerms is [tributary.Program.SetTerms].
func (c *Client) SetTerms(ctx context.Context, up affiliate.TermsUpdate) ([]affiliate.DatedTerms, error) {
	return send[[]affiliate.DatedTerms](ctx, c, c.put(terms, up))
}

// Bonuses is [tributary.Program.Bonuses].
//
// Errors: [affiliate.ErrNotFound] for an unknown affiliate.
func (c *Client) Bonuses(ctx context.Context, of affiliate.AffiliateRef) ([]affiliate.BonusProgress, error) {
	rq := fetch("/bonuses", named(of))
	if len(rq.query) == 0 {
		return nil, affiliate.ErrNotFound
	}
	rq.oneName(of)
	return find[[]affiliate.BonusProgress](ctx, c, rq)
}

// Budgets is [tributary.Program.Budgets].
func (c *Client) Budgets(ctx context.Context, q affiliate.BudgetQuery,
	pg affiliate.Page) (affiliate.List[affiliate.BudgetUse], error) {
	return selected[affiliate.BudgetUse](ctx, c, "/budgets", filterOf(q), pg)
}

// DeletePlan is [tributary.Program.DeletePlan].
func (c *Client) DeletePlan(ctx context.Context, id uuid.UUID) error {
	return done(ctx, c, c.remove(plans, planID{id}))
}

const tiers = "/commission-tiers"

// Tier is [tributary.Program.Tier].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Tier(ctx context.Context, id uuid.UUID) (affiliate.Tier, error) {
	return one[affiliate.Tier](ctx, c, tiers, firstOf("commissionTierId", textOfID(id)))
}

// Tiers is [tributary.Program.Tiers].
func (c *Client) Tiers(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Tier], error) {
	return selected[affiliate.Tier](ctx, c, tiers, filter{}, pg)
}

// CreateTier is [tributary.Program.CreateTier].
func (c *Client) CreateTier(ctx context.Context, in affiliate.TierParams) (affiliate.Tier, error) {
	return send[affiliate.Tier](ctx, c, c.post(tiers, in, affiliate.Once{}))
}

// tierID names a tier on the wire.
type tierID struct {
	CommissionTierID uuid.UUID `json:"commissionTierId,omitzero"`
}

// UpdateTier is [tributary.Program.UpdateTier].
func (c *Client) UpdateTier(ctx context.Context, id uuid.UUID, up affiliate.TierUpdate) (affiliate.Tier, error) {
	return send[affiliate.Tier](ctx, c, c.put(tiers, struct {
		tierID
		affiliate.TierUpdate
	}{tierID{id}, up}))
}

// DeleteTier is [tributary.Program.DeleteTier].
func (c *Client) DeleteTier(ctx context.Context, id uuid.UUID) error {
	return done(ctx, c, c.remove(tiers, tierID{id}))
}
