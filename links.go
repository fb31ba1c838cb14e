package tributary

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// TrackClick records a visit through the link with the slug. The status of its
// owner does not matter.
//
// The slug may have on it what was added on the way, such as a second query, a slash or the
// punctuation of a messenger: that is left out when no link has the text as it is.
//
// Errors: [affiliate.ErrNotFound] when no live link has the slug, and when UserAgent says that it is a
// crawler or a link preview, unless Config.CountBots; [affiliate.InvalidField] for a
// text that is not valid UTF-8 or holds control characters.
//
// Effects: the click, and the totals of the link and the affiliate; no event.
//
// Source: docs/rules.md 4.5; docs/contract.md 2.11, 5.1.
func (p *Program) TrackClick(ctx context.Context, in affiliate.ClickParams) (affiliate.Click, error) {
	return p.in(ctx).TrackClick(ctx, in)
}

// CreateLink adds a link to the affiliate that the input names. The other links
// stay. Its statistics start at zero.
//
// Errors: [affiliate.MissingField] (link, affiliateId), [affiliate.SlugSyntax], [affiliate.AffiliateNotFound]
// (invalid: 400), [affiliate.IdentifiersMismatch], [affiliate.SlugTaken], [affiliate.LinkLimitReached].
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) CreateLink(ctx context.Context, in affiliate.LinkParams) (affiliate.Link, error) {
	return p.in(ctx).CreateLink(ctx, in)
}

// DeleteLink removes a link, also the last one of an affiliate. Its clicks,
// referrals and sales stay and lose their reference to the link without an
// event. The affiliate's totals stay. The slugs that led to it lead to nobody at once: its
// owner may have them again, and nobody else until [Program.ReleaseSlug].
//
// Errors: [affiliate.MissingField] (id), [affiliate.LinkNotFound], [affiliate.IdentifiersMismatch].
//
// Effects: affiliate.updated of the former owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) DeleteLink(ctx context.Context, ref affiliate.LinkRef) (affiliate.DeletedLink, error) {
	return p.in(ctx).DeleteLink(ctx, ref)
}

// Links lists links, newest first: the one with the id or the slug, those of one affiliate,
// or all of the program. When nothing is found, the list is empty. The page is ignored when
// at most one link can match.
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.2.
func (p *Program) Links(ctx context.Context, f affiliate.LinkQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Link], error) {
	return p.in(ctx).Links(ctx, f, pg)
}

// RenameLink gives the link another slug. Its id, owner and history stay. The old slug goes
// on leading to the link, as an alias. Renaming a link to its own slug changes nothing and
// fires no event; another letter case is a change.
//
// Errors: [affiliate.MissingField] (id, newLink), [affiliate.SlugSyntax], [affiliate.LinkNotFound],
// [affiliate.IdentifiersMismatch], [affiliate.SlugTaken], [affiliate.LinkLimitReached] when
// the link has 100 aliases.
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (affiliate.Link, error) {
	return p.in(ctx).RenameLink(ctx, ref, slug)
}

// ReleaseSlug frees a former slug: one that a link had before it was renamed, or one whose link
// or affiliate was deleted. It leads to that link no more, anybody may take it, and posts that
// still have it may then credit somebody else.
//
// Errors: [affiliate.MissingField] (link); [affiliate.SlugTaken] when a link has the slug;
// [affiliate.LinkNotFound] when it is not a former one.
//
// Effects: affiliate.updated of the owner of the link that it led to.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) ReleaseSlug(ctx context.Context, slug string) (affiliate.ReleasedSlug, error) {
	return p.in(ctx).ReleaseSlug(ctx, slug)
}
