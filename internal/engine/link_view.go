package engine

import (
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// linkOf returns the link as the API answers it.
func (o *Op) linkOf(rec record.Link) (affiliate.Link, error) {
	owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read owner of link", err)
	}
	return o.linkWith(rec, owner)
}

// linkWith is linkOf without a look-up of the owner.
func (o *Op) linkWith(rec record.Link, owner record.Affiliate) (affiliate.Link, error) {
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read totals", err)
	}
	return affiliate.Link{
		ID: rec.ID, Link: rec.Slug,
		Affiliate: affiliate.LinkOwner{ID: owner.ID, Name: NameOf(owner), Email: owner.Email},
		Program:   affiliate.LinkProgram{ID: o.Cfg.ID, Name: o.Cfg.Name, Currency: o.Cfg.Currency},
		Clicks:    totals.Clicks, Referrals: totals.Referrals, Sales: totals.Sales, Conversions: totals.Conversions, TotalRevenue: totals.Revenue,
		Aliases: slices.Clone(rec.Aliases), FullURLs: o.fullURLs(rec.Slug),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}, nil
}
