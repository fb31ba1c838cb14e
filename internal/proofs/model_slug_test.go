package proofs_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A slugMachine makes the same calls with affiliates, links, clicks, referrals
// and sales on the engine and on a register.
type slugMachine struct {
	register
	w     *scene.World
	story chronicle
	ctx   context.Context
	born  int
}

func TestModelSlugs(t *testing.T) {
	onModelStores(t, func(rt *rapid.T, w *scene.World) {
		m := &slugMachine{w: w, story: chronicle{w: w}, ctx: context.Background(), register: register{links: map[string]*regLink{}, former: map[string]regFormer{}}}
		m.newAffiliate(rt)
		m.newAffiliate(rt)
		m.newLink(rt)
		actions := map[string]func(*rapid.T){
			"new affiliate":    m.newAffiliate,
			"new link":         m.newLink,
			"update affiliate": m.updateAffiliate,
			"delete link":      m.deleteLink,
			"release":          m.release,
			"delete affiliate": m.deleteAffiliate,
			"delete referral":  m.deleteReferral,
			"delete sale":      m.deleteSale,
			"look up":          m.lookUp,
			"":                 m.check,
		}
		for i := range 2 {
			actions[fmt.Sprint("rename ", i)] = m.rename
			actions[fmt.Sprint("click ", i)] = m.click
			actions[fmt.Sprint("refer ", i)] = m.refer
			actions[fmt.Sprint("sell ", i)] = m.sell
		}
		rt.Repeat(actions)
	})
}

// modelSlugs are few, so that they clash; some look like other identifiers.
var modelSlugs = []string{"ada", "Ada-Lovelace", "a-1", "kiss", "1", "2", "7", "-"}

// notSlugs are not valid slugs. By the rules of Unicode, two of them fold to
// "kiss".
var notSlugs = []string{"a b", "a_b", "\u0430da", "\u212Aiss", "kiſs", "ada\n", " ada", "a/b", "ada%20", "\u0663"}

// tooLong would be valid if it were shorter.
var tooLong = strings.Repeat("a", 101)

// aSlug draws a slug as a caller sends it, valid or not.
func aSlug(rt *rapid.T) string {
	switch choose(rt, "kind of slug", "good", "good", "good", "good", "good", "good", "bad", "long") {
	case "bad":
		return choose(rt, "bad slug", notSlugs...)
	case "long":
		return choose(rt, "long slug", tooLong, tooLong[1:])
	}
	return misspelt(rt, choose(rt, "slug", modelSlugs...))
}

// slugRefusal is rule 1.8.
func slugRefusal(slug string) affiliate.Reason {
	for _, r := range slug {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' {
			return affiliate.SlugSyntax
		}
	}
	if slug == "" || len(slug) > 100 {
		return affiliate.SlugSyntax
	}
	return ""
}

func (m *slugMachine) newAffiliate(rt *rapid.T) {
	in := affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace",
		Email: choose(rt, "email", "ada@example.com", "Ada@Example.com", "A.1@example.com", "ada@other.example", "+++@example.com", "7@example.com"),
	}
	if maybe(rt, "email of its own", 2) {
		m.born++
		in.Email = fmt.Sprint("ada+", m.born, "@example.com")
	}
	if !maybe(rt, "generated", 3) {
		in.AffiliateLink = aSlug(rt)
	}
	got, err := m.w.CreateAffiliate(m.ctx, in)
	want := affiliate.Reason("")
	switch {
	case in.AffiliateLink != "" && slugRefusal(in.AffiliateLink) != "":
		want = affiliate.SlugSyntax
	case m.withEmail(in.Email) != nil:
		want = affiliate.AffiliateEmailTaken
	case in.AffiliateLink != "" && m.taken(in.AffiliateLink, uuid.Nil):
		want = affiliate.SlugTaken
	}
	if scene.RefusedAs(rt, "CreateAffiliate", want, err); want != "" {
		return
	}
	slug := in.AffiliateLink
	if len(got.AffiliateLinks) != 1 {
		rt.Fatalf("CreateAffiliate: the links %v", got.AffiliateLinks)
	}
	first := got.AffiliateLinks[0]
	if slug == "" {
		slug = m.generated(rt, folded(in.Email), first.Link)
	}
	m.affiliates = append(m.affiliates, &regAffiliate{id: got.ID, email: folded(in.Email), name: "Ada Lovelace"})
	m.addLink(slug, first.ID, got.ID)
	m.story.foretell(affiliate.AffiliateCreated, got.ID)
}

// generated returns the slug that rule 4.2 makes of an email. Where the rule
// allows several (no usable character, ten slugs in use), any free slug is
// accepted.
func (m *slugMachine) generated(rt *rapid.T, email, got string) string {
	if slugRefusal(got) != "" || got != folded(got) || m.taken(got, uuid.Nil) {
		rt.Errorf("generated slug %q is not free or not a slug", got)
	}
	local, _, _ := strings.Cut(email, "@")
	base := strings.Join(strings.FieldsFunc(local, func(r rune) bool { return slugRefusal(string(r)) != "" || r == '-' }), "-")
	if base == "" {
		return got
	}
	slug := base
	for n := 2; m.taken(slug, uuid.Nil) && n <= 10; n++ {
		slug = base + "-" + strconv.Itoa(n)
	}
	if m.taken(slug, uuid.Nil) || strings.HasSuffix(slug, "-10") {
		return got
	}
	return slug
}

func (m *slugMachine) anAffiliate(rt *rapid.T) *regAffiliate {
	if maybe(rt, "no such affiliate", 10) {
		return &regAffiliate{id: uuid.MustParse("0197c2f0-0000-7000-8000-000000000000"), email: "nobody@example.com"}
	}
	return anyFrom(rt, "affiliate", m.affiliates)
}

// named draws the id or email of an affiliate, or both, perhaps of two
// affiliates.
func (m *slugMachine) named(rt *rapid.T) (uuid.UUID, string) {
	a := m.anAffiliate(rt)
	switch choose(rt, "named by", "id", "email", "both", "two") {
	case "id":
		return a.id, ""
	case "email":
		return uuid.Nil, typed(rt, a.email)
	case "both":
		return a.id, typed(rt, a.email)
	}
	return a.id, m.anAffiliate(rt).email
}

// match returns what two identifiers of one record lead to: contract 1.5.
func match[T any](one, two *T, hasOne, hasTwo bool) (found *T, mismatch bool) {
	switch {
	case !hasOne:
		return two, false
	case !hasTwo:
		return one, false
	}
	return one, one != two
}

func (m *slugMachine) owner(id uuid.UUID, email string) (*regAffiliate, bool) {
	return match(m.affiliate(id), m.withEmail(email), id != uuid.Nil, email != "")
}

func (m *slugMachine) newLink(rt *rapid.T) {
	in := affiliate.LinkParams{Link: aSlug(rt)}
	in.AffiliateID, in.AffiliateEmail = m.named(rt)
	got, err := m.w.CreateLink(m.ctx, in)
	owner, mismatch := m.owner(in.AffiliateID, in.AffiliateEmail)
	want := slugRefusal(in.Link)
	switch {
	case want != "":
	case mismatch:
		want = affiliate.IdentifiersMismatch
	case owner == nil:
		want = affiliate.AffiliateNotFound
	case m.taken(in.Link, owner.id):
		want = affiliate.SlugTaken
	}
	if scene.RefusedAs(rt, "CreateLink", want, err); want != "" {
		return
	}
	m.addLink(in.Link, got.ID, owner.id)
	m.story.foretell(affiliate.AffiliateUpdated, owner.id)
}

// updateAffiliate changes the name or the email, or adds a link, with one event
// for all.
func (m *slugMachine) updateAffiliate(rt *rapid.T) {
	id, email := m.named(rt)
	up := affiliate.AffiliateUpdate{
		LastName: optionally(rt, "last name", "Lovelace", "Byron"),
		Email:    optionally(rt, "new email", "Ada@Example.com", "byron@example.com", "a.1@example.com"),
	}
	if maybe(rt, "adds a link", 2) {
		up.AffiliateLink = affiliate.Set(aSlug(rt))
	}
	n, err := m.w.UpdateAffiliate(m.ctx, affiliate.AffiliateRef{ID: id, Email: email}, up)
	a, mismatch := m.owner(id, email)
	slug, adds := up.AffiliateLink.Get()
	newEmail, moves := up.Email.Get()
	newEmail = folded(newEmail)
	want := affiliate.Reason("")
	switch {
	case adds && slugRefusal(slug) != "":
		want = affiliate.SlugSyntax
	case mismatch:
		want = affiliate.IdentifiersMismatch
	case a == nil:
		if scene.RefusedAs(rt, "UpdateAffiliate", "", err); n != 0 {
			rt.Errorf("UpdateAffiliate of nobody matched %d", n)
		}
		return
	case moves && m.withEmail(newEmail) != nil && m.withEmail(newEmail) != a:
		want = affiliate.AffiliateEmailTaken
	case adds && m.taken(slug, a.id):
		want = affiliate.SlugTaken
	}
	if scene.RefusedAs(rt, "UpdateAffiliate", want, err); want != "" {
		return
	}
	if n != 1 {
		rt.Errorf("UpdateAffiliate matched %d", n)
	}
	was := *a
	if last, ok := up.LastName.Get(); ok {
		a.name = "Ada " + last
	}
	if moves {
		a.email = newEmail
	}
	if adds {
		links := scene.Must(m.w.Links(m.ctx, affiliate.LinkQuery{Slug: affiliate.Set(slug)}, affiliate.Page{})).Items
		if len(links) != 1 {
			rt.Fatalf("UpdateAffiliate added %v", links)
		}
		m.addLink(slug, links[0].ID, a.id)
	}
	if *a != was || adds {
		m.story.foretell(affiliate.AffiliateUpdated, a.id)
	}
}

// linkRef draws the id or slug of a link, or both, perhaps of two links.
func (m *slugMachine) linkRef(rt *rapid.T) affiliate.LinkRef {
	l := anyFrom(rt, "link", m.allLinks())
	switch choose(rt, "named by", "id", "slug", "slug", "both", "two", "dead id", "dead slug") {
	case "id":
		return affiliate.LinkRef{ID: l.id}
	case "slug":
		return affiliate.LinkRef{Slug: misspelt(rt, l.slug)}
	case "both":
		return affiliate.LinkRef{ID: l.id, Slug: misspelt(rt, l.slug)}
	case "two":
		return affiliate.LinkRef{ID: l.id, Slug: choose(rt, "other slug", append(modelSlugs, notSlugs...)...)}
	case "dead id":
		return affiliate.LinkRef{ID: uuid.MustParse("0197c2f0-0000-7000-8000-000000000001")}
	}
	return affiliate.LinkRef{Slug: choose(rt, "any slug", append(modelSlugs, notSlugs...)...)}
}

func (m *slugMachine) linkNamed(ref affiliate.LinkRef) (*regLink, bool) {
	return match(m.linkWithID(ref.ID), m.link(ref.Slug), ref.ID != uuid.Nil, ref.Slug != "")
}

func (m *slugMachine) rename(rt *rapid.T) {
	ref, slug := m.linkRef(rt), aSlug(rt)
	if maybe(rt, "the slug it has", 3) {
		if l, _ := m.linkNamed(ref); l != nil {
			slug = choose(rt, "spelling", l.slug, misspelt(rt, l.slug))
		}
	}
	got, err := m.w.RenameLink(m.ctx, ref, slug)
	l, mismatch := m.linkNamed(ref)
	want := slugRefusal(slug)
	switch {
	case want != "":
	case mismatch:
		want = affiliate.IdentifiersMismatch
	case l == nil:
		want = affiliate.LinkNotFound
	case m.taken(slug, l.owner) && m.link(slug) != l:
		want = affiliate.SlugTaken
	}
	if scene.RefusedAs(rt, "RenameLink", want, err); want != "" {
		return
	}
	if got.ID != l.id {
		rt.Errorf("RenameLink: another id")
	}
	if l.slug == slug {
		return
	}
	delete(m.links, folded(l.slug))
	m.former[folded(l.slug)] = regFormer{link: l, owner: l.owner}
	delete(m.former, folded(slug))
	l.slug = slug
	m.links[folded(slug)] = l
	m.story.foretell(affiliate.AffiliateUpdated, l.owner)
}

// release makes a former slug free: rule 4.3.
func (m *slugMachine) release(rt *rapid.T) {
	slug := choose(rt, "slug to release", modelSlugs...)
	got, err := m.w.ReleaseSlug(m.ctx, misspelt(rt, slug))
	was, former := m.former[folded(slug)]
	want := affiliate.LinkNotFound
	if m.links[folded(slug)] != nil {
		want = affiliate.SlugTaken
	} else if former {
		want = ""
	}
	if scene.RefusedAs(rt, "ReleaseSlug", want, err); want != "" {
		return
	}
	if got.AffiliateID != was.owner {
		rt.Errorf("ReleaseSlug: it was of %s, not of %s", was.owner, got.AffiliateID)
	}
	delete(m.former, folded(slug))
	if was.link != nil {
		m.story.foretell(affiliate.AffiliateUpdated, was.owner)
	}
}

// deleteLink clears the references and keeps the rest: rule 4.3.
func (m *slugMachine) deleteLink(rt *rapid.T) {
	if !maybe(rt, "really", 2) {
		rt.Skip("not this time")
	}
	ref := m.linkRef(rt)
	got, err := m.w.DeleteLink(m.ctx, ref)
	l, mismatch := m.linkNamed(ref)
	want := affiliate.Reason("")
	if mismatch {
		want = affiliate.IdentifiersMismatch
	} else if l == nil {
		want = affiliate.LinkNotFound
	}
	if scene.RefusedAs(rt, "DeleteLink", want, err); want != "" {
		return
	}
	if got != (affiliate.DeletedLink{ID: l.id, Link: l.slug}) {
		rt.Errorf("DeleteLink: %v", got)
	}
	m.dropLink(l)
	m.story.foretell(affiliate.AffiliateUpdated, l.owner)
}

func (m *slugMachine) deleteAffiliate(rt *rapid.T) {
	if !maybe(rt, "really", 5) {
		rt.Skip("not this time")
	}
	id, email := m.named(rt)
	err := m.w.Forfeiting().DeleteAffiliate(m.ctx, affiliate.AffiliateRef{ID: id, Email: email})
	a, mismatch := m.owner(id, email)
	if mismatch {
		scene.RefusedAs(rt, "DeleteAffiliate", affiliate.IdentifiersMismatch, err)
		return
	}
	if scene.RefusedAs(rt, "DeleteAffiliate", "", err); a == nil {
		return
	}
	m.dropAffiliate(a)
	m.story.foretell(affiliate.AffiliateDeleted, a.id)
}

// check compares model and engine after every step.
func (m *slugMachine) check(rt *rapid.T) {
	m.w.Pass(time.Second)
	want, got := m.lines(), m.shown(rt)
	sameLines(rt, "affiliates", want.affiliates, got.affiliates)
	sameLines(rt, "links", want.links, got.links)
	sameLines(rt, "referrals", want.referrals, got.referrals)
	sameLines(rt, "sales", want.sales, got.sales)
	m.story.check(rt)
	if err := m.w.Verify(m.ctx); err != nil {
		rt.Errorf("Verify: %v", err)
	}
}

// shown returns the records that the engine's lists show. Each slug must lead
// to its own link.
func (m *slugMachine) shown(rt *rapid.T) (out regLines) {
	for _, a := range scene.Must(m.w.Affiliates(m.ctx, affiliate.AffiliateQuery{}, affiliate.Page{})).Items {
		var links []string
		for _, l := range a.AffiliateLinks {
			if l.UserID != a.ID {
				rt.Errorf("link %s of %s names %s", l.Link, a.ID, l.UserID)
			}
			links = append(links, l.Link)
		}
		slices.Sort(links)
		out.affiliates = append(out.affiliates, fmt.Sprintln(a.ID, a.Email, a.Name, links, a.NumberOfClicks, a.NumberOfReferredUsers, a.TotalRevenue))
	}
	for _, l := range scene.Must(m.w.Links(m.ctx, affiliate.LinkQuery{}, affiliate.Page{})).Items {
		out.links = append(out.links, fmt.Sprintln(l.ID, l.Link, l.Affiliate.ID, l.Clicks, l.Referrals, l.Sales, l.TotalRevenue))
	}
	for _, r := range scene.Must(m.w.Referrals(m.ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		out.referrals = append(out.referrals, fmt.Sprintln(r.ID, r.Email, r.AffiliateID, orDash(r.AffiliateLinkID), r.TotalRevenue))
	}
	for _, x := range scene.Must(m.w.Sales(m.ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		out.sales = append(out.sales, fmt.Sprintln(x.ID, x.AffiliateID, orDash(x.ReferralID), orDash(x.AffiliateLinkID), x.TotalEarned, x.Clicks))
	}
	for _, slug := range modelSlugs {
		links, want := scene.Must(m.w.Links(m.ctx, affiliate.LinkQuery{Slug: affiliate.Set(slug)}, affiliate.Page{})).Items, m.link(slug)
		if want == nil && len(links) > 0 || want != nil && (len(links) != 1 || links[0].ID != want.id) {
			rt.Errorf("slug %q leads to %v", slug, links)
		}
	}
	return out
}

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
