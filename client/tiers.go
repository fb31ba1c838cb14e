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
