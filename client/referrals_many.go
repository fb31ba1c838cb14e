package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// PushReferralStatus is [tributary.Program.PushReferralStatus].
func (c *Client) PushReferralStatus(ctx context.Context, ident string, status affiliate.SubscriptionStatus) (affiliate.Referral, error) {
	return send[affiliate.Referral](ctx, c, c.post(referrals+"/status", struct {
		ReferralID string                       `json:"referralId,omitzero"`
		Status     affiliate.SubscriptionStatus `json:"subscriptionStatus,omitzero"`
	}{ident, status}, affiliate.Once{}))
}

// SetReferralPlan is [tributary.Program.SetReferralPlan], for 1 to 1,000
// different referrals.
func (c *Client) SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]affiliate.Referral, error) {
	return send[[]affiliate.Referral](ctx, c, c.post(referrals+"/plan", struct {
		IDs  []uuid.UUID              `json:"referralIds,omitempty"`
		Plan affiliate.Opt[uuid.UUID] `json:"commissionPlanId"`
	}{ids, idOrNull(plan)}, affiliate.Once{}))
}
