package affiliate

import (
	"context"

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
	made := p.period(q.Since, q.Until)
	return found(ctx, p, hunt{pg, "sales-search", q}, func(o *op, _ bool) *seeker[SaleRecord, Sale] {
		return &seeker[SaleRecord, Sale]{
			choice: o.chooseSearched(q), table: o.tx.Sales, item: o.saleOf,
			over: func(r *SaleRecord) bool { return made.over(r.CreatedAt) },
			keep: func(r *SaleRecord) (bool, error) { return made.has(r.CreatedAt), nil },
		}
	})
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
	switch {
	case q.ApprovalStatus == ApprovalOnHold && c.key == (Key{}) && c.id == uuid.Nil:
		c.under(Key{Index: OfState, Text: string(ApprovalOnHold)}, func(r *SaleRecord) bool { return r.hasApproval(ApprovalOnHold) })
	case q.ApprovalStatus != "":
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
