package affiliate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// SaleQuery selects the sales that match every field that is set. A field that is
// set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.5.
type SaleQuery struct {
	AffiliateID    Opt[uuid.UUID] `json:",omitzero"` // whom the sale credits
	ReferralID     Opt[string]    `json:",omitzero"` // referral id, else customer email
	CodeID         Opt[uuid.UUID] `json:",omitzero"`
	Status         SaleStatus     `json:",omitzero"` // empty: any
	ApprovalStatus ApprovalStatus `json:",omitzero"` // of one of its commissions; empty: any
	Since          Opt[Date]      `json:",omitzero"` // recorded then or later; a plain date is its first millisecond
	Until          Opt[Date]      `json:",omitzero"` // recorded then or earlier; a plain date is its last millisecond
}

// What one page of a search reads: so many sales in all, and in one View.
const (
	searchedAtMost = 5000
	searchedAtOnce = 512
)

// SearchSales lists sales, newest first, a hundred without a limit. It reads at
// most 5,000 sales for a page, so a page may be short or empty although more
// follow: Next says so.
//
// Errors: [InvalidQuery] (status, approvalStatus, since, until, a bad page).
//
// Source: docs/contract.md 4.5.
func (p *Program) SearchSales(ctx context.Context, q SaleQuery, pg Page) (_ List[Sale], err error) {
	defer p.begin(&ctx, "SearchSales", reads).end(&err)
	if err := p.checkSaleQuery(q); err != nil {
		return List[Sale]{}, err
	}
	pg.Limit = cmp.Or(pg.Limit, cursorPage)
	l, err := p.listing(pg, "sales-search", q)
	if err != nil {
		return List[Sale]{}, err
	}
	s := search{query: q, since: p.firstInstant(q.Since), until: p.instant(q.Until), page: List[Sale]{Items: []Sale{}}}
	for s.looked < searchedAtMost && !s.full(pg.Limit) && !s.over {
		if s, err = view(ctx, p, func(o *op) (search, error) { return o.searchOn(s, l, pg.Limit) }); err != nil {
			return List[Sale]{}, err
		}
	}
	if !s.over {
		s.page.Next = sealCursor(s.last, s.scope)
	}
	return s.page, nil
}

// A search is how far SearchSales has come.
type search struct {
	query        SaleQuery
	since, until Instant
	page         List[Sale]
	last         uuid.UUID // that was looked at
	looked       int
	over         bool
	scope        string
}

func (s *search) full(limit int) bool { return len(s.page.Items) == limit }

// searchOn looks at the next sales.
func (o *op) searchOn(s search, l listing, limit int) (search, error) {
	c := o.chooseSearched(s.query)
	l.bound = c.bound
	l, err := l.open()
	if err != nil {
		return s, err
	}
	if s.scope = l.scope; c.err != nil {
		s.over = true
		_, err := only(Sale{}, c.err)
		return s, err
	}
	if s.last != uuid.Nil {
		l.query.After = s.last
	}
	l.query.Key, l.query.Limit = c.key, min(searchedAtOnce, searchedAtMost-s.looked)
	recs, err := gather(o.tx.Sales, l.query)
	if err != nil {
		return s, err
	}
	s.page.Items = slices.Clip(s.page.Items) // appending copies: the closure may run twice
	for i := range recs {
		if s.full(limit) {
			return s, nil
		}
		if recs[i].CreatedAt.Before(s.since.Add(-clockSlack)) {
			s.over = true
			return s, nil
		}
		s.last, s.looked = recs[i].ID, s.looked+1
		if !c.fit(recs[i]) || !s.inTime(&recs[i]) {
			continue
		}
		sale, err := o.saleOf(recs[i])
		if err != nil {
			return s, err
		}
		s.page.Items = append(s.page.Items, sale)
	}
	s.over = len(recs) < l.query.Limit
	return s, nil
}

// inTime reports whether a sale was recorded in the range of the query.
func (s *search) inTime(r *SaleRecord) bool {
	return !r.CreatedAt.Before(s.since) && (s.until.IsZero() || !r.CreatedAt.Truncate(time.Millisecond).After(s.until))
}

// checkSaleQuery checks what is no look-up. On the wire it is a query, so its
// errors are of the query.
func (p *Program) checkSaleQuery(q SaleQuery) error {
	return first(
		inQuery(oneOfOrNone("status", q.Status, []SaleStatus{SaleActive, SaleRefunded})),
		inQuery(oneOfOrNone("approvalStatus", q.ApprovalStatus, approvalStatuses)),
		inQuery(FieldNotADate.about("since").when(!p.validDate(q.Since))),
		inQuery(FieldNotADate.about("until").when(!p.validDate(q.Until))),
	)
}

// chooseSearched turns the query into a choice.
func (o *op) chooseSearched(q SaleQuery) choice[SaleRecord] {
	c := o.chooseSales(SaleFilter{AffiliateID: q.AffiliateID, ReferralID: q.ReferralID})
	if code, set := wanted(&c, q.CodeID); set {
		c.fits = append(c.fits, func(r *SaleRecord) bool { return r.CodeID == code })
	}
	if q.Status != "" {
		c.fits = append(c.fits, func(r *SaleRecord) bool { return r.Status.Is(q.Status) })
	}
	if q.ApprovalStatus != "" {
		c.fits = append(c.fits, func(r *SaleRecord) bool { return r.hasApproval(q.ApprovalStatus) })
	}
	return c
}

// hasApproval reports whether a commission of the sale has an approval status.
func (r *SaleRecord) hasApproval(status ApprovalStatus) bool {
	for i := range r.Commissions {
		if r.Commissions[i].Approval.Is(status) {
			return true
		}
	}
	return false
}
