package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

type pushedStatus struct {
	ident  string
	status affiliate.SubscriptionStatus
}

func pushedStatusOf(in *input) pushedStatus {
	return pushedStatus{referralTarget(in), enum[affiliate.SubscriptionStatus](in, "subscriptionStatus").Or("")}
}

func pushReferralStatus(p *tributary.Program, ctx context.Context, in pushedStatus) (affiliate.Referral, error) {
	return p.PushReferralStatus(ctx, in.ident, in.status)
}

func planOfReferrals(in *input) bulk[uuid.UUID] {
	m := bulk[uuid.UUID]{ids: in.ids("referralIds", refusal.RefuseNoReferralIDs)}
	in.targeted()
	m.to = in.idOrNull("commissionPlanId", refusal.RefuseNoPlanID)
	return m
}
