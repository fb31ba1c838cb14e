package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// Links lists links, newest first: the one with the id or the slug, all of one
// affiliate, or all of the program. When nothing is found, the list is empty.
// The page is ignored when at most one link can match.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.2.
func (p *Program) Links(ctx context.Context, f LinkFilter, pg Page) (_ List[Link], err error) {
	defer p.begin(&ctx, "Links", reads).end(&err)
	if !f.ID.IsZero() || !f.Slug.IsZero() {
		pg = Page{}
	}
	l, err := p.listing(pg, "links", f)
	if err != nil {
		return List[Link]{}, err
	}
	return view(ctx, p, func(o *op) (List[Link], error) {
		return chosen(o.tx.Links, o.chooseLinks(f), l, o.shownLinks())
	})
}

// chooseLinks turns the filter into a choice.
func (o *op) chooseLinks(f LinkFilter) (c choice[LinkRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *LinkRecord) uuid.UUID { return r.AffiliateID })
	if slug, set := wanted(&c, f.Slug); set {
		if alias, err := o.linkByAlias(slug); err == nil {
			slug = alias.Slug
		} else if ignoreMissing(err) != nil {
			c.fail(err)
		}
		key, err := slugKey(slug)
		c.fail(err)
		c.under(key, func(r *LinkRecord) bool { return foldSlug(r.Slug) == key.Text })
	}
	c.one(f.ID)
	return c
}

// shownLinks makes the links of a list. Consecutive links of one owner share
// its look-up.
func (o *op) shownLinks() func(LinkRecord) (Link, error) {
	var owner AffiliateRecord
	return func(rec LinkRecord) (Link, error) {
		if owner.ID != rec.AffiliateID {
			var err error
			if owner, err = o.tx.Affiliates.Get(rec.AffiliateID); err != nil {
				return Link{}, internal("read owner of link", err)
			}
		}
		return o.linkWith(rec, owner)
	}
}

// linkByRef finds a link by one or both identifiers. When they do not name the
// same record, it returns identifiersMismatch; when neither names a record,
// ErrNotFound.
func (o *op) linkByRef(ref LinkRef) (LinkRecord, error) {
	if ref.ID == uuid.Nil {
		return o.linkBySlug(ref.Slug)
	}
	byID, err := o.tx.Links.Get(ref.ID)
	if ref.Slug == "" {
		return byID, err
	}
	return agreed(byID, err)(o.linkBySlug(ref.Slug))
}

func (ref LinkRef) check() *Error {
	if ref.ID == uuid.Nil && ref.Slug == "" {
		return linkIDRequired.Err()
	}
	return nil
}

func linkTextMissing(slug string, missing Refusal) *Error {
	if plaintext.Blank(slug) {
		return missing.Err()
	}
	return nil
}
