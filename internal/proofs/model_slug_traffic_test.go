package proofs_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// click records a click on a live slug in any letter case. A deleted slug
// records nothing (rule 4.5).
func (m *slugMachine) click(rt *rapid.T) {
	slug := aSlug(rt)
	got, err := m.w.TrackClick(m.ctx, affiliate.ClickParams{Slug: slug, LandingURL: "https://beans.example/?ref=x"})
	l := m.link(strings.TrimSuffix(slug, "%20")) // what a messenger added behind a slug is cut (rule 4.5)
	if l == nil {
		if !errors.Is(err, affiliate.ErrNotFound) {
			rt.Errorf("TrackClick through %q: %v, want ErrNotFound", slug, err)
		}
		return
	}
	scene.RefusedAs(rt, "TrackClick", "", err)
	for _, c := range m.clicks {
		if got.ID <= c.id {
			rt.Errorf("click %d after click %d", got.ID, c.id)
		}
	}
	if got.AffiliateID != l.owner || orDash(got.AffiliateLinkID) != l.id.String() {
		rt.Errorf("TrackClick: %v, want link %v", got, l.id)
	}
	m.clicks = append(m.clicks, &regClick{id: got.ID, affiliate: l.owner, link: l.id})
}

// ident draws an identifier of an affiliate.
func (m *slugMachine) ident(rt *rapid.T) string {
	switch choose(rt, "kind of ident", "click", "click", "id", "slug", "slug", "other") {
	case "click":
		return fmt.Sprint(anyFrom(rt, "click", m.clicks).id)
	case "id":
		return m.anAffiliate(rt).id.String()
	case "slug":
		return misspelt(rt, choose(rt, "slug", modelSlugs...))
	}
	return choose(rt, "nobody", "nobody", "1", "2", "3", "01", "+1", "1.0", "99999999999999999999999999999", "٣", "", " 1",
		strings.ToUpper(m.anAffiliate(rt).id.String()), "{"+m.anAffiliate(rt).id.String()+"}")
}

func (m *slugMachine) lookUp(rt *rapid.T) {
	ident := m.ident(rt)
	got, err := m.w.Affiliate(m.ctx, ident)
	a, _, _ := m.resolve(ident)
	if a == nil {
		if !errors.Is(err, affiliate.ErrNotFound) {
			rt.Errorf("Affiliate(%q): %v, want ErrNotFound", ident, err)
		}
		return
	}
	if scene.RefusedAs(rt, "Affiliate", "", err); got.ID != a.id {
		rt.Errorf("Affiliate(%q): %v, want %v", ident, got.ID, a.id)
	}
}

func (m *slugMachine) refer(rt *rapid.T) {
	in := affiliate.ReferralParams{
		AffiliateID: m.ident(rt), Name: "Tomas Berg",
		Email: choose(rt, "email", "c1@example.com", "C1@example.com", "c2@example.com", "c3@example.com"),
	}
	in.ReferredUserExternalID = "id of " + folded(in.Email)
	got, err := m.w.CreateReferral(m.ctx, in)
	to, link, click := m.resolve(in.AffiliateID)
	switch r := m.referral(in.Email); {
	case in.AffiliateID == "":
		scene.RefusedAs(rt, "CreateReferral", affiliate.AttributionRequired, err)
	case r != nil:
		if scene.RefusedAs(rt, "CreateReferral", "", err); got.ID != r.id {
			rt.Errorf("CreateReferral: %v, want the one that is there", got.ID)
		}
		if !r.named {
			r.named = true
			m.story.foretell(affiliate.ReferralUpdated, r.id)
		}
	case to == nil:
		if !errors.Is(err, affiliate.ErrNotFound) {
			rt.Errorf("CreateReferral: %v, want ErrNotFound", err)
		}
	default:
		scene.RefusedAs(rt, "CreateReferral", "", err)
		m.addReferral(got.ID, in.Email, to.id, link, click).named = true
		m.story.foretell(affiliate.ReferralCreated, got.ID)
	}
}

// sell reports a sale without a code, by referralId or by the customer's email.
func (m *slugMachine) sell(rt *rapid.T) {
	in := affiliate.SaleParams{
		Name: "Tomas Berg", TotalEarned: affiliate.MustAmount(choose(rt, "total", "0.01", "10", "199.99")),
		Email: choose(rt, "email", "", "c1@example.com", "C2@example.com", "c4@example.com"),
	}
	switch choose(rt, "referralId", "none", "referral", "customer", "affiliate", "affiliate") {
	case "referral":
		in.ReferralID = anyFrom(rt, "referral", m.referrals).id.String()
	case "customer":
		in.ReferralID = choose(rt, "customer", "C1@example.com", "c9@example.com")
	case "affiliate":
		in.ReferralID = m.ident(rt)
	}
	got, err := m.w.RecordSale(m.ctx, in)
	if in.ReferralID == "" && in.Email == "" {
		scene.RefusedAs(rt, "RecordSale", affiliate.AttributionRequired, err)
		return
	}
	to, link, click, customer := m.credited(in.ReferralID, in.Email)
	switch {
	case to == uuid.Nil:
		if scene.RefusedAs(rt, "RecordSale", "", err); got.Outcome != affiliate.SaleUnattributed {
			rt.Errorf("RecordSale: %s, want unattributed", got.Outcome)
		}
		return
	case customer == nil && in.Email == "":
		scene.RefusedAs(rt, "RecordSale", affiliate.MissingField, err)
		return
	}
	scene.RefusedAs(rt, "RecordSale", "", err)
	sale, ok := got.Sale.Get()
	if !ok {
		rt.Fatalf("RecordSale: %s", got.Outcome)
	}
	if customer == nil {
		r, _ := sale.Referral.Get()
		customer = m.addReferral(r.ID, in.Email, to, link, click)
		m.story.foretell(affiliate.ReferralCreated, r.ID)
	} else if click != nil && click.referral == uuid.Nil {
		click.referral = customer.id
	}
	m.sales = append(m.sales, &regSale{
		id: sale.ID, affiliate: to, referral: customer.id, link: link, total: scene.RatOf(in.TotalEarned), clicks: m.clicksOf(customer.id),
	})
	m.story.foretell(affiliate.SaleCreated, sale.ID)
}

func (m *slugMachine) deleteReferral(rt *rapid.T) {
	if !maybe(rt, "really", 3) {
		rt.Skip("not this time")
	}
	r := anyFrom(rt, "referral", m.referrals)
	scene.RefusedAs(rt, "DeleteReferral", "", m.w.Forfeiting().DeleteReferral(m.ctx, choose(rt, "named by", r.id.String(), typed(rt, r.email))))
	drop(&m.sales, func(x *regSale) bool { return x.referral == r.id })
	m.dropReferral(r)
	m.story.foretell(affiliate.ReferralDeleted, r.id)
}

func (m *slugMachine) deleteSale(rt *rapid.T) {
	if !maybe(rt, "really", 3) {
		rt.Skip("not this time")
	}
	x := anyFrom(rt, "sale", m.sales)
	scene.RefusedAs(rt, "DeleteSale", "", m.w.DeleteSale(m.ctx, x.id))
	drop(&m.sales, func(y *regSale) bool { return x == y })
	m.story.foretell(affiliate.SaleDeleted, x.id)
}
