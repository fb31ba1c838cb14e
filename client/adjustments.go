package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const adjustments = "/adjustments"

// Adjustment is [tributary.Program.Adjustment].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Adjustment(ctx context.Context, id uuid.UUID) (affiliate.Adjustment, error) {
	return one[affiliate.Adjustment](ctx, c, adjustments, firstOf("id", textOfID(id)))
}

// Adjustments is [tributary.Program.Adjustments].
func (c *Client) Adjustments(ctx context.Context, f affiliate.AdjustmentQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error) {
	return selected[affiliate.Adjustment](ctx, c, adjustments, filterOf(f), pg)
}

// RecordAdjustment is [tributary.Program.RecordAdjustment].
func (c *Client) RecordAdjustment(ctx context.Context, in affiliate.AdjustmentParams) (affiliate.Adjustment, error) {
	return send[affiliate.Adjustment](ctx, c, c.post(adjustments, in, in.Once))
}
