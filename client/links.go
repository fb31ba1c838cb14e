package client

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const links = "/links"

// Links is [tributary.Program.Links]. When a filter has several fields, one of
// them is sent: see [Client.Sales].
func (c *Client) Links(ctx context.Context, f affiliate.LinkQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Link], error) {
	var what choice[affiliate.Link]
	what.id("id", f.ID, func(l *affiliate.Link) uuid.UUID { return l.ID })
	what.text("link", f.Slug, func(l *affiliate.Link, v string) bool {
		is := func(slug string) bool { return foldASCII(slug) == foldASCII(v) }
		return is(l.Link) || slices.ContainsFunc(l.Aliases, is)
	})
	what.id("affiliateId", f.AffiliateID, func(l *affiliate.Link) uuid.UUID { return l.Affiliate.ID })
	what.text("affiliateEmail", f.AffiliateEmail,
		func(l *affiliate.Link, v string) bool { return sameEmail(l.Affiliate.Email, v) })
	return chosen(ctx, c, links, what, pg)
}

// CreateLink is [tributary.Program.CreateLink].
func (c *Client) CreateLink(ctx context.Context, in affiliate.LinkParams) (affiliate.Link, error) {
	return send[affiliate.Link](ctx, c, c.post(links, in, in.Once))
}

// linkRef is a [affiliate.LinkRef] on the wire.
type linkRef struct {
	ID   uuid.UUID `json:"id,omitzero"`
	Link string    `json:"link,omitzero"`
}

// RenameLink is [tributary.Program.RenameLink].
func (c *Client) RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (affiliate.Link, error) {
	return send[affiliate.Link](ctx, c, c.put(links, struct {
		linkRef
		LinkParams string `json:"newLink"`
	}{linkRef{ref.ID, ref.Slug}, slug}))
}

// DeleteLink is [tributary.Program.DeleteLink].
func (c *Client) DeleteLink(ctx context.Context, ref affiliate.LinkRef) (affiliate.DeletedLink, error) {
	out, err := send[struct{ DeletedLink affiliate.DeletedLink }](ctx, c, c.remove(links, linkRef{ref.ID, ref.Slug}))
	return out.DeletedLink, err
}

// ReleaseSlug is [tributary.Program.ReleaseSlug].
func (c *Client) ReleaseSlug(ctx context.Context, slug string) (affiliate.ReleasedSlug, error) {
	out, err := send[struct{ ReleasedLink affiliate.ReleasedSlug }](ctx, c,
		c.post(links+"/release", linkRef{Link: slug}, affiliate.Once{}))
	return out.ReleasedLink, err
}
