package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6.

type pushedStatus struct {
	ident  string
	status affiliate.SubscriptionStatus
}

func pushedStatusOf(in *input) pushedStatus {
	return pushedStatus{referralTarget(in), enum[affiliate.SubscriptionStatus](in, "subscriptionStatus").Or("")}
}

func pushReferralStatus(p *affiliate.Program, ctx context.Context, in pushedStatus) (affiliate.Referral, error) {
	return p.PushReferralStatus(ctx, in.ident, in.status)
}

func planOfReferrals(in *input) bulk[uuid.UUID] {
	m := bulk[uuid.UUID]{ids: in.ids("referralIds", affiliate.RefuseNoReferralIDs)}
	in.targeted()
	m.to = in.idOrNull("commissionPlanId", affiliate.RefuseNoPlanID)
	return m
}

func setReferralPlan(p *affiliate.Program, ctx context.Context, m bulk[uuid.UUID]) ([]affiliate.Referral, error) {
	return p.SetReferralPlan(ctx, m.to, m.ids...)
}
