package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const coupons = "/coupons"

// Coupon is [tributary.Program.Coupon].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error) {
	q := firstOf("id", textOfID(ref.ID), "externalId", ref.ExternalID, "name", ref.Name)
	return one[affiliate.Coupon](ctx, c, coupons, q)
}

// Coupons is [tributary.Program.Coupons]. WithCodes an answer holds every code of each
// coupon, so ask for small pages; see [Config.MaxBody]. The client removes the coupons from it
// that do not match ID and Valid.
func (c *Client) Coupons(ctx context.Context, q affiliate.CouponQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
	if !q.WithCodes {
		return selected[affiliate.Coupon](ctx, c, coupons+"/summaries", filterOf(q), pg)
	}
	what := choice[affiliate.Coupon]{nobody: none(q.ID) || q.Valid.IsNull()}
	what.fits = append(what.fits, func(k *affiliate.Coupon) bool {
		return k.ID == q.ID.Or(k.ID) && k.Valid == q.Valid.Or(k.Valid)
	})
	return chosen(ctx, c, coupons, what, pg)
}

// CreateCoupon is [tributary.Program.CreateCoupon].
func (c *Client) CreateCoupon(ctx context.Context, in affiliate.CouponParams) (affiliate.Coupon, error) {
	return send[affiliate.Coupon](ctx, c, c.post(coupons, in, in.Once))
}

// couponID names a coupon on the wire.
type couponID struct {
	CouponID uuid.UUID `json:"couponId,omitzero"`
}

// UpdateCoupon is [tributary.Program.UpdateCoupon].
func (c *Client) UpdateCoupon(ctx context.Context, id uuid.UUID, up affiliate.CouponUpdate) (affiliate.Coupon, error) {
	rq := c.put(coupons, struct {
		couponID
		affiliate.CouponUpdate
	}{couponID{id}, up})
	rq.goOnly("ExternalID", !up.ExternalID.IsZero())
	rq.goOnly("IntegrationType", !up.IntegrationType.IsZero())
	return send[affiliate.Coupon](ctx, c, rq)
}

// DeleteCoupon is [tributary.Program.DeleteCoupon].
func (c *Client) DeleteCoupon(ctx context.Context, id uuid.UUID) (affiliate.DeletedCoupon, error) {
	out, err := send[struct{ DeletedCoupon affiliate.DeletedCoupon }](ctx, c, c.remove(coupons, couponID{id}))
	return out.DeletedCoupon, err
}
