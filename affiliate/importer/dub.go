package importer

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Dub reads the CSV files that Dub exports: Files.Affiliates is the export of
// partners (ID, Name, Email, Status, Enrolled at, Clicks …), Files.Commissions
// that of commissions (ID, Type, Amount, Earnings, Currency, Status, Invoice ID,
// Created at, Paid at, Partner ID, Partner email, Customer ID, Customer name,
// Customer email, Customer external ID …). Tick all columns when you export.
// Customers are taken from the commissions, which must be an [io.Seeker] for
// that. Dub exports no links: one is made from each partner's email. Any other
// file is an error.
//
// Amounts are in major units, as Dub writes them now ($1,250.00). Exports of
// older versions of Dub were in cents; the totals of a dry run show it.
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
		if f.Links != nil || f.Coupons != nil || f.Customers != nil || f.Payouts != nil {
			yield(Row{}, errors.New("importer: Dub exports partners and commissions, and no other file"))
			return
		}
		if d.Location == nil {
			d.Location = time.UTC
		}
		commissions := fileOf(f.Commissions, "commissions.csv")
		d.scan(ctx, fileOf(f.Affiliates, "partners.csv"), d.partner)
		for _, read := range []func(*Row, *entry){d.since, d.customer} {
			if commissions != nil && commissions.again() {
				d.quiet = true
				d.scan(ctx, commissions, read)
				d.quiet = false
				commissions.again()
			}
		}
		d.scan(ctx, commissions, d.commission)
		if !d.ended {
			d.paid.each(commissions.called(), yield)
		}
	})
}

// dub is one walk over the files of Dub.
type dub struct {
	Files
	output
	paid  paidSales
	first map[[16]byte]time.Time // of each customer, the first commission; without those that were given
}

var dubPartners = map[string]affiliate.AffiliateStatus{
	"approved": affiliate.AffiliateActive, "pending": affiliate.AffiliateInactive, "rejected": affiliate.AffiliateDeclined,
	"invited": affiliate.AffiliateInvited, "declined": affiliate.AffiliateDeclined, "deactivated": affiliate.AffiliateDeactivated,
	"archived": affiliate.AffiliateDeactivated, "banned": affiliate.AffiliateBanned,
}

func (d *dub) partner(row *Row, e *entry) {
	row.Ref = e.id("dub:partner:", "ID")
	a := affiliate.ImportedAffiliate{
		Email: e.text("Email"), Status: dubPartners[strings.ToLower(e.text("Status"))],
		CreatedAt: e.time(time.UTC, nil, "Enrolled at"),
	}
	a.FirstName, a.LastName = splitName(e.text("Name"))
	if clicks := e.count("Clicks"); clicks > 0 {
		a.Links = []affiliate.ImportedLink{{Slug: slugOf(a.Email), Clicks: clicks}}
	}
	row.Item = Affiliate{a}
}

// slugOf is the local part of an email, which becomes a slug.
func slugOf(email string) string {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	return local
}

// since notes when a customer came: exports are in no order that stays.
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
		return // it has none, such as a click, or the customer was given
	}
	delete(d.first, shortOf(id))
	row.Ref = "dub:customer:" + id
	c := affiliate.ImportedReferral{CreatedAt: at, Via: e.lead("dub:partner:", "Partner ID")}
	c.Name, c.Email = e.text("Customer name"), e.text("Customer email")
	c.ReferredUserExternalID = e.text("Customer external ID")
	c.AffiliateEmail = e.text("Partner email")
	c.Payers = providerIDs(stripe, e.text("Stripe customer ID"))
	row.Item = Referral{c}
}

func (d *dub) commission(row *Row, e *entry) {
	row.Ref = e.id("dub:commission:", "ID")
	kind, status := strings.ToLower(e.text("Type")), strings.ToLower(e.text("Status"))
	s := affiliate.ImportedSale{
		CreatedAt: e.time(time.UTC, nil, "Created at"), Via: e.lead("dub:partner:", "Partner ID"), AffiliateEmail: e.text("Partner email"),
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
		s.Reason = "Dub: " + kind
	}
	currency := e.currency("Currency")
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
		e.refuse(affiliate.FieldUnknownWord.Of("Status"))
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
