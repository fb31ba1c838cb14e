package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A register is a naive model of affiliates and links: a map from folded slug
// to link, and lists. Rules 1.8, 4.2–4.7; contract 1.5, 3.1, 3.2.
type register struct {
	affiliates []*regAffiliate
	links      map[string]*regLink  // by folded slug
	former     map[string]regFormer // by folded slug: those that no link has now
	clicks     []*regClick
	referrals  []*regReferral
	sales      []*regSale
}

type regAffiliate struct {
	id          uuid.UUID
	email, name string
}

type regLink struct {
	id, owner uuid.UUID
	slug      string
}

// A regFormer is a slug that a link had: it leads to the link, or, when that is gone, to nobody.
type regFormer struct {
	link  *regLink // nil: gone
	owner uuid.UUID
}

type regClick struct {
	id                        affiliate.ClickID
	affiliate, link, referral uuid.UUID
}

type regReferral struct {
	id, affiliate, link uuid.UUID
	email               string
	named               bool // it has the host's id
}

type regSale struct {
	id                        affiliate.SaleID
	affiliate, referral, link uuid.UUID
	total                     *big.Rat
	clicks                    int
}

func (g *register) link(slug string) *regLink {
	slug = folded(strings.TrimSpace(slug))
	if l := g.links[slug]; l != nil {
		return l
	}
	return g.former[slug].link
}

// taken reports whether no new link of an affiliate may have a slug: a link has or had it,
// it was another affiliate's, or a click may have it as its number.
func (g *register) taken(slug string, by uuid.UUID) bool {
	n, err := strconv.ParseInt(slug, 10, 64)
	was, nobodys := g.former[folded(slug)]
	return g.link(slug) != nil || nobodys && was.owner != by || err == nil && n > 0 && strconv.FormatInt(n, 10) == slug
}

func (g *register) linkWithID(id uuid.UUID) *regLink {
	return find(g.allLinks(), func(l *regLink) bool { return l.id == id })
}

// allLinks returns the live links, newest first.
func (g *register) allLinks() []*regLink {
	all := make([]*regLink, 0, len(g.links))
	for _, l := range g.links {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *regLink) int { return strings.Compare(b.id.String(), a.id.String()) })
	return all
}

func (g *register) addLink(slug string, id, owner uuid.UUID) {
	delete(g.former, folded(slug))
	g.links[folded(slug)] = &regLink{id: id, owner: owner, slug: slug}
}

func (g *register) affiliate(id uuid.UUID) *regAffiliate {
	return find(g.affiliates, func(a *regAffiliate) bool { return a.id == id })
}

func (g *register) withEmail(email string) *regAffiliate {
	email = folded(strings.TrimSpace(email))
	return find(g.affiliates, func(a *regAffiliate) bool { return a.email == email })
}

// referral returns the one with the id, or else the one with the email.
func (g *register) referral(ident string) *regReferral {
	if r := find(g.referrals, func(r *regReferral) bool { return r.id.String() == ident }); r != nil {
		return r
	}
	return find(g.referrals, func(r *regReferral) bool { return r.email == folded(strings.TrimSpace(ident)) })
}

// resolve finds an affiliate by an identifier: a click if it has only digits,
// then the affiliate's id, then the slug (rule 4.4). It also returns the link
// and the click that it used.
func (g *register) resolve(ident string) (to *regAffiliate, link uuid.UUID, click *regClick) {
	ident = strings.TrimSpace(ident)
	for _, c := range g.clicks {
		if strconv.FormatInt(int64(c.id), 10) == ident {
			return g.affiliate(c.affiliate), c.link, c
		}
	}
	for _, a := range g.affiliates {
		if a.id.String() == ident {
			return a, uuid.Nil, nil
		}
	}
	if l := g.link(ident); l != nil {
		return g.affiliate(l.owner), l.id, nil
	}
	return nil, uuid.Nil, nil
}

// credited returns who is credited with a sale without a code, the link and the
// click that were used, and the customer: contract 3.7 steps 3 and 4, and
// affiliateLinkId in 2.6.
func (g *register) credited(referralID, email string) (to, link uuid.UUID, click *regClick, customer *regReferral) {
	if r := g.referral(referralID); referralID != "" && r != nil {
		return r.affiliate, r.link, nil, r
	}
	if email != "" {
		customer = g.referral(email)
	}
	if a, link, click := g.resolve(referralID); a != nil {
		return a.id, link, click, customer
	}
	if customer != nil {
		return customer.affiliate, customer.link, nil, customer
	}
	return uuid.Nil, uuid.Nil, nil, nil
}

// addReferral adds a customer and joins the click to it.
func (g *register) addReferral(id uuid.UUID, email string, owner, link uuid.UUID, click *regClick) *regReferral {
	r := &regReferral{id: id, email: folded(email), affiliate: owner, link: link}
	g.referrals = append(g.referrals, r)
	if click != nil && click.referral == uuid.Nil {
		click.referral = id
	}
	return r
}

func (g *register) clicksOf(referral uuid.UUID) (n int) {
	for _, c := range g.clicks {
		if c.referral == referral {
			n++
		}
	}
	return n
}

// dropLink deletes a link and clears the references to it.
func (g *register) dropLink(l *regLink) {
	delete(g.links, folded(l.slug))
	g.former[folded(l.slug)] = regFormer{owner: l.owner}
	for slug, was := range g.former {
		if was.link == l {
			g.former[slug] = regFormer{owner: l.owner}
		}
	}
	for _, c := range g.clicks {
		if c.link == l.id {
			c.link = uuid.Nil
		}
	}
	for _, r := range g.referrals {
		if r.link == l.id {
			r.link = uuid.Nil
		}
	}
	for _, x := range g.sales {
		if x.link == l.id {
			x.link = uuid.Nil
		}
	}
}

func (g *register) dropReferral(r *regReferral) {
	drop(&g.referrals, func(x *regReferral) bool { return x == r })
	for _, x := range g.sales {
		if x.referral == r.id {
			x.referral = uuid.Nil
		}
	}
	for _, c := range g.clicks {
		if c.referral == r.id {
			c.referral = uuid.Nil
		}
	}
}

// dropAffiliate deletes links, clicks, referrals and sales too (I36).
func (g *register) dropAffiliate(a *regAffiliate) {
	drop(&g.sales, func(x *regSale) bool { return x.affiliate == a.id })
	for _, r := range slices.Clone(g.referrals) {
		if r.affiliate == a.id {
			g.dropReferral(r)
		}
	}
	drop(&g.clicks, func(c *regClick) bool { return c.affiliate == a.id })
	for _, l := range g.allLinks() {
		if l.owner == a.id {
			g.dropLink(l)
		}
	}
	drop(&g.affiliates, func(b *regAffiliate) bool { return a == b })
}

// regLines is a register, or the engine's records, in comparable form.
type regLines struct{ affiliates, links, referrals, sales []string }

// lines computes every statistic from the rows: I31.
func (g *register) lines() (out regLines) {
	for _, a := range slices.Backward(g.affiliates) {
		var links []string
		for _, l := range g.links {
			if l.owner == a.id {
				links = append(links, l.slug)
			}
		}
		slices.Sort(links)
		clicks, referrals, _, revenue := g.count(func(affiliate, _ uuid.UUID) bool { return affiliate == a.id })
		out.affiliates = append(out.affiliates, fmt.Sprintln(a.id, a.email, a.name, links, clicks, referrals, revenue))
	}
	for _, l := range g.allLinks() {
		clicks, referrals, sales, revenue := g.count(func(_, link uuid.UUID) bool { return link == l.id })
		out.links = append(out.links, fmt.Sprintln(l.id, l.slug, l.owner, clicks, referrals, sales, revenue))
	}
	for _, r := range slices.Backward(g.referrals) {
		revenue := new(big.Rat)
		for _, x := range g.sales {
			if x.referral == r.id {
				revenue.Add(revenue, x.total)
			}
		}
		out.referrals = append(out.referrals, fmt.Sprintln(r.id, r.email, r.affiliate, idLine(r.link), scene.Plain(revenue)))
	}
	for _, x := range slices.Backward(g.sales) {
		out.sales = append(out.sales, fmt.Sprintln(x.id, x.affiliate, idLine(x.referral), idLine(x.link), scene.Plain(x.total), x.clicks))
	}
	return out
}

// count counts the rows of an affiliate or of a link.
func (g *register) count(of func(affiliate, link uuid.UUID) bool) (clicks, referrals, sales int, revenue string) {
	sum := new(big.Rat)
	for _, c := range g.clicks {
		if of(c.affiliate, c.link) {
			clicks++
		}
	}
	for _, r := range g.referrals {
		if of(r.affiliate, r.link) {
			referrals++
		}
	}
	for _, x := range g.sales {
		if of(x.affiliate, x.link) {
			sales++
			sum.Add(sum, x.total)
		}
	}
	return clicks, referrals, sales, scene.Plain(sum)
}
