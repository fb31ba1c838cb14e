package client

import (
	"cmp"
	"context"
	"net/url"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const affiliates = "/affiliates"

// nameOf returns the text by which affiliateId names an affiliate: its id, or its external id.
func nameOf(ref affiliate.AffiliateRef) string {
	if ref.ID == uuid.Nil && ref.ExternalID != "" {
		return affiliate.External(ref.ExternalID)
	}
	return textOfID(ref.ID)
}

// oneName bars a request whose ref has an id and an external id: it can only send one.
func (rq *request) oneName(ref affiliate.AffiliateRef) {
	rq.goOnly("AffiliateRef.ExternalID beside ID", ref.ID != uuid.Nil && ref.ExternalID != "")
}

// Affiliate is [tributary.Program.Affiliate]: ident is an affiliate's id, a
// slug, the id of a click, or [affiliate.External] of its external id.
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Affiliate(ctx context.Context, ident string) (affiliate.Affiliate, error) {
	by := "id"
	if _, external := affiliate.ExternalIn(ident); !external && strings.Contains(ident, "@") {
		by = "email"
	}
	return one[affiliate.Affiliate](ctx, c, affiliates, firstOf(by, ident))
}

// Affiliates is [tributary.Program.Affiliates].
func (c *Client) Affiliates(ctx context.Context, q affiliate.AffiliateQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
	if pg.Bounded || q != (affiliate.AffiliateQuery{}) {
		return selected[affiliate.Affiliate](ctx, c, affiliates+"/search", filterOf(q), pg)
	}
	return list[affiliate.Affiliate](ctx, c, affiliates, url.Values{}, pg)
}

// CreateAffiliate is [tributary.Program.CreateAffiliate]. Answers is for Go
// calls only: a call that sets it is refused before it is sent.
func (c *Client) CreateAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	rq := c.post(affiliates, in, in.Once)
	rq.goOnly("Answers", len(in.Answers) > 0)
	return send[affiliate.Affiliate](ctx, c, rq)
}

// EnsureAffiliate is [tributary.Program.EnsureAffiliate]. Answers is for Go calls only: a
// call that sets it is refused before it is sent.
func (c *Client) EnsureAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	rq := c.post(affiliates+"/ensure", in, in.Once)
	rq.goOnly("Answers", len(in.Answers) > 0)
	return send[affiliate.Affiliate](ctx, c, rq)
}

// UpdateAffiliate is [tributary.Program.UpdateAffiliate]. It returns how many
// affiliates matched: 0 or 1.
func (c *Client) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef,
	up affiliate.AffiliateUpdate) (int, error) {
	rq := c.put(affiliates, struct {
		AffiliateID  string `json:"affiliateId,omitzero"`
		EmailAddress string `json:"emailAddress,omitzero"`
		affiliate.AffiliateUpdate
	}{nameOf(ref), ref.Email, up})
	rq.oneName(ref)
	out, err := send[struct{ Count int }](ctx, c, rq)
	return out.Count, err
}

// DeleteAffiliate is [tributary.Program.DeleteAffiliate]. A request can only
// send one name of the affiliate, so a ref with several is refused before it is sent.
func (c *Client) DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) error {
	ident := cmp.Or(nameOf(ref), ref.Email)
	rq := c.remove(affiliates, struct {
		AffiliateID string `json:"affiliateId,omitzero"`
		Forfeit     bool   `json:"forfeit,omitzero"`
	}{ident, c.forfeit})
	rq.goOnly("AffiliateRef.Email beside ID", nameOf(ref) != "" && ref.Email != "")
	rq.oneName(ref)
	return done(ctx, c, rq)
}

// MergeAffiliates is [tributary.Program.MergeAffiliates].
func (c *Client) MergeAffiliates(ctx context.Context, in affiliate.Merge) (affiliate.Affiliate, error) {
	return send[affiliate.Affiliate](ctx, c, c.post(affiliates+"/merge", in, in.Once))
}

// Operations on many affiliates take 1 to 1,000 different ids.

// SetAffiliateStatus is [tributary.Program.SetAffiliateStatus], for 1 to 1,000
// different affiliates.
func (c *Client) SetAffiliateStatus(ctx context.Context, status affiliate.AffiliateStatus,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
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
func (c *Client) SetAffiliatePlan(ctx context.Context, plan uuid.UUID,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
	return changed(ctx, c, "/plan", struct {
		affiliateIDs
		Plan affiliate.Opt[uuid.UUID] `json:"commissionPlanId"`
	}{affiliateIDs{ids}, idOrNull(plan)})
}

// SetAffiliateTier is [tributary.Program.SetAffiliateTier], for 1 to 1,000
// different affiliates.
func (c *Client) SetAffiliateTier(ctx context.Context, tier uuid.UUID,
	ids ...uuid.UUID) ([]affiliate.Affiliate, error) {
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
func (c *Client) SetPayoutDetails(ctx context.Context, id uuid.UUID,
	d affiliate.PayoutDetails) (affiliate.Affiliate, error) {
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
func (c *Client) InviteAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error) {
	in.AffiliateStatus = "" // an invited affiliate is INVITED
	body := struct {
		affiliate.AffiliateParams
		Answers []signupAnswer `json:"questionAnswers,omitempty"`
	}{AffiliateParams: in}
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
func (c *Client) AcceptInvite(ctx context.Context, id uuid.UUID,
	in affiliate.Acceptance) (affiliate.Affiliate, error) {
	rq := c.post(affiliates+"/accept-invite", struct {
		AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
		affiliate.Acceptance
	}{id, in}, affiliate.Once{})
	for field, v := range reflect.ValueOf(in).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		rq.goOnly("null "+name, v.Interface().(interface{ IsNull() bool }).IsNull())
	}
	return send[affiliate.Affiliate](ctx, c, rq)
}
