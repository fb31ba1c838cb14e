package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// CreateLink adds a link to the affiliate that the input names. The other links
// stay. Its statistics start at zero.
//
// Errors: [MissingField] (link, affiliateId), [SlugSyntax], [AffiliateNotFound]
// (invalid: 400), [IdentifiersMismatch], [SlugTaken], [LinkLimitReached].
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) CreateLink(ctx context.Context, in NewLink) (_ Link, err error) {
	defer p.begin(&ctx, "CreateLink", writes).end(&err)
	refused := first(
		linkTextMissing(in.Link, linkRequired),
		checkSlug("link", in.Link),
	)
	if refused == nil && in.AffiliateID == uuid.Nil && in.AffiliateEmail == "" {
		refused = RefuseNoOwner.Err()
	}
	o := p.op(ctx)
	rq := request{once: in.Once, name: "link.create", input: in, refused: refused}
	return write(o, rq, func() (Link, error) {
		owner, err := o.affiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return Link{}, ownerNotFound.ifMissing(err)
		}
		if err := o.refuseTakenSlug(in.Link, uuid.Nil, slugTaken.Err()); err != nil {
			return Link{}, err
		}
		rec, err := o.addLink(owner.ID, in.Link, slugTaken.Err())
		if err != nil {
			return Link{}, err
		}
		if _, err := o.saveAffiliate(owner, owner.touched()); err != nil {
			return Link{}, err
		}
		return o.linkWith(rec, owner)
	})
}

// addLink writes a new link of an affiliate. The slug has been checked.
func (o *op) addLink(owner uuid.UUID, slug string, refused *Error) (LinkRecord, error) {
	if err := o.roomForLink(owner); err != nil {
		return LinkRecord{}, err
	}
	rec := LinkRecord{ID: o.newID(), AffiliateID: owner, Slug: slug, CreatedAt: o.now, UpdatedAt: o.now}
	if err := o.tx.Links.Insert(rec); err != nil {
		return LinkRecord{}, taken(err, map[Index]*Error{BySlug: refused})
	}
	return rec, nil
}
