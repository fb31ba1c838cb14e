package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SearchSales implements tributary.Program.SearchSales.
func (p *Program) SearchSales(ctx context.Context, q affiliate.SaleQuery, pg affiliate.Page) (_ affiliate.List[affiliate.Sale], err error) {
	defer p.Begin(&ctx, "SearchSales", Reads).End(&err)
	if err := p.checkSaleQuery(q); err != nil {
		return affiliate.List[affiliate.Sale]{}, err
	}
	made := p.period(q.Since, q.Until, q.OldestFirst)
	return Found(ctx, p, p.hunt(pg, "sales-search", q, made), func(o *Op, exactly bool) *Seeker[record.Sale, affiliate.Sale] {
		return &Seeker[record.Sale, affiliate.Sale]{
			Choice: o.ChooseSearched(q, exactly), Table: o.Tx.Sales, Item: o.saleOf,
			over: func(r *record.Sale) bool { return made.over(p, r.CreatedAt) },
			keep: func(r *record.Sale) (bool, error) { return made.has(r.CreatedAt), nil },
		}
	})
}

// checkSaleQuery checks the fields that name no record. On the wire they are a
// query, so the errors are those of a query.
func (p *Program) checkSaleQuery(q affiliate.SaleQuery) error {
	return refusal.First(
		InQuery(refusal.OneOfOrNone("status", q.Status, []affiliate.SaleStatus{affiliate.SaleActive, affiliate.SaleRefunded})),
		InQuery(refusal.OneOfOrNone("approvalStatus", q.ApprovalStatus, approvalStatuses)),
		InQuery(refusal.FieldNotADate.About("since").When(!p.ValidDate(q.Since))),
		InQuery(refusal.FieldNotADate.About("until").When(!p.ValidDate(q.Until))),
		InQuery(refusal.CurrencyUnknown.When(q.Currency != "" && currencyNamed(q.Currency) == "")),
		checkSearch(q.Search),
	)
}

// currencyNamed returns the currency that a code in any letter case names; empty: none.
func currencyNamed(sent affiliate.Currency) affiliate.Currency {
	c, _ := affiliate.ParseCurrency(string(sent))
	return c
}

// ChooseSearched turns the query into a choice.
func (o *Op) ChooseSearched(q affiliate.SaleQuery, exactly bool) Choice[record.Sale] {
	c := o.ChooseSales(affiliate.SaleFilter{AffiliateID: q.AffiliateID, ReferralID: q.ReferralID})
	if code, set := Wanted(&c, q.CodeID); set {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.CodeID == code })
	}
	if link, set := Wanted(&c, q.LinkID); set {
		by := func(r *record.Sale) bool { return r.LinkID == link }
		if q.ReferralID.IsZero() {
			c.Under(record.Key{Index: record.OfLink, ID: link}, by)
		} else {
			c.Fits = append(c.Fits, by) // a customer has fewer sales than a link
		}
	}
	if q.Status != "" {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.Status.Is(q.Status) })
	}
	if charged := currencyNamed(q.Currency); charged != "" {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return o.Program.CurrencyOf(r) == charged })
	}
	switch {
	case q.ApprovalStatus == affiliate.ApprovalOnHold && c.Key == (record.Key{}) && c.id == uuid.Nil:
		c.Under(record.Key{Index: record.OfState, Text: string(affiliate.ApprovalOnHold)}, func(r *record.Sale) bool { return r.HasApproval(affiliate.ApprovalOnHold) })
	case q.ApprovalStatus != "":
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.HasApproval(q.ApprovalStatus) })
	}
	text, set := Wanted(&c, q.Search)
	if !set || exactly && !q.Part && o.chooseNamedSales(&c, text) {
		return c
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Sale) bool { return part.in(r.ExternalID, r.InvoiceID, r.Email, r.Name) })
	return c
}

// chooseNamedSales selects the sale whose number, order id or invoice a text is, or
// those with the text as the customer's email. It reports whether there are any.
func (o *Op) chooseNamedSales(c *Choice[record.Sale], text string) bool {
	rec, err := o.saleNamed(text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		c.Fail(err)
		c.one(affiliate.Set(rec.ID))
		return true
	}
	email, ok := mailbox.Canonical(text)
	if !ok {
		return false
	}
	email = mailbox.Of(email)
	key, err := refusal.SentKey(record.OfCustomer, email)
	if err != nil {
		return false // a text that no sale can have
	}
	there, err := Holds(o.Tx.Sales, key)
	if c.Fail(err); there {
		c.ByText(record.OfCustomer, affiliate.Set(email), func(r *record.Sale) string { return mailbox.Of(r.Email) })
		c.Bound += string(record.OfCustomer) // its cursors are not those of a part
	}
	return there || err != nil
}

// saleNamed finds the sale whose number, order id or invoice a text is, as it was
// typed or in letters of one case.
func (o *Op) saleNamed(text string) (rec record.Sale, err error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		if rec, err := o.SaleByNumber(affiliate.SaleID(n)); !errors.Is(err, affiliate.ErrNotFound) {
			return rec, err
		}
	}
	for _, spelled := range []string{text, plaintext.Upper(text), plaintext.Lower(text)} {
		for _, index := range []record.Index{record.ByExternalID, record.ByInvoice} {
			if rec, err = refusal.FindText(o.Tx.Sales, index, spelled); !errors.Is(err, affiliate.ErrNotFound) {
				return rec, err
			}
		}
	}
	return rec, affiliate.ErrNotFound
}
