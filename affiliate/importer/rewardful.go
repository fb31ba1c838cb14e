package importer

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Files are the files of a service. A file that is nil is left out. A file with a
// method Name appears in reports under that name. A file that is an [io.Seeker] can be
// read a second time, which is needed when there is no file of customers: they are then
// taken from the commissions.
type Files struct {
	Affiliates  io.Reader
	Links       io.Reader // of Rewardful
	Coupons     io.Reader // of Rewardful
	Customers   io.Reader // of Rewardful
	Commissions io.Reader
	Payouts     io.Reader // of Rewardful

	// Discount is what Rewardful's coupons take off, which Rewardful's files do not
	// say. Its Name and ExternalID are not used. Zero: coupons are rejected.
	Discount affiliate.CouponParams

	// Location is the zone of the calendar months of payouts that are made of
	// paid commissions; nil: UTC. Use that of the program.
	Location *time.Location
}

// Rewardful reads the answers of the lists of Rewardful's API, saved unchanged, page
// after page: affiliates (with expand[]=links), affiliate_links, affiliate_coupons,
// referrals, commissions (with expand[]=sale), payouts (with expand[]=commissions).
// They are JSON. Affiliates may also be in the CSV file that Rewardful imports:
// stripe_customer_id, first_name, last_name, email, paypal_email, wise_email, token.
//
// Amounts are in the smallest unit of their currency. A commission without an amount
// or without its sale, and a payout without its commissions, is rejected: then the list
// was not expanded. A pending or due
// commission becomes ACCEPTED, a voided one DECLINED, a paid one belongs to its
// payout; without one, to a payout of the affiliate and the calendar month.
// Visitors who did not become customers are passed over.
//
// Source: docs/import.md; developers.rewardful.com/rest-api; help.rewardful.com
// article 1988486.
func Rewardful(f Files) Source {
	return rows(func(ctx context.Context, yield func(Row, error) bool) {
		r := &rewardfulWalk{Files: f, output: output{yield: yield},
			paid: paidSales{service: "rewardful"}, links: map[string][]imported.Link{},
			given: map[[16]byte]bool{}, kept: map[[16]byte]bool{}}
		if r.Location == nil {
			r.Location = time.UTC
		}
		commissions := fileOf(f.Commissions, "commissions")
		affiliates := fileOf(f.Affiliates, "affiliates")
		if affiliates != nil {
			affiliates.form.needs = [][]string{{"first_name"}, {"last_name"}, {"email"}, {"token"}}
		}
		links, coupons, customers, payouts := fileOf(f.Links, "links"),
			fileOf(f.Coupons, "coupons"), fileOf(f.Customers, "customers"),
			fileOf(f.Payouts, "payouts")
		for _, answers := range []*file{links, coupons, customers, commissions, payouts} {
			if answers != nil {
				answers.form.json = true
			}
		}
		r.scan(ctx, links, r.link)
		r.scan(ctx, affiliates, r.affiliate)
		r.scan(ctx, coupons, r.coupon)
		r.scan(ctx, customers, r.customer)
		if f.Customers == nil && f.Commissions != nil && commissions.again() {
			r.quiet = true
			r.scan(ctx, commissions, r.customerOfSale)
			r.quiet = false
			commissions.again()
		}
		r.scan(ctx, commissions, r.commission)
		r.scan(ctx, payouts, r.payout)
		if !r.ended {
			r.paid.each(commissions.called(), yield)
		}
	})
}

// An output gives rows until it has ended.
type output struct {
	yield func(Row, error) bool
	ended bool
	quiet bool // rows that cannot be used are skipped: the file is being read a second time
}

// scan yields the rows that read makes of a file's entries. An error of the file ends
// everything.
func (o *output) scan(ctx context.Context, f *file, read func(row *Row, e *entry)) {
	if o.ended || f == nil {
		return
	}
	err := f.each(ctx, func(row Row, e *entry) bool {
		if e.bad == nil {
			read(&row, e)
		}
		row.money = e.money
		switch {
		case e.bad != nil && o.quiet:
		case e.bad != nil:
			o.ended = !o.yield(row, e.bad)
		case row.Item != nil:
			o.ended = !o.yield(row, nil)
		}
		return !o.ended
	})
	if err != nil && !o.ended {
		o.ended = true
		o.yield(Row{File: f.name}, err)
	}
}

// rewardfulWalk is one walk over the files of Rewardful.
type rewardfulWalk struct {
	Files
	output
	paid  paidSales
	links map[string][]imported.Link // of the file of links, by affiliate
	given map[[16]byte]bool          // customers that were taken from commissions
	kept  map[[16]byte]bool          // commissions that are bonuses, because their payments were refunded
}

// id makes a ref of a field; an empty one is refused.
func (e *entry) id(prefix, name string) string {
	id := e.text(name)
	if id == "" {
		e.refuse(refusal.FieldRequired.Of(name))
		return "" // rows without an id are not the same row
	}
	return prefix + id
}

// requires refuses an entry without a field.
func (e *entry) requires(name string) {
	if value, _ := e.member(name); value == nil {
		e.refuse(refusal.FieldRequired.Of(name))
	}
}

// lead returns the refs of the given fields that say what brought a customer.
func (e *entry) lead(pairs ...string) (via []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if id := e.text(pairs[i+1]); id != "" {
			via = append(via, pairs[i]+id)
		}
	}
	return via
}

func (r *rewardfulWalk) linkOf(e *entry) imported.Link {
	link := imported.Link{Slug: e.text("token"), Clicks: e.count("visitors")}
	if link.Ref = "rewardful:link:" + e.text("id"); e.text("id") == "" {
		link.Ref = "rewardful:token:" + digest(link.Slug)
	}
	return link
}

// link keeps a link for its affiliate.
func (r *rewardfulWalk) link(_ *Row, e *entry) {
	owner := e.id("", "affiliate_id")
	r.links[owner] = append(r.links[owner], r.linkOf(e))
}

var rewardfulStates = map[string]affiliate.AffiliateStatus{
	"active": affiliate.AffiliateActive, "disabled": affiliate.AffiliateDeactivated,
	"suspicious": affiliate.AffiliateInactive, "pending": affiliate.AffiliateInactive,
	"unconfirmed": affiliate.AffiliateInvited, "invited": affiliate.AffiliateInvited,
}

// state returns the status of an affiliate. The CSV file has none.
func (e *entry) state(name string) affiliate.AffiliateStatus {
	word := e.text(name)
	status, known := rewardfulStates[word]
	if !known && (word != "" || e.object != nil) {
		e.refuse(refusal.FieldUnknownWord.Of(name))
	}
	return status
}

func (r *rewardfulWalk) affiliate(row *Row, e *entry) {
	a := imported.Affiliate{
		FirstName: e.text("first_name"), LastName: e.text("last_name"), Email: e.text("email"),
		Status: e.state("state"), CreatedAt: e.time(time.UTC, nil, "created_at"),
	}
	a.PayoutEmail, a.PaymentMethod = e.text("paypal_email"), "PAYPAL"
	if a.PayoutEmail == "" {
		a.PayoutEmail, a.PaymentMethod = e.text("wise_email"), "WISE"
	}
	if a.PayoutEmail == "" {
		a.PaymentMethod = ""
	}
	id := e.text("id")
	row.Ref = "rewardful:affiliate:" + id
	if id == "" {
		row.Ref = "rewardful:affiliate:#" + digest(strings.ToLower(a.Email), e.text("token"))
	}
	for _, link := range e.list("links") {
		a.Links = append(a.Links, r.linkOf(link))
		e.refuse(link.bad)
	}
	if token := e.text("token"); token != "" {
		a.Links = append(a.Links, imported.Link{Ref: "rewardful:token:" + digest(token), Slug: token})
	}
	for _, link := range r.links[id] {
		known := false
		for _, other := range a.Links {
			known = known || other.Ref == link.Ref
		}
		if !known {
			a.Links = append(a.Links, link)
		}
	}
	row.Item = Affiliate{a}
}

func (r *rewardfulWalk) coupon(row *Row, e *entry) {
	token := e.text("token")
	c := imported.Coupon{CouponParams: r.Discount, CreatedAt: e.time(time.UTC, nil, "created_at")}
	row.Ref = e.id("rewardful:coupon-of:", "id")
	c.Name, c.ExternalID = token, ""
	code := imported.Code{
		CodeParams: affiliate.CodeParams{Code: token, ExternalID: e.text("external_id")},
		Ref:        e.id("rewardful:coupon:", "id"), Via: e.lead("rewardful:affiliate:", "affiliate_id"),
	}
	if e.text("archived") == "true" {
		code.Active = affiliate.Set(false)
	}
	c.Codes = []imported.Code{code}
	row.Item = Coupon{c}
}

func (r *rewardfulWalk) customer(row *Row, e *entry) {
	if !e.has("customer") {
		return // a visitor, or a lead of whom nothing is known
	}
	r.referral(row, e, "")
}

// customerOfSale reads the customer inside a commission.
func (r *rewardfulWalk) customerOfSale(row *Row, e *entry) {
	short := shortOf(e.text("sale.referral.id"))
	if e.text("sale.referral.id") == "" || r.given[short] {
		return
	}
	r.given[short] = true
	r.referral(row, e, "sale.referral.")
}

func (r *rewardfulWalk) referral(row *Row, e *entry, at string) {
	row.Ref = e.id("rewardful:referral:", at+"id")
	c := imported.Referral{CreatedAt: e.time(time.UTC, nil, at+"became_lead_at", at+"created_at")}
	c.Name, c.Email = e.text(at+"customer.name"), e.text(at+"customer.email")
	c.Payers = providerIDs(stripe, e.text(at+"stripe_customer_id"))
	c.Via = e.lead("rewardful:link:", at+"link.id", "rewardful:coupon:", at+"coupon.id",
		"rewardful:affiliate:", at+"affiliate.id")
	if at != "" {
		c.Via = append(c.Via, e.lead("rewardful:affiliate:", "sale.affiliate.id")...)
	}
	row.Item = Referral{c}
}

func (r *rewardfulWalk) commission(row *Row, e *entry) {
	row.Ref = e.id("rewardful:commission:", "id")
	e.requires("amount")
	e.requires("sale.charge_amount_cents")
	currency := e.currency("currency")
	if currency == "" {
		currency = e.currency("sale.currency")
	}
	s := imported.Sale{
		CreatedAt: e.time(time.UTC, nil, "sale.charged_at", "sale.created_at", "created_at"),
		Via: e.lead("rewardful:link:", "sale.referral.link.id", "rewardful:affiliate:",
			"sale.affiliate.id", "rewardful:affiliate:", "sale.referral.affiliate.id"),

		TotalEarned: e.minor("sale.charge_amount_cents", currency), Tax: e.minor("sale.tax_amount_cents", currency),
		Refunded: e.minor("sale.refund_amount_cents", currency), CommissionEarned: e.minor("amount", currency),
		ExternalID: e.text("sale.stripe_charge_id"),
	}
	if !s.TotalEarned.IsZero() {
		s.Keys = providerIDs(stripe, s.ExternalID)
	}
	if id := e.text("sale.referral.id"); id != "" {
		s.Customer = "rewardful:referral:" + id
	}
	state := e.text("state")
	switch state {
	case "pending", "due", "paid":
	case "voided":
		s.Approval = affiliate.ApprovalDeclined
	default:
		e.refuse(refusal.FieldUnknownWord.Of("state"))
	}
	row.Item = Sale{s, currency}
	if e.bad != nil {
		return
	}
	whole := !s.TotalEarned.IsZero() && s.Refunded == s.TotalEarned && !s.CommissionEarned.IsZero()
	kept := s.CommissionEarned
	if whole { // nothing of the sale is kept: what was paid for it nevertheless is a bonus
		s.CommissionEarned = affiliate.Amount{}
		row.Item = Sale{s, currency}
	}
	if state != "paid" || kept.IsZero() {
		return
	}
	ref := row.Ref
	if whole {
		if r.ended = !r.yield(*row, nil); r.ended {
			row.Item = nil
			return
		}
		r.kept[shortOf(row.Ref)] = true
		ref = row.Ref + ":kept"
		bonus := imported.Sale{
			CreatedAt: s.CreatedAt, Customer: s.Customer, Via: s.Via, CommissionEarned: kept,
			Reason: "Paid by Rewardful for a payment that was refunded",
		}
		row.Ref, row.Item = ref, Sale{bonus, currency}
	}
	owner := e.text("sale.affiliate.id")
	if owner == "" {
		owner = e.text("sale.referral.affiliate.id")
	}
	paidAt := e.time(time.UTC, nil, "paid_at", "created_at")
	r.paid.add(paidGroup{affiliate: owner, currency: currency}, ref, kept, paidAt, r.Location)
}

func (r *rewardfulWalk) payout(row *Row, e *entry) {
	row.Ref = e.id("rewardful:payout:", "id")
	e.requires("amount")
	e.requires("commissions")
	currency := e.currency("currency")
	p := imported.Payout{
		CreatedAt: e.time(time.UTC, nil, "created_at"), Amount: e.minor("amount", currency), ExternalID: e.text("id"),
	}
	switch e.text("state") {
	case "paid":
		p.Status, p.PaidAt = affiliate.PayoutPaid, e.time(time.UTC, nil, "paid_at")
	case "processing":
		p.Status = affiliate.PayoutProcessing
	case "pending", "due":
		p.Status = affiliate.PayoutPending
	default:
		e.refuse(refusal.FieldUnknownWord.Of("state"))
	}
	for _, c := range e.list("commissions") {
		ref := c.id("rewardful:commission:", "id")
		if r.kept[shortOf(ref)] {
			ref += ":kept"
		}
		e.refuse(c.bad)
		p.Sales = append(p.Sales, ref)
		r.paid.list(ref)
	}
	row.Item = Payout{Payout: p, Currency: currency}
}
