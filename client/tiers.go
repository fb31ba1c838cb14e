package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

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
func (c *Client) CreateTier(ctx context.Context, in affiliate.NewTier) (affiliate.Tier, error) {
	return send[affiliate.Tier](ctx, c, c.post(tiers, struct {
		Tier          int64                            `json:"tier"`
		Name          string                           `json:"name"`
		Emoji         string                           `json:"emoji,omitzero"`
		MinReferrals  int64                            `json:"minReferrals,omitzero"`
		MinRevenue    affiliate.Amount                 `json:"minRevenue,omitzero"`
		ConditionType affiliate.ConditionType          `json:"conditionType,omitzero"`
		Rate          affiliate.Opt[affiliate.Percent] `json:"commissionRate,omitzero"`
	}(in), affiliate.Once{}))
}

// tierChange is a change of a tier on the wire.
type tierChange struct {
	CommissionTierID uuid.UUID                              `json:"commissionTierId,omitzero"`
	Tier             affiliate.Opt[int64]                   `json:"tier,omitzero"`
	Name             affiliate.Opt[string]                  `json:"name,omitzero"`
	Emoji            affiliate.Opt[string]                  `json:"emoji,omitzero"`
	MinReferrals     affiliate.Opt[int64]                   `json:"minReferrals,omitzero"`
	MinRevenue       affiliate.Opt[affiliate.Amount]        `json:"minRevenue,omitzero"`
	ConditionType    affiliate.Opt[affiliate.ConditionType] `json:"conditionType,omitzero"`
	CommissionRate   affiliate.Opt[affiliate.Percent]       `json:"commissionRate,omitzero"`
}

// UpdateTier is [tributary.Program.UpdateTier].
func (c *Client) UpdateTier(ctx context.Context, id uuid.UUID, up affiliate.TierUpdate) (affiliate.Tier, error) {
	return send[affiliate.Tier](ctx, c, c.put(tiers, tierChange{
		id, up.Tier, up.Name, up.Emoji, up.MinReferrals, up.MinRevenue, up.ConditionType, up.Rate,
	}))
}

// DeleteTier is [tributary.Program.DeleteTier].
func (c *Client) DeleteTier(ctx context.Context, id uuid.UUID) error {
	return done(ctx, c, c.remove(tiers, tierChange{CommissionTierID: id}))
}
