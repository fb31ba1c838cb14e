package engine

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RenameLink implements tributary.Program.RenameLink.
func (p *Program) RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (_ affiliate.Link, err error) {
	defer p.Begin(&ctx, "RenameLink", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{
		Name: "link.rename", Input: []any{ref, slug},
		Refused: refusal.First(check(ref), linkTextMissing(slug, refusal.NewLinkRequired), refusal.CheckSlug("newLink", slug)),
	}
	return Write(o, rq, func() (affiliate.Link, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return affiliate.Link{}, refusal.LinkNotFound.IfMissing(err)
		}
		return o.SetSlug(rec, slug)
	})
}

// SetSlug gives a link another slug. The form of the slug has been checked.
func (o *Op) SetSlug(rec record.Link, slug string) (affiliate.Link, error) {
	if rec.Slug == slug {
		return o.linkOf(rec)
	}
	if err := o.refuseTakenSlug(slug, rec.ID, refusal.SlugTaken.On("newLink")); err != nil {
		return affiliate.Link{}, err
	}
	owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read owner of link", err)
	}
	rec.Slug, rec.UpdatedAt = slug, Later(o.Now, rec.UpdatedAt)
	if err := o.Tx.Links.Replace(rec); err != nil {
		return affiliate.Link{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.BySlug: refusal.SlugTaken.On("newLink")})
	}
	if _, err := o.SaveAffiliate(owner, touched(owner)); err != nil {
		return affiliate.Link{}, err
	}
	return o.linkWith(rec, owner)
}
