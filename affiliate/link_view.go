package affiliate

import "slices"

// linkOf is the link as the API answers it.
func (o *op) linkOf(rec LinkRecord) (Link, error) {
	owner, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return Link{}, internal("read owner of link", err)
	}
	return o.linkWith(rec, owner)
}

// linkWith is linkOf without a look-up of the owner.
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
		Aliases: slices.Clone(rec.Aliases), FullURLs: o.fullURLs(rec.Slug),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}, nil
}
