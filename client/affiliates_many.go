package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Operations on many affiliates take 1 to 1,000 different ids.

// SetAffiliateStatus is [tributary.Program.SetAffiliateStatus], for 1 to 1,000
// different affiliates.
func (c *Client) SetAffiliateStatus(ctx context.Context, status affiliate.AffiliateStatus, ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return changed(ctx, c, "/status", struct {
		affiliateIDs
		Status affiliate.AffiliateStatus `json:"status"`
	}{affiliateIDs{ids}, status})
}

// affiliateIDs are the targets of an operation on many affiliates.
type affiliateIDs struct {
	IDs []uuid.UUID `json:"affiliateIds,omitempty"`
}

// changed sends an operation on many affiliates.
func changed(ctx context.Context, c *Client, operation string, body any) ([]affiliate.Affiliate, error) {
	return send[[]affiliate.Affiliate](ctx, c, c.post(affiliates+operation, body, affiliate.Once{}))
}

// SetAffiliatePlan is [tributary.Program.SetAffiliatePlan], for 1 to 1,000
// different affiliates.
func (c *Client) SetAffiliatePlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return changed(ctx, c, "/plan", struct {
		affiliateIDs
		Plan affiliate.Opt[uuid.UUID] `json:"commissionPlanId"`
	}{affiliateIDs{ids}, idOrNull(plan)})
}

// SetAffiliateTier is [tributary.Program.SetAffiliateTier], for 1 to 1,000
// different affiliates.
func (c *Client) SetAffiliateTier(ctx context.Context, tier uuid.UUID, ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return changed(ctx, c, "/tier", struct {
		affiliateIDs
		Tier affiliate.Opt[uuid.UUID] `json:"commissionTierId"`
	}{affiliateIDs{ids}, idOrNull(tier)})
}

// idOrNull returns an id that null takes away: the zero id is null.
func idOrNull(id uuid.UUID) affiliate.Opt[uuid.UUID] {
	if id == uuid.Nil {
		return affiliate.Null[uuid.UUID]()
	}
	return affiliate.Set(id)
}

// SetTierExempt is [tributary.Program.SetTierExempt], for 1 to 1,000 different
// affiliates.
func (c *Client) SetTierExempt(ctx context.Context, exempt bool, ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return changed(ctx, c, "/tier-exempt", struct {
		affiliateIDs
		Exempt bool `json:"exempt"`
	}{affiliateIDs{ids}, exempt})
}

// SetPayoutDetails is [tributary.Program.SetPayoutDetails].
func (c *Client) SetPayoutDetails(ctx context.Context, id uuid.UUID, d affiliate.PayoutDetails) (affiliate.Affiliate, error) {
	return send[affiliate.Affiliate](ctx, c, c.post(affiliates+"/payout-details", struct {
		AffiliateID uuid.UUID               `json:"affiliateId,omitzero"`
		Email       string                  `json:"payoutEmail,omitzero"`
		Method      affiliate.PaymentMethod `json:"paymentMethod,omitzero"`
	}{id, d.Email, d.Method}, affiliate.Once{}))
}

// signupAnswer is an answer on the wire.
type signupAnswer struct {
	QuestionID uuid.UUID `json:"questionId"`
	Answer     string    `json:"answer"`
}

// InviteAffiliate is [tributary.Program.InviteAffiliate]. The ids of Answers are
// for Go calls only: a call that sets one is refused before it is sent.
func (c *Client) InviteAffiliate(ctx context.Context, in affiliate.NewAffiliate) (affiliate.Affiliate, error) {
	in.AffiliateStatus = "" // an invited affiliate is INVITED
	body := struct {
		affiliate.NewAffiliate
		Answers []signupAnswer `json:"questionAnswers,omitempty"`
	}{NewAffiliate: in}
	own := false
	for _, a := range in.Answers {
		own = own || a.ID != uuid.Nil
		body.Answers = append(body.Answers, signupAnswer{a.QuestionID, a.Answer})
	}
	rq := c.post(affiliates+"/invite", body, in.Once)
	rq.goOnly("Answers.ID", own)
	return send[affiliate.Affiliate](ctx, c, rq)
}

// AcceptInvite is [tributary.Program.AcceptInvite]. A field that is null is for
// Go calls only: a call that sets one is refused before it is sent.
func (c *Client) AcceptInvite(ctx context.Context, id uuid.UUID, up affiliate.AffiliateUpdate) (affiliate.Affiliate, error) {
	rq := c.post(affiliates+"/accept-invite", struct {
		AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
		affiliate.AffiliateUpdate
	}{id, up}, affiliate.Once{})
	rq.goOnly("affiliateStatus", !up.AffiliateStatus.IsZero())
	rq.goOnly("note", !up.Note.IsZero())
	for name, null := range map[string]bool{
		"firstName": up.FirstName.IsNull(), "lastName": up.LastName.IsNull(), "email": up.Email.IsNull(), "externalId": up.ExternalID.IsNull(),
		"commissionRate": up.CommissionRate.IsNull(), "affiliateLink": up.AffiliateLink.IsNull(),
	} {
		rq.goOnly("null "+name, null)
	}
	return send[affiliate.Affiliate](ctx, c, rq)
}
