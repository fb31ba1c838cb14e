package affiliate

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
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
	Search         Opt[string]    `json:",omitzero"` // 1–100 characters: exactly a number, an order id, an invoice or a customer's email; else a part of one or of a customer's name
}

// SearchSales lists sales, newest first, a hundred without a limit. A search text
// that is exactly a number, an order id or an invoice, also in capitals or small
// letters throughout, finds that sale alone, and one that is a customer's email finds
// the sales with it. It reads at most 5,000 sales for a page, so a page may be short
// or empty although more follow: Next says so.
//
// Errors: [InvalidQuery] (status, approvalStatus, since, until, search, a bad page).
//
// Source: docs/contract.md 4.5.
func (p *Program) SearchSales(ctx context.Context, q SaleQuery, pg Page) (_ List[Sale], err error) {
	defer p.begin(&ctx, "SearchSales", reads).end(&err)
	if err := p.checkSaleQuery(q); err != nil {
		return List[Sale]{}, err
	}
	made := p.period(q.Since, q.Until)
	return found(ctx, p, hunt{pg, "sales-search", q}, func(o *op, exactly bool) *seeker[SaleRecord, Sale] {
		return &seeker[SaleRecord, Sale]{
			choice: o.chooseSearched(q, exactly), table: o.tx.Sales, item: o.saleOf,
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
		checkSearch(q.Search),
	)
}

// chooseSearched turns the query into a choice.
func (o *op) chooseSearched(q SaleQuery, exactly bool) choice[SaleRecord] {
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
	text, set := wanted(&c, q.Search)
	if !set || exactly && o.chooseNamedSales(&c, text) {
		return c
	}
	part := partOf(text)
	c.fits = append(c.fits, func(r *SaleRecord) bool { return part.in(r.ExternalID, r.InvoiceID, r.Email, r.Name) })
	return c
}

// chooseNamedSales selects the sale whose number, order id or invoice a text is, or
// those with the text as the customer's email. It reports whether there are any.
func (o *op) chooseNamedSales(c *choice[SaleRecord], text string) bool {
	rec, err := o.saleNamed(text)
	if !errors.Is(err, ErrNotFound) {
		c.fail(err)
		c.one(Set(rec.ID))
		return true
	}
	email, _ := mailbox.Canonical(text)
	if email == "" {
		return false
	}
	key, err := sentKey(OfCustomer, email)
	if err != nil {
		return false // a text that no sale can have
	}
	there, err := holds(o.tx.Sales, key)
	if c.fail(err); there {
		c.byText(OfCustomer, Set(email), func(r *SaleRecord) string { return r.Email })
		c.bound += string(OfCustomer) // its cursors are not those of a part
	}
	return there || err != nil
}

// saleNamed finds the sale whose number, order id or invoice a text is, as it was
// typed or in letters of one case.
func (o *op) saleNamed(text string) (rec SaleRecord, err error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		if rec, err := o.saleByNumber(SaleID(n)); !errors.Is(err, ErrNotFound) {
			return rec, err
		}
	}
	for _, spelled := range []string{text, plaintext.Upper(text), plaintext.Lower(text)} {
		for _, index := range []Index{ByExternalID, ByInvoice} {
			if rec, err = findText(o.tx.Sales, index, spelled); !errors.Is(err, ErrNotFound) {
				return rec, err
			}
		}
	}
	return rec, ErrNotFound
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
