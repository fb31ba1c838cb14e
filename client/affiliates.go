package client

import (
	"cmp"
	"context"
	"net/url"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const affiliates = "/affiliates"

// nameOf is how affiliateId names an affiliate: by its id, else by its external id.
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
	return one[affiliate.Affiliate](ctx, c, affiliates, firstOf("id", ident))
}

// AffiliateByEmail is [tributary.Program.AffiliateByEmail].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) AffiliateByEmail(ctx context.Context, email string) (affiliate.Affiliate, error) {
	return one[affiliate.Affiliate](ctx, c, affiliates, firstOf("email", email))
}

// Affiliates is [tributary.Program.Affiliates].
func (c *Client) Affiliates(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
	return list[affiliate.Affiliate](ctx, c, affiliates, url.Values{}, pg)
}

// CreateAffiliate is [tributary.Program.CreateAffiliate]. Answers is for Go
// calls only: a call that sets it is refused before it is sent.
func (c *Client) CreateAffiliate(ctx context.Context, in affiliate.NewAffiliate) (affiliate.Affiliate, error) {
	rq := c.post(affiliates, in, in.Once)
	rq.goOnly("Answers", len(in.Answers) > 0)
	return send[affiliate.Affiliate](ctx, c, rq)
}

// EnsureAffiliate is [tributary.Program.EnsureAffiliate]. Answers is for Go calls only: a
// call that sets it is refused before it is sent.
func (c *Client) EnsureAffiliate(ctx context.Context, in affiliate.NewAffiliate) (affiliate.Affiliate, error) {
	rq := c.post(affiliates+"/ensure", in, in.Once)
	rq.goOnly("Answers", len(in.Answers) > 0)
	return send[affiliate.Affiliate](ctx, c, rq)
}

// UpdateAffiliate is [tributary.Program.UpdateAffiliate]. It returns how many
// affiliates matched: 0 or 1.
func (c *Client) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef, up affiliate.AffiliateUpdate) (int, error) {
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
