package httpapi

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.5, 3.6, 8.

type referralChange struct {
	ident string
	up    affiliate.ReferralUpdate
}

var referralUpdate = bodyOf[affiliate.ReferralUpdate]()

func referralChangeOf(in *input) referralChange {
	return referralChange{
		ident: referralTarget(in),
		up:    referralUpdate(in),
	}
}

// subscriptionStatus reads the status of a referral. Under its old name status,
// active and inactive both mean ACTIVE, and any other value is ignored.
func (in *input) subscriptionStatus(name string) affiliate.Opt[affiliate.SubscriptionStatus] {
	status := enum[affiliate.SubscriptionStatus](in, name)
	old, _ := in.find("status", kindAny)
	if !status.IsZero() || old == nil || old[0] != '"' {
		return status
	}
	if s := strings.ToLower(jsontext.Unquote(old)); s == "active" || s == "inactive" {
		return affiliate.Set(affiliate.SubscriptionActive)
	}
	return status
}

// updateReferral changes a referral. Only a key of the scope full gives it to
// another affiliate.
func updateReferral(p *tributary.Program, c *call, in referralChange) error {
	if err := c.fullOnly(!in.up.AffiliateID.IsZero()); err != nil {
		return err
	}
	referral, err := p.UpdateReferral(c.r.Context(), in.ident, in.up)
	if err != nil {
		return err
	}
	return c.answer(&referral)
}

// referralTarget reads the field that names a referral: its id, or the
// customer's email.
func referralTarget(in *input) string {
	defer in.targeted()
	return in.text("referralId")
}

func deleteReferral(p *tributary.Program, ctx context.Context, in removal[string]) (deleteAnswer, error) {
	return deleteAnswer{"Referral deleted successfully"}, in.of(p).DeleteReferral(ctx, in.target)
}

// Source: docs/contract.md 4.6.

type statusPush struct {
	ident  string
	status affiliate.SubscriptionStatus
}

func pushedStatusOf(in *input) statusPush {
	return statusPush{referralTarget(in), enum[affiliate.SubscriptionStatus](in, "subscriptionStatus").Or("")}
}

func pushReferralStatus(p *tributary.Program, ctx context.Context, in statusPush) (affiliate.Referral, error) {
	return p.PushReferralStatus(ctx, in.ident, in.status)
}

func planOfReferrals(in *input) bulk[uuid.UUID] {
	m := bulk[uuid.UUID]{ids: in.ids("referralIds", refusal.RefuseNoReferralIDs)}
	in.targeted()
	m.to = in.idOrNull("commissionPlanId", refusal.RefuseNoPlanID)
	return m
}
