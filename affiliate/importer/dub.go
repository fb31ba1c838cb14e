package importer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/amounts"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Dub reads the CSV files that Dub exports: Files.Affiliates is the export of
// partners (ID, Name, Email, Status, Enrolled at, Clicks …), Files.Customers that of
// customers (id, email, name, externalId, stripeCustomerId, createdAt, partnerId,
// link …), Files.Commissions that of commissions (id, type, amount, earnings,
// currency, status, invoiceId, createdAt, partnerId, partnerEmail, customerId,
// customerName, customerEmail, customerExternalId …). The columns are named by
// their ids, or by their titles such as Customer ID. Tick all columns when you
// export. Without a file of customers they are taken from the commissions, which
// must be an [io.Seeker] for that. A column that is missing is an error, and so is any
// other file.
//
// Dub exports no links. The slugs of customers' short links become links of their
// partners; a partner without one gets a link made from the email.
//
// Amounts are in major units, as Dub writes them ($1,250.00, '-$4.00). Exports of
// older versions of Dub are in cents; the totals of a dry run show it.
//
// A sale becomes a sale; a lead, a click and a custom commission become a bonus.
// A pending commission becomes ACCEPTED, one that is held or a fraud ON_HOLD,
// canceled and duplicate ones DECLINED, a refunded one is refunded in full. A
// paid one belongs to a payout of the partner and the calendar month, a processed
// one to a payout that is PENDING.
//
// Source: docs/import.md; the columns of the exports in dubinc/dub.
func Dub(f Files) Source {
	return rows(func(ctx context.Context, yield func(Row, error) bool) {
		d := &dub{Files: f, output: output{yield: yield}, paid: paidSales{service: "dub"}}
		if f.Links != nil || f.Coupons != nil || f.Payouts != nil {
			yield(Row{}, errors.New("importer: Dub exports partners, customers and commissions, and no other file"))
			return
		}
		if d.Location == nil {
			d.Location = time.UTC
		}
		partners, customers, commissions := fileOf(f.Affiliates, "partners.csv"),
			fileOf(f.Customers, "customers.csv"), fileOf(f.Commissions, "commissions.csv")
		partners.needs("ID", "Name", "Email", "Status", "Enrolled at|Created at")
		customers.needs("ID", "Email", "Name", "Created at", "Partner ID|Partner email")
		commissions.needs("ID", "Type", "Amount", "Earnings", "Currency", "Status", "Created at",
			"Invoice ID", "Customer ID", "Partner ID|Partner email")
		if customers == nil {
			commissions.needs("Customer email")
		}
		d.again(ctx, customers, d.linkOfCustomer)
		d.scan(ctx, partners, d.partner)
		if customers != nil {
			d.scan(ctx, customers, d.lead)
		} else {
			d.again(ctx, commissions, d.since)
			d.again(ctx, commissions, d.customer)
		}
		d.scan(ctx, commissions, d.commission)
		if !d.ended {
			d.paid.each(commissions.called(), yield)
		}
	})
}

// needs sets the columns that the file must have: of each text, one of the names
// between bars.
func (f *file) needs(columns ...string) {
	if f == nil {
		return
	}
	f.form.key = dubKey
	for _, names := range columns {
		f.form.needs = append(f.form.needs, strings.Split(names, "|"))
	}
}

// dubKey returns the name of a column of Dub: the id of a column, such as customerId, is
// its title without blanks.
func dubKey(s string) string { return strings.ReplaceAll(fold(s), " ", "") }

// dub is one walk over the files of Dub.
type dub struct {
	Files
	output
	paid  paidSales
	first map[[16]byte]time.Time     // the first commission of each customer who is not in the file of customers
	links map[string][]imported.Link // of the customers' links, by partner
	known map[[16]byte]bool          // links that are in links
}

// again reads a file that will be read once more. Nothing is read of one that
// cannot be.
func (d *dub) again(ctx context.Context, f *file, read func(*Row, *entry)) {
	if f == nil || !f.again() {
		return
	}
	d.quiet = true
	d.scan(ctx, f, read)
	d.quiet = false
	f.again()
}

var dubPartners = map[string]affiliate.AffiliateStatus{
	"approved": affiliate.AffiliateActive, "pending": affiliate.AffiliateInactive,
	"rejected": affiliate.AffiliateDeclined, "invited": affiliate.AffiliateInvited,
	"declined": affiliate.AffiliateDeclined, "deactivated": affiliate.AffiliateDeactivated,
	"archived": affiliate.AffiliateDeactivated, "banned": affiliate.AffiliateBanned,
}

func (d *dub) partner(row *Row, e *entry) {
	row.Ref = e.id("dub:partner:", "ID")
	word := strings.ToLower(e.text("Status"))
	status, known := dubPartners[word]
	if !known {
		e.refuse(refusal.FieldUnknownWord.Of("Status"))
	}
	a := imported.Affiliate{
		Email: e.text("Email"), Status: status,
		CreatedAt: e.time(time.UTC, nil, "Enrolled at", "Created at"),
	}
	a.FirstName, a.LastName = splitName(e.text("Name"))
	a.Links = append(d.links[partnerOf(e.text("ID"), "")], d.links[partnerOf("", a.Email)]...)
	if clicks := max(e.count("Clicks"), e.count("Total clicks")); clicks > 0 && len(a.Links) > 0 {
		a.Links[0].Clicks = clicks
	} else if clicks > 0 {
		a.Links = []imported.Link{{Slug: slugOfEmail(a.Email), Clicks: clicks}}
	}
	row.Item = Affiliate{a}
}

// partnerOf names a partner by the id, else by the email.
func partnerOf(id, email string) string {
	if id != "" {
		return id
	}
	return "@" + strings.ToLower(email)
}

// slugOfLink returns the last part of a short link, such as mara of
// https://go.example/mara.
func slugOfLink(link string) string {
	link, _, _ = strings.Cut(link, "?")
	link, _, _ = strings.Cut(link, "#")
	_, link, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(link, "https://"), "http://"), "/")
	link = strings.TrimRight(link, "/")
	return link[strings.LastIndexByte(link, '/')+1:]
}

// linkOfCustomer keeps the link of a customer for its partner.
func (d *dub) linkOfCustomer(_ *Row, e *entry) {
	slug := slugOfLink(e.text("Link"))
	ref := "dub:link:" + strings.ToLower(slug)
	if slug == "" || d.known[shortOf(ref)] {
		return
	}
	if d.known == nil {
		d.known, d.links = map[[16]byte]bool{}, map[string][]imported.Link{}
	}
	d.known[shortOf(ref)] = true
	owner := partnerOf(e.text("Partner ID"), e.text("Partner email"))
	d.links[owner] = append(d.links[owner], imported.Link{Ref: ref, Slug: slug})
}

// lead reads a customer of the file of customers.
func (d *dub) lead(row *Row, e *entry) {
	row.Ref = e.id("dub:customer:", "ID")
	c := imported.Referral{CreatedAt: e.time(time.UTC, nil, "Created at")}
	if slug := slugOfLink(e.text("Link")); slug != "" {
		c.Via = append(c.Via, "dub:link:"+strings.ToLower(slug))
	}
	c.Via = append(c.Via, e.lead("dub:partner:", "Partner ID")...)
	c.Name, c.Email, c.AffiliateEmail = e.text("Name"), e.text("Email"), e.text("Partner email")
	c.ReferredUserExternalID = e.text("External ID")
	c.Payers = providerIDs(stripe, e.text("Stripe customer ID"))
	row.Item = Referral{c}
}

// slugOfEmail returns the local part of an email, which becomes a slug.
func slugOfEmail(email string) string {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	return local
}

// since records when a customer came: the order of the exports may change.
func (d *dub) since(_ *Row, e *entry) {
	if d.first == nil {
		d.first = make(map[[16]byte]time.Time)
	}
	at, short := e.time(time.UTC, nil, "Created at"), shortOf(e.text("Customer ID"))
	if first, known := d.first[short]; e.bad == nil && (!known || at.Before(first)) {
		d.first[short] = at
	}
}

func (d *dub) customer(row *Row, e *entry) {
	id := e.text("Customer ID")
	at, left := d.first[shortOf(id)]
	if id == "" || !left {
		return // without a customer, such as a click, or the customer is in the file
	}
	delete(d.first, shortOf(id))
	row.Ref = "dub:customer:" + id
	c := imported.Referral{CreatedAt: at, Via: e.lead("dub:partner:", "Partner ID")}
	c.Name, c.Email = e.text("Customer name"), e.text("Customer email")
	c.ReferredUserExternalID = e.text("Customer external ID")
	c.AffiliateEmail = e.text("Partner email")
	c.Payers = providerIDs(stripe, e.text("Stripe customer ID"))
	row.Item = Referral{c}
}

func (d *dub) commission(row *Row, e *entry) {
	row.Ref = e.id("dub:commission:", "ID")
	kind, status := strings.ToLower(e.text("Type")), strings.ToLower(e.text("Status"))
	currency := e.currency("Currency")
	e.form = amounts.Form{Currency: currency, Decimal: '.'}
	s := imported.Sale{
		CreatedAt: e.time(time.UTC, nil, "Created at"), Via: e.lead("dub:partner:", "Partner ID"),
		AffiliateEmail:   e.text("Partner email"),
		CommissionEarned: e.amount("Earnings"),
	}
	if id := e.text("Customer ID"); id != "" {
		s.Customer = "dub:customer:" + id
	}
	if kind == "sale" {
		s.TotalEarned = e.amount("Amount")
		s.InvoiceID = e.text("Invoice ID")
		if strings.HasPrefix(s.InvoiceID, "in_") {
			s.Keys = providerIDs(stripe, s.InvoiceID)
		}
	} else {
		if !slices.Contains([]string{"lead", "click", "custom", "referral"}, kind) {
			e.refuse(refusal.FieldUnknownWord.Of("Type"))
		}
		s.Reason = "Dub: " + kind
		if s.CommissionEarned.Sign() < 0 {
			e.refuse(refusal.FieldClawback.Of("Earnings"))
		}
	}
	switch status {
	case "pending", "processed", "paid":
	case "hold":
		s.Approval = affiliate.ApprovalOnHold
	case "fraud":
		s.Approval, s.HoldReason = affiliate.ApprovalOnHold, affiliate.HoldFraudPrevention
	case "canceled", "duplicate":
		s.Approval = affiliate.ApprovalDeclined
	case "refunded":
		s.Refunded, s.CommissionEarned = s.TotalEarned, affiliate.Amount{}
	default:
		e.refuse(refusal.FieldUnknownWord.Of("Status"))
	}
	row.Item = Sale{s, currency}
	if e.bad != nil || s.CommissionEarned.IsZero() {
		return
	}
	owner := paidGroup{affiliate: e.text("Partner ID"), currency: currency}
	if owner.affiliate == "" {
		owner.affiliate = "#" + digest(strings.ToLower(s.AffiliateEmail))
	}
	switch status {
	case "paid":
		d.paid.add(owner, row.Ref, s.CommissionEarned, e.time(time.UTC, nil, "Paid at", "Created at"), d.Location)
	case "processed":
		d.paid.add(owner, row.Ref, s.CommissionEarned, time.Time{}, d.Location)
	}
}
