package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// AffiliateQuery selects the affiliates that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type AffiliateQuery struct {
	Status AffiliateStatus `json:",omitzero"` // empty: any
	PlanID Opt[uuid.UUID]  `json:",omitzero"` // the plan they are on
	TierID Opt[uuid.UUID]  `json:",omitzero"` // the tier they are in
	Search Opt[string]     `json:",omitzero"` // 1–100 characters: exactly an id, email or slug; else a part of a name or email
}

// SearchAffiliates lists affiliates, newest first, a hundred without a limit. A
// search text that is exactly an id, an email or a slug finds that affiliate
// alone. It looks at no more than 5,000 affiliates for a page, so a page may be
// short or empty although more follow: Next says so.
//
// Errors: [InvalidQuery] (status, search, a bad page).
//
// Source: docs/contract.md 4.6.
func (p *Program) SearchAffiliates(ctx context.Context, q AffiliateQuery, pg Page) (_ List[Affiliate], err error) {
	defer p.begin(&ctx, "SearchAffiliates", reads).end(&err)
	if err := first(inQuery(oneOfOrNone("status", q.Status, affiliateStatuses)), checkSearch(q.Search)); err != nil {
		return List[Affiliate]{}, err
	}
	return found(ctx, p, hunt{pg, "affiliates-search", q}, func(o *op, exactly bool) *seeker[AffiliateRecord, Affiliate] {
		return &seeker[AffiliateRecord, Affiliate]{choice: o.chooseAffiliates(q, exactly), table: o.tx.Affiliates, item: o.affiliateOf}
	})
}

// chooseAffiliates turns the query into a choice.
func (o *op) chooseAffiliates(q AffiliateQuery, exactly bool) (c choice[AffiliateRecord]) {
	if q.Status != "" {
		c.under(Key{Index: OfState, Text: string(q.Status)}, func(r *AffiliateRecord) bool { return r.Status == q.Status })
	}
	c.byID(OfPlan, q.PlanID, func(r *AffiliateRecord) uuid.UUID { return r.PlanID })
	c.byID(OfTier, q.TierID, func(r *AffiliateRecord) uuid.UUID { return r.TierID })
	text, set := wanted(&c, q.Search)
	if !set {
		return c
	}
	if exactly {
		named, err := o.affiliateNamed(text)
		if !errors.Is(err, ErrNotFound) {
			c.fail(err)
			c.one(Set(named))
			return c
		}
	}
	part := partOf(text)
	c.fits = append(c.fits, func(r *AffiliateRecord) bool { return part.in(r.name(), r.Email) })
	return c
}

// affiliateNamed finds the affiliate whose id, email or slug a text is.
func (o *op) affiliateNamed(text string) (uuid.UUID, error) {
	rec, err := o.affiliateByEmail(text)
	if !errors.Is(err, ErrNotFound) {
		return rec.ID, err
	}
	found, err := o.resolveUndated(text)
	return found.affiliate.ID, err
}
