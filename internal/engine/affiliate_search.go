package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SearchAffiliates implements tributary.Program.SearchAffiliates.
func (p *Program) SearchAffiliates(ctx context.Context, q affiliate.AffiliateQuery, pg affiliate.Page) (_ affiliate.List[affiliate.Affiliate], err error) {
	defer p.Begin(&ctx, "SearchAffiliates", Reads).End(&err)
	if err := refusal.First(InQuery(refusal.OneOfOrNone("status", q.Status, affiliateStatuses)), checkSearch(q.Search)); err != nil {
		return affiliate.List[affiliate.Affiliate]{}, err
	}
	return Found(ctx, p, Hunt{Page: pg, Operation: "affiliates-search", Query: q, Oldest: q.OldestFirst}, func(o *Op, exactly bool) *Seeker[record.Affiliate, affiliate.Affiliate] {
		return &Seeker[record.Affiliate, affiliate.Affiliate]{Choice: o.chooseAffiliates(q, exactly), Table: o.Tx.Affiliates, Item: o.affiliateOf}
	})
}

// chooseAffiliates turns the query into a choice.
func (o *Op) chooseAffiliates(q affiliate.AffiliateQuery, exactly bool) (c Choice[record.Affiliate]) {
	if q.Status != "" {
		c.Under(record.Key{Index: record.OfState, Text: string(q.Status)}, func(r *record.Affiliate) bool { return r.Status == q.Status })
	}
	c.ByText(record.ByExternalID, q.ExternalID, func(r *record.Affiliate) string { return r.ExternalID })
	c.ByID(record.OfPlan, q.PlanID, func(r *record.Affiliate) uuid.UUID { return r.PlanID })
	c.ByID(record.OfTier, q.TierID, func(r *record.Affiliate) uuid.UUID { return r.TierID })
	text, set := Wanted(&c, q.Search)
	if !set {
		return c
	}
	if exactly {
		named, err := o.affiliateNamed(text)
		if !errors.Is(err, affiliate.ErrNotFound) {
			c.Fail(err)
			c.one(affiliate.Set(named))
			return c
		}
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Affiliate) bool { return part.in(NameOf(*r), r.Email) })
	return c
}

// affiliateNamed finds the affiliate whose id, email, slug or external id a text is.
func (o *Op) affiliateNamed(text string) (uuid.UUID, error) {
	rec, err := o.FindAffiliateByEmail(text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return rec.ID, err
	}
	found, err := o.resolveUndated(text)
	if errors.Is(err, affiliate.ErrNotFound) {
		found, err = o.resolveExternal(text)
	}
	return found.Affiliate.ID, err
}
