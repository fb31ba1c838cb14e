package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// DeleteLink removes a link, also the last one of an affiliate. Its clicks,
// referrals and sales stay and lose their reference to the link without an
// event. The affiliate's totals stay. The slug is free at once.
//
// Errors: [MissingField] (id), [LinkNotFound], [IdentifiersMismatch].
//
// Effects: affiliate.updated of the former owner.
//
// Source: docs/rules.md 4.3; docs/contract.md 3.2.
func (p *Program) DeleteLink(ctx context.Context, ref LinkRef) (_ DeletedLink, err error) {
	defer p.begin(&ctx, "DeleteLink", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "link.delete", input: ref, refused: first(ref.check())}
	return write(o, rq, func() (DeletedLink, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return DeletedLink{}, linkNotFound.ifMissing(err)
		}
		owner, err := o.tx.Affiliates.Get(rec.AffiliateID)
		if err != nil {
			return DeletedLink{}, internal("read owner of link", err)
		}
		if err := o.removeLink(rec); err != nil {
			return DeletedLink{}, err
		}
		_, err = o.saveAffiliate(owner, owner.touched())
		return DeletedLink{ID: rec.ID, Link: rec.Slug}, err
	})
}

// removeLink deletes a link with its totals and clears the references to it.
// Revision and updatedAt of those records do not change, because they only
// change with an event.
func (o *op) removeLink(rec LinkRecord) error {
	if err := o.clearLink(Key{Index: OfLink, ID: rec.ID}); err != nil {
		return internal("clear link", err)
	}
	err := each(o.tx.Aliases, Key{Index: OfLink, ID: rec.ID}, func(alias AliasRecord) error { return o.tx.Aliases.Delete(alias.ID) })
	if err != nil {
		return internal("delete aliases", err)
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
