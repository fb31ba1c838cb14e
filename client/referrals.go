package client

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const referrals = "/referrals"

// Referral is [tributary.Program.Referral]: ident is the referral's id or the
// customer's email.
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Referral(ctx context.Context, ident string) (affiliate.Referral, error) {
	return one[affiliate.Referral](ctx, c, referrals, firstOf("id", ident))
}

// Referrals is [tributary.Program.Referrals]. When a filter has several fields,
// one of them is sent: see [Client.Sales].
func (c *Client) Referrals(ctx context.Context, q affiliate.ReferralQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
	what := choiceOf[affiliate.Referral](q, pg)
	owner, err := c.ownerOf(ctx, q.AffiliateEmail, what.search != nil)
	if err != nil {
		return affiliate.List[affiliate.Referral]{}, err
	}
	what.text("affiliateEmail", q.AffiliateEmail,
		func(r *affiliate.Referral, _ string) bool { return r.AffiliateID == owner })
	what.text("externalId", q.ReferredUserExternalID, func(r *affiliate.Referral, v string) bool {
		return r.ReferredUserExternalID.Or("") == v
	})
	what.id("affiliateId", q.AffiliateID, func(r *affiliate.Referral) uuid.UUID { return r.AffiliateID })
	return chosen(ctx, c, referrals, what, pg)
}

// ownerOf returns the affiliate with an email that a search cannot send and whom no answer
// shows; the zero id is nobody.
func (c *Client) ownerOf(ctx context.Context, email affiliate.Opt[string], searches bool) (uuid.UUID, error) {
	if email.Or("") == "" || !searches {
		return uuid.Nil, nil // a list sends it before its other fields
	}
	a, err := c.Affiliate(ctx, email.Or(""))
	if errors.Is(err, affiliate.ErrNotFound) {
		err = nil
	}
	return a.ID, err
}

// CreateReferral is [tributary.Program.CreateReferral]. Integration and Manual
// are for Go calls only: a call that sets one is refused before it is sent.
//
// Errors: [affiliate.ErrNotFound] when no affiliate could be found.
func (c *Client) CreateReferral(ctx context.Context, in affiliate.ReferralParams) (affiliate.Referral, error) {
	rq := c.post(referrals, in, in.Once)
	rq.goOnly("Integration", in.Integration != "")
	rq.goOnly("Manual", in.Manual)
	return find[affiliate.Referral](ctx, c, rq)
}

// referralID names a referral on the wire, by id or email.
type referralID struct {
	ReferralID string `json:"referralId,omitzero"`
}

// UpdateReferral is [tributary.Program.UpdateReferral].
func (c *Client) UpdateReferral(ctx context.Context, ident string,
	up affiliate.ReferralUpdate) (affiliate.Referral, error) {
	rq := c.put(referrals, struct {
		referralID
		affiliate.ReferralUpdate
	}{referralID{ident}, up})
	rq.object("metadata", up.Metadata)
	return send[affiliate.Referral](ctx, c, rq)
}

// DeleteReferral is [tributary.Program.DeleteReferral].
func (c *Client) DeleteReferral(ctx context.Context, ident string) error {
	return done(ctx, c, c.remove(referrals, struct {
		referralID
		Forfeit bool `json:"forfeit,omitzero"`
	}{referralID{ident}, c.forfeit}))
}

// MergeReferrals is [tributary.Program.MergeReferrals].
func (c *Client) MergeReferrals(ctx context.Context, in affiliate.Merge) (affiliate.Referral, error) {
	return send[affiliate.Referral](ctx, c, c.post(referrals+"/merge", in, in.Once))
}

// PushReferralStatus is [tributary.Program.PushReferralStatus].
func (c *Client) PushReferralStatus(ctx context.Context, ident string,
	status affiliate.SubscriptionStatus) (affiliate.Referral, error) {
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
