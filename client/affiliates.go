package client

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const affiliates = "/affiliates"

// Affiliate is [tributary.Program.Affiliate]: ident is an affiliate's id, a
// slug, or the id of a click.
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

// UpdateAffiliate is [tributary.Program.UpdateAffiliate]. It returns how many
// affiliates matched: 0 or 1.
func (c *Client) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef, up affiliate.AffiliateUpdate) (int, error) {
	out, err := send[struct{ Count int }](ctx, c, c.put(affiliates, struct {
		AffiliateID  uuid.UUID `json:"affiliateId,omitzero"`
		EmailAddress string    `json:"emailAddress,omitzero"`
		affiliate.AffiliateUpdate
	}{ref.ID, ref.Email, up}))
	return out.Count, err
}

// DeleteAffiliate is [tributary.Program.DeleteAffiliate]. A request can only
// send one name of the affiliate, so a ref with both ID and Email is refused
// before it is sent.
func (c *Client) DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) error {
	ident := ref.Email
	if ref.ID != uuid.Nil {
		ident = ref.ID.String()
	}
	rq := c.remove(affiliates, struct {
		AffiliateID string `json:"affiliateId,omitzero"`
	}{ident})
	rq.goOnly("AffiliateRef.Email beside ID", ref.ID != uuid.Nil && ref.Email != "")
	return done(ctx, c, rq)
}
