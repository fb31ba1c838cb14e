package partner

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Links implements tributary.Partner.Links.
func (v Partner) Links(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Link], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = affiliate.PageSize
	}
	links, err := v.p.Links(ctx, affiliate.LinkFilter{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(links, err, linkOf)
}

// Link implements tributary.Partner.Link.
func (v Partner) Link(ctx context.Context, id uuid.UUID) (partner.Link, error) {
	links, err := v.p.Links(ctx, affiliate.LinkFilter{ID: affiliate.Set(id), AffiliateID: affiliate.Set(v.id)}, affiliate.Page{})
	if err == nil && len(links.Items) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return partner.Link{}, err
	}
	return linkOf(links.Items[0]), nil
}

func linkOf(l affiliate.Link) partner.Link {
	return partner.Link{
		ID: l.ID, Link: l.Link, FullURLs: l.FullURLs, Clicks: l.Clicks, Referrals: l.Referrals, Sales: l.Sales,
		TotalRevenue: l.TotalRevenue, CreatedAt: l.CreatedAt,
	}
}

// AddLink implements tributary.Partner.AddLink.
func (v Partner) AddLink(ctx context.Context, slug string, most int) (_ partner.Link, err error) {
	defer v.p.Begin(&ctx, "PartnerAddLink", engine.Writes).End(&err)
	rq := engine.Request{Name: "partner.link.add", Input: []any{v.id, slug, most}}
	if slug != "" {
		rq.Refused = refusal.First(refusal.CheckSlug("link", slug))
	}
	random := engine.RandomSlug(v.p.IDs.Fresh())
	o := v.self().Op(ctx)
	return engine.Write(o, rq, func() (partner.Link, error) {
		owner, err := v.active(o)
		if err != nil {
			return partner.Link{}, err
		}
		have, err := engine.CountUpTo(o.Tx.Links, record.Key{Index: record.OfAffiliate, ID: v.id}, max(most, 1))
		if err == nil {
			err = refusal.First(refusal.LinkLimitReached.When(have >= most))
		}
		if err != nil {
			return partner.Link{}, err
		}
		free := slug
		if free == "" {
			if free, err = o.UnusedSlug(engine.SlugBase(owner.Email), random); err != nil {
				return partner.Link{}, err
			}
		}
		link, err := o.AddLink(owner, free)
		return linkOf(link), err
	})
}

// RenameLink implements tributary.Partner.RenameLink.
func (v Partner) RenameLink(ctx context.Context, id uuid.UUID, slug string) (_ partner.Link, err error) {
	defer v.p.Begin(&ctx, "PartnerRenameLink", engine.Writes).End(&err)
	rq := engine.Request{Name: "partner.link.rename", Input: []any{v.id, id, slug}, Refused: refusal.First(refusal.NewLinkRequired.When(slug == ""), refusal.CheckSlug("newLink", slug))}
	o := v.self().Op(ctx)
	return engine.Write(o, rq, func() (partner.Link, error) {
		if _, err := v.active(o); err != nil {
			return partner.Link{}, err
		}
		rec, err := o.Tx.Links.Get(id)
		if err == nil && rec.AffiliateID != v.id {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return partner.Link{}, refusal.LinkNotFound.IfMissing(err)
		}
		link, err := o.SetSlug(rec, slug)
		return linkOf(link), err
	})
}

// active returns the affiliate, who must be ACTIVE.
func (v Partner) active(o *engine.Op) (record.Affiliate, error) {
	rec, err := o.Tx.Affiliates.Get(v.id)
	if err == nil {
		err = refusal.First(refusal.StatusNotAllowed.When(rec.Status != affiliate.AffiliateActive))
	}
	return rec, err
}
