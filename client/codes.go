package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	codes = "/promotional-codes"
	holds = "/holds"
)

// Code is [tributary.Program.Code].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Code(ctx context.Context, ref affiliate.CodeRef) (affiliate.Code, error) {
	q := firstOf("id", textOfID(ref.ID), "code", ref.Code, "externalId", ref.ExternalID)
	return one[affiliate.Code](ctx, c, codes, q)
}

// Codes is [tributary.Program.Codes]. When a filter has several fields, one of
// them is sent: see [Client.Sales].
func (c *Client) Codes(ctx context.Context, f affiliate.CodeFilter, pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
	var what choice[affiliate.Code]
	what.id("couponId", f.CouponID, func(k *affiliate.Code) uuid.UUID { return k.CouponID })
	what.id("affiliateId", f.AffiliateID, func(k *affiliate.Code) uuid.UUID { return k.AffiliateID.Or(uuid.Nil) })
	what.text("affiliateEmail", f.AffiliateEmail, func(k *affiliate.Code, v string) bool {
		owner, _ := k.Affiliate.Get()
		return sameEmail(owner.Email, v)
	})
	return chosen(ctx, c, codes, what, pg)
}

// CreateCode is [tributary.Program.CreateCode]. IsAffiliateGenerated is for Go
// calls only: a call that sets it is refused before it is sent.
func (c *Client) CreateCode(ctx context.Context, in affiliate.NewCode) (affiliate.Code, error) {
	rq := c.post(codes, in, in.Once)
	rq.goOnly("IsAffiliateGenerated", in.IsAffiliateGenerated)
	return send[affiliate.Code](ctx, c, rq)
}

// codeID names a code on the wire.
type codeID struct {
	PromotionalCodeID uuid.UUID `json:"promotionalCodeId,omitzero"`
}

// UpdateCode is [tributary.Program.UpdateCode].
func (c *Client) UpdateCode(ctx context.Context, id uuid.UUID, up affiliate.CodeUpdate) (affiliate.Code, error) {
	return send[affiliate.Code](ctx, c, c.put(codes, struct {
		codeID
		affiliate.CodeUpdate
	}{codeID{id}, up}))
}

// DeleteCode is [tributary.Program.DeleteCode].
func (c *Client) DeleteCode(ctx context.Context, id uuid.UUID) (affiliate.DeletedCode, error) {
	out, err := send[struct{ DeletedCode affiliate.DeletedCode }](ctx, c, c.remove(codes, codeID{id}))
	return out.DeletedCode, err
}

// HoldRedemption is [tributary.Program.HoldRedemption].
func (c *Client) HoldRedemption(ctx context.Context, in affiliate.NewHold) (affiliate.Hold, error) {
	in.Commission = false // a hold has none
	return send[affiliate.Hold](ctx, c, c.post(holds, in, in.Once))
}

// Hold is [tributary.Program.Hold].
func (c *Client) Hold(ctx context.Context, id string) (affiliate.Hold, error) {
	return one[affiliate.Hold](ctx, c, holds, firstOf("id", id))
}

// ReleaseHold is [tributary.Program.ReleaseHold].
func (c *Client) ReleaseHold(ctx context.Context, id string) (affiliate.Hold, error) {
	return send[affiliate.Hold](ctx, c, c.remove(holds, struct {
		ID string `json:"id"`
	}{id}))
}

// EvaluateCodes is [tributary.Program.EvaluateCodes].
func (c *Client) EvaluateCodes(ctx context.Context, in affiliate.CodesOrder) (affiliate.Comparison, error) {
	return send[affiliate.Comparison](ctx, c, c.post(codes+"/compare", in, in.Once))
}

// Evaluate is [tributary.Program.Evaluate]: the preview of a code.
func (c *Client) Evaluate(ctx context.Context, in affiliate.Order) (affiliate.Evaluation, error) {
	return send[affiliate.Evaluation](ctx, c, c.post(codes+"/validate", in, in.Once))
}
