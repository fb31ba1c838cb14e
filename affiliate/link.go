package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// A Link is a referral link: a slug with its owner and its statistics.
//
// Source: docs/contract.md 2.4.
type Link struct {
	ID           uuid.UUID   `json:"id"`
	Link         string      `json:"link"` // the slug
	Affiliate    LinkOwner   `json:"affiliate"`
	Program      LinkProgram `json:"program"`
	Clicks       int64       `json:"clicks"`
	Referrals    int64       `json:"referrals"`    // live ones
	Sales        int64       `json:"sales"`        // live ones that are not refunded in full
	TotalRevenue Amount      `json:"totalRevenue"` // what is kept of them
	FullURLs     []FullURL   `json:"fullURLs"`     // one for each destination of the program
	CreatedAt    Time        `json:"createdAt"`
	UpdatedAt    Time        `json:"updatedAt"`
}

// LinkOwner is the affiliate inside a link.
type LinkOwner struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name"`
	Email string    `json:"email"`
}

// LinkProgram is the program inside a link.
type LinkProgram struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Currency Currency  `json:"currency"`
}

// FullURL is a destination of the program with a link's slug in its query.
type FullURL struct {
	BaseURL string `json:"baseUrl"`
	FullURL string `json:"fullUrl"`
}

// NewLink is the input of [Program.CreateLink]: the slug, and the owner by id
// or email.
type NewLink struct {
	Once           `json:"-"`
	Link           string    `json:"link"`
	AffiliateID    uuid.UUID `json:"affiliateId,omitzero"`
	AffiliateEmail string    `json:"affiliateEmail,omitzero"`
}

// LinkRef names a link by id or slug. When both are given they must name the
// same record.
type LinkRef struct {
	ID   uuid.UUID
	Slug string // in any letter case
}

// LinkFilter selects links. Every field that is set must fit; without one, all
// are selected. A field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 3.2.
type LinkFilter struct {
	ID             Opt[uuid.UUID]
	Slug           Opt[string] // in any letter case
	AffiliateID    Opt[uuid.UUID]
	AffiliateEmail Opt[string]
}

// DeletedLink is what is left of a deleted link.
type DeletedLink struct {
	ID   uuid.UUID `json:"id"`
	Link string    `json:"link"`
}

// Links lists links, newest first: the one with the id or the slug, all of one
// affiliate, or all of the program. Nothing found is an empty list. The page
// counts only where there may be several.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.2.
func (p *Program) Links(ctx context.Context, f LinkFilter, pg Page) (List[Link], error) {
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

// chooseLinks is what the filter selects.
func (o *op) chooseLinks(f LinkFilter) (c choice[LinkRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *LinkRecord) uuid.UUID { return r.AffiliateID })
	if slug, set := wanted(&c, f.Slug); set {
		key, err := slugKey(slug)
		c.fail(err)
		c.under(key, func(r *LinkRecord) bool { return foldSlug(r.Slug) == key.Text })
	}
	c.one(f.ID)
	return c
}

// shownLinks makes links of a list; neighbours of one owner share its look-up.
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

// CreateLink adds a link to the affiliate that the input names; it replaces
// none. Its statistics start at zero.
//
// Errors: [MissingField] (link, affiliateId), [SlugSyntax], [AffiliateNotFound]
// (invalid: 400), [IdentifiersMismatch], [SlugTaken].
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) CreateLink(ctx context.Context, in NewLink) (Link, error) {
	refused := first(
		linkTextMissing(in.Link, linkRequired),
		checkSlug("link", in.Link),
	)
	if refused == nil && in.AffiliateID == uuid.Nil && in.AffiliateEmail == "" {
		refused = ownerRequired.err()
	}
	o := p.op(ctx)
	rq := request{once: in.Once, name: "link.create", input: in, refused: refused}
	return write(o, rq, func() (Link, error) {
		owner, err := o.affiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return Link{}, ownerNotFound.orOther(err)
		}
		if err := o.slugFree(in.Link, uuid.Nil, slugTaken.err()); err != nil {
			return Link{}, err
		}
		rec, err := o.addLink(owner.ID, in.Link, slugTaken.err())
		if err != nil {
			return Link{}, err
		}
		return o.linksChanged(rec, owner)
	})
}

// RenameLink gives the link another slug. Its id, owner and history stay; the
// old slug stops tracking at once. The slug it has changes nothing and fires
// nothing; the same one in another letter case is a change.
//
// Errors: [MissingField] (id, newLink), [SlugSyntax], [LinkNotFound],
// [IdentifiersMismatch], [SlugTaken].
//
// Effects: affiliate.updated of the owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) RenameLink(ctx context.Context, ref LinkRef, slug string) (Link, error) {
	o := p.op(ctx)
	rq := request{
		name: "link.rename", input: []any{ref, slug},
		refused: first(ref.check(), linkTextMissing(slug, newLinkRequired), checkSlug("newLink", slug)),
	}
	return write(o, rq, func() (Link, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return Link{}, linkNotFound.orOther(err)
		}
		if rec.Slug == slug {
			return o.linkOf(rec)
		}
		if err := o.slugFree(slug, rec.ID, slugTaken.on("newLink")); err != nil {
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
		return o.linksChanged(rec, owner)
	})
}

// DeleteLink removes a link for good; the last one of an affiliate may go. Its
// clicks, referrals and sales stay, with their link reference cleared silently,
// and so do the affiliate's totals. The slug is free at once.
//
// Errors: [MissingField] (id), [LinkNotFound], [IdentifiersMismatch].
//
// Effects: affiliate.updated of the former owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) DeleteLink(ctx context.Context, ref LinkRef) (DeletedLink, error) {
	o := p.op(ctx)
	rq := request{name: "link.delete", input: ref, refused: first(ref.check())}
	return write(o, rq, func() (DeletedLink, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return DeletedLink{}, linkNotFound.orOther(err)
		}
		owner, err := o.tx.Affiliates.Get(rec.AffiliateID)
		if err != nil {
			return DeletedLink{}, internal("read owner of link", err)
		}
		if err := o.removeLink(rec); err != nil {
			return DeletedLink{}, err
		}
		owner.UpdatedAt = later(o.now, owner.UpdatedAt)
		return DeletedLink{ID: rec.ID, Link: rec.Slug}, o.notifyAffiliate(owner, AffiliateUpdated)
	})
}

// linksChanged fires affiliate.updated for a link that was written, and answers
// the link.
func (o *op) linksChanged(rec LinkRecord, owner AffiliateRecord) (Link, error) {
	owner.UpdatedAt = later(o.now, owner.UpdatedAt)
	if err := o.notifyAffiliate(owner, AffiliateUpdated); err != nil {
		return Link{}, err
	}
	return o.linkWith(rec, owner)
}

// removeLink deletes a link with its totals and clears the references to it.
// Nothing else about those records changes: revision and updatedAt tell of
// events, and there is none.
func (o *op) removeLink(rec LinkRecord) error {
	if err := o.clearLink(Key{Index: OfLink, ID: rec.ID}); err != nil {
		return internal("clear link", err)
	}
	if err := o.tx.Links.Delete(rec.ID); err != nil {
		return internal("delete link", err)
	}
	return o.forget(rec.ID)
}

func (o *op) clearLink(key Key) error {
	err := each(o.tx.Clicks, key, func(click ClickRecord) error {
		click.LinkID = uuid.Nil
		return o.tx.Clicks.Replace(click)
	})
	if err != nil {
		return err
	}
	err = each(o.tx.Referrals, key, func(ref ReferralRecord) error {
		ref.LinkID = uuid.Nil
		return o.tx.Referrals.Replace(ref)
	})
	if err != nil {
		return err
	}
	return each(o.tx.Sales, key, func(sale SaleRecord) error {
		sale.LinkID = uuid.Nil
		return o.tx.Sales.Replace(sale)
	})
}

// linkByRef finds a link by one or both identifiers. Both must name the same
// record: else identifiersMismatch. Neither names one: ErrNotFound.
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
		return linkIDRequired.err()
	}
	return nil
}

func linkTextMissing(slug string, missing refusal) *Error {
	if blank(slug) {
		return missing.err()
	}
	return nil
}

// linkOf is the link as the API answers it.
func (o *op) linkOf(rec LinkRecord) (Link, error) {
	owner, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return Link{}, internal("read owner of link", err)
	}
	return o.linkWith(rec, owner)
}

// linkWith is linkOf with the owner at hand.
func (o *op) linkWith(rec LinkRecord, owner AffiliateRecord) (Link, error) {
	totals, err := o.totals(rec.ID)
	if err != nil {
		return Link{}, internal("read totals", err)
	}
	return Link{
		ID: rec.ID, Link: rec.Slug,
		Affiliate: LinkOwner{ID: owner.ID, Name: owner.name(), Email: owner.Email},
		Program:   LinkProgram{ID: o.cfg.ID, Name: o.cfg.Name, Currency: o.cfg.Currency},
		Clicks:    totals.Clicks, Referrals: totals.Referrals, Sales: totals.Sales, TotalRevenue: totals.Revenue,
		FullURLs:  o.fullURLs(rec.Slug),
		CreatedAt: TimeOf(rec.CreatedAt), UpdatedAt: TimeOf(rec.UpdatedAt),
	}, nil
}
