package affiliate

import "context"

// RenameLink gives the link another slug. Its id, owner and history stay. The
// old slug stops tracking at once. Renaming a link to its own slug changes
// nothing and fires no event; another letter case is a change.
//
// Errors: [MissingField] (id, newLink), [SlugSyntax], [LinkNotFound],
// [IdentifiersMismatch], [SlugTaken].
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) RenameLink(ctx context.Context, ref LinkRef, slug string) (_ Link, err error) {
	defer p.begin(&ctx, "RenameLink", writes).end(&err)
	o := p.op(ctx)
	rq := request{
		name: "link.rename", input: []any{ref, slug},
		refused: first(ref.check(), linkTextMissing(slug, newLinkRequired), checkSlug("newLink", slug)),
	}
	return write(o, rq, func() (Link, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return Link{}, linkNotFound.ifMissing(err)
		}
		if rec.Slug == slug {
			return o.linkOf(rec)
		}
		if err := o.refuseTakenSlug(slug, rec.ID, slugTaken.on("newLink")); err != nil {
			return Link{}, err
		}
		owner, err := o.tx.Affiliates.Get(rec.AffiliateID)
		if err != nil {
			return Link{}, internal("read owner of link", err)
		}
		rec.Slug, rec.UpdatedAt = slug, later(o.now, rec.UpdatedAt)
		if err := o.tx.Links.Replace(rec); err != nil {
			return Link{}, taken(err, map[Index]*Error{BySlug: slugTaken.on("newLink")})
		}
		if _, err := o.saveAffiliate(owner, owner.touched()); err != nil {
			return Link{}, err
		}
		return o.linkWith(rec, owner)
	})
}
