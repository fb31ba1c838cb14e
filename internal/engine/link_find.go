package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Links implements tributary.Program.Links.
func (p *Program) Links(ctx context.Context, f affiliate.LinkFilter, pg affiliate.Page) (_ affiliate.List[affiliate.Link], err error) {
	defer p.Begin(&ctx, "Links", Reads).End(&err)
	if !f.ID.IsZero() || !f.Slug.IsZero() {
		pg = affiliate.Page{}
	}
	l, err := p.Listing(pg, "links", f)
	if err != nil {
		return affiliate.List[affiliate.Link]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Link], error) {
		return Chosen(o.Tx.Links, o.chooseLinks(f), l, o.shownLinks())
	})
}

// chooseLinks turns the filter into a choice.
func (o *Op) chooseLinks(f affiliate.LinkFilter) (c Choice[record.Link]) {
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Link) uuid.UUID { return r.AffiliateID })
	if slug, set := Wanted(&c, f.Slug); set {
		if alias, err := o.LinkByAlias(slug); err == nil {
			slug = alias.Slug
		} else if IgnoreMissing(err) != nil {
			c.Fail(err)
		}
		key, err := slugKey(slug)
		c.Fail(err)
		c.Under(key, func(r *record.Link) bool { return record.FoldSlug(r.Slug) == key.Text })
	}
	c.one(f.ID)
	return c
}

// shownLinks makes the links of a list. Consecutive links of one owner share
// its look-up.
func (o *Op) shownLinks() func(record.Link) (affiliate.Link, error) {
	var owner record.Affiliate
	return func(rec record.Link) (affiliate.Link, error) {
		if owner.ID != rec.AffiliateID {
			var err error
			if owner, err = o.Tx.Affiliates.Get(rec.AffiliateID); err != nil {
				return affiliate.Link{}, refusal.Internal("read owner of link", err)
			}
		}
		return o.linkWith(rec, owner)
	}
}

// linkByRef finds a link by one or both identifiers. When they do not name the
// same record, it returns identifiersMismatch; when neither names a record,
// ErrNotFound.
func (o *Op) linkByRef(ref affiliate.LinkRef) (record.Link, error) {
	if ref.ID == uuid.Nil {
		return o.LinkBySlug(ref.Slug)
	}
	byID, err := o.Tx.Links.Get(ref.ID)
	if ref.Slug == "" {
		return byID, err
	}
	return agreed(byID, err)(o.LinkBySlug(ref.Slug))
}

func check(ref affiliate.LinkRef) *affiliate.Error {
	if ref.ID == uuid.Nil && ref.Slug == "" {
		return refusal.LinkIDRequired.Err()
	}
	return nil
}

func linkTextMissing(slug string, missing refusal.Refusal) *affiliate.Error {
	if plaintext.Blank(slug) {
		return missing.Err()
	}
	return nil
}
