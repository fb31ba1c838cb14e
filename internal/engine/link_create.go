package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateLink implements tributary.Program.CreateLink.
func (p *Program) CreateLink(ctx context.Context, in affiliate.NewLink) (_ affiliate.Link, err error) {
	defer p.Begin(&ctx, "CreateLink", Writes).End(&err)
	refused := refusal.First(
		linkTextMissing(in.Link, refusal.LinkRequired),
		refusal.CheckSlug("link", in.Link),
	)
	if refused == nil && in.AffiliateID == uuid.Nil && in.AffiliateEmail == "" {
		refused = refusal.RefuseNoOwner.Err()
	}
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "link.create", Input: in, Refused: refused}
	return Write(o, rq, func() (affiliate.Link, error) {
		owner, err := o.AffiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return affiliate.Link{}, refusal.OwnerNotFound.IfMissing(err)
		}
		return o.AddLink(owner, in.Link)
	})
}

// AddLink adds a link of an affiliate. The form of its slug has been checked.
func (o *Op) AddLink(owner record.Affiliate, slug string) (affiliate.Link, error) {
	if err := o.refuseTakenSlug(slug, owner.ID, uuid.Nil, refusal.SlugTaken.Err()); err != nil {
		return affiliate.Link{}, err
	}
	rec, err := o.addLink(owner.ID, slug, refusal.SlugTaken.Err())
	if err != nil {
		return affiliate.Link{}, err
	}
	if _, err := o.SaveAffiliate(owner, touched(owner)); err != nil {
		return affiliate.Link{}, err
	}
	return o.linkWith(rec, owner)
}

// addLink writes a new link of an affiliate. The slug has been checked.
func (o *Op) addLink(owner uuid.UUID, slug string, refused *affiliate.Error) (record.Link, error) {
	if err := o.roomForLink(owner); err != nil {
		return record.Link{}, err
	}
	if err := o.TakeSlug(slug); err != nil {
		return record.Link{}, err
	}
	rec := record.Link{ID: o.NewID(), AffiliateID: owner, Slug: slug, CreatedAt: o.Now, UpdatedAt: o.Now}
	if err := o.Tx.Links.Insert(rec); err != nil {
		return record.Link{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.BySlug: refused})
	}
	return rec, nil
}
