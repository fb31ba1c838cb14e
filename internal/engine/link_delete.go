package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteLink implements tributary.Program.DeleteLink.
func (p *Program) DeleteLink(ctx context.Context, ref affiliate.LinkRef) (_ affiliate.DeletedLink, err error) {
	defer p.Begin(&ctx, "DeleteLink", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "link.delete", Input: ref, Refused: refusal.First(check(ref))}
	return Write(o, rq, func() (affiliate.DeletedLink, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return affiliate.DeletedLink{}, refusal.LinkNotFound.IfMissing(err)
		}
		owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
		if err != nil {
			return affiliate.DeletedLink{}, refusal.Internal("read owner of link", err)
		}
		if err := o.removeLink(rec); err != nil {
			return affiliate.DeletedLink{}, err
		}
		_, err = o.SaveAffiliate(owner, touched(owner))
		return affiliate.DeletedLink{ID: rec.ID, Link: rec.Slug}, err
	})
}

// removeLink deletes a link with its totals and clears the references to it.
// Revision and updatedAt of those records do not change, because they only
// change with an event. The slugs that led to it lead to nobody.
func (o *Op) removeLink(rec record.Link) error {
	if err := o.clearLink(record.Key{Index: record.OfLink, ID: rec.ID}); err != nil {
		return refusal.Internal("clear link", err)
	}
	err := Each(o.Tx.Aliases, record.Key{Index: record.OfLink, ID: rec.ID}, func(alias record.Alias) error { return o.Tx.Aliases.Delete(alias.ID) })
	for _, slug := range append([]string{rec.Slug}, rec.Aliases...) {
		if err == nil {
			err = o.Tx.Aliases.Insert(record.Alias{ID: o.Cfg.SlugDigest(slug), AffiliateID: rec.AffiliateID})
		}
	}
	if err != nil {
		return refusal.Internal("keep former slugs", err)
	}
	if err := o.Tx.Links.Delete(rec.ID); err != nil {
		return refusal.Internal("delete link", err)
	}
	return o.forget(rec.ID)
}

func (o *Op) clearLink(key record.Key) error {
	err := Each(o.Tx.Clicks, key, func(click record.Click) error {
		click.LinkID = uuid.Nil
		return o.Tx.Clicks.Replace(click)
	})
	if err != nil {
		return err
	}
	err = Each(o.Tx.Referrals, key, func(ref record.Referral) error {
		ref.LinkID = uuid.Nil
		return o.Tx.Referrals.Replace(ref)
	})
	if err != nil {
		return err
	}
	return Each(o.Tx.Sales, key, func(sale record.Sale) error {
		sale.LinkID = uuid.Nil
		return o.Tx.Sales.Replace(sale)
	})
}
