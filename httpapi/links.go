package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.4, 3.2.

// linkTarget reads the fields that name a link: its id, or its slug.
func linkTarget(in *input) affiliate.LinkRef {
	defer in.targeted()
	return affiliate.LinkRef{ID: in.id("id"), Slug: in.name("link")}
}

type linkChange struct {
	ref  affiliate.LinkRef
	slug string
}

func linkChangeOf(in *input) linkChange {
	return linkChange{ref: linkTarget(in), slug: in.text("newLink")}
}

func renameLink(p *tributary.Program, ctx context.Context, in linkChange) (affiliate.Link, error) {
	return p.RenameLink(ctx, in.ref, in.slug)
}

// formerSlug reads a slug that a link had before.
func formerSlug(in *input) string {
	defer in.targeted()
	return in.name("link")
}

// releasedSlug is the answer for a former slug that anybody may have.
type releasedSlug struct {
	Message string                 `json:"message"`
	Link    affiliate.ReleasedSlug `json:"releasedLink"` // The slug, and whose it was.
}

func releaseSlug(p *tributary.Program, ctx context.Context, slug string) (releasedSlug, error) {
	link, err := p.ReleaseSlug(ctx, slug)
	return releasedSlug{"Affiliate link released successfully", link}, err
}

// deletedLink is the answer for a deleted link.
type deletedLink struct {
	Message string                `json:"message"`
	Link    affiliate.DeletedLink `json:"deletedLink"` // What was deleted.
}

func deleteLink(p *tributary.Program, ctx context.Context, ref affiliate.LinkRef) (deletedLink, error) {
	link, err := p.DeleteLink(ctx, ref)
	return deletedLink{"Affiliate link deleted successfully", link}, err
}
