package portal

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The links of an affiliate, who makes and renames them where the host allows it.

const fieldLink = "link"

// canLink reports whether the affiliate can make and rename links.
func (v *visit) canLink() bool {
	return v.cfg.MaxLinks > 0 && v.profile.Status == affiliate.AffiliateActive
}

// A linkForm has the typed fields of a link.
type linkForm struct {
	Link    string
	Problem string
	Wrong   bool // the name is
	Nonce   string
}

// A linkSheet is the page with the links.
type linkSheet struct {
	linkForm
	Given []affiliate.Offer // what the links give customers: one, or none
	Links []linkLine
	Can   bool // the affiliate makes links
	Full  bool // but has as many as they may have
}

// A linkLine is a link on a page.
type linkLine struct {
	page.Language
	ID        uuid.UUID
	Addresses []linkAddress
	Said      string // what it brought
	Rename    string // where it is renamed; empty: the affiliate cannot, or it is there
}

// A linkAddress is one of the addresses that a link has.
type linkAddress struct{ ID, Label, URL string }

// lines returns links for people.
func (v *visit) lines(all []partner.Link) (lines []linkLine) {
	for _, l := range all {
		line := linkLine{Language: v.Language, ID: l.ID, Said: strings.Join([]string{
			v.Several(l.Clicks, "%s click|%s clicks"),
			v.Several(l.Referrals, "%s customer|%s customers"),
			v.Several(l.Sales, "%s sale|%s sales"), v.Money(l.TotalRevenue)}, ", ")}
		for i, u := range l.FullURLs {
			label := v.Short(l.Link)
			if len(l.FullURLs) > 1 {
				label += ", " + v.Short(u.BaseURL)
			}
			line.Addresses = append(line.Addresses, linkAddress{fmt.Sprintf("u-%s-%d", l.ID, i), label, u.FullURL})
		}
		if v.canLink() {
			line.Rename = v.Root + "links/" + l.ID.String()
		}
		lines = append(lines, line)
	}
	return lines
}

// links lists the links, with a form for one more.
func links(v *visit) (view, error) { return v.linkList(linkForm{}) }

func (v *visit) linkList(f linkForm) (view, error) {
	f.Nonce = page.Nonce()
	d := linkSheet{linkForm: f, Can: v.canLink()}
	list, err := v.partner().Links(v.Ctx(), v.Page50())
	if err == nil {
		d.Given, err = v.given()
	}
	d.Links = v.lines(list.Items)
	d.Full = d.Can && len(list.Items) >= v.cfg.MaxLinks
	return view{title: v.T("Links"), template: "links", next: list.Next, Data: &d}, err
}

// given returns what the links give customers: one offer, or none.
func (v *visit) given() (all []affiliate.Offer, err error) {
	offer, err := v.partner().Offer(v.Ctx())
	if given, ok := offer.Get(); ok {
		all = append(all, given)
	}
	return all, err
}

// Gives says what the links give customers.
func (v *visit) Gives(o affiliate.Offer) string {
	said := []string{v.Off(o.AmountOff, o.Currency, o.PercentOff)}
	if most := v.Money(o.MaxDiscount); most != "" {
		said = append(said, v.T("at most %s", most))
	}
	if len(o.ProductIDs) > 0 {
		said = append(said, v.T("for some products"))
	}
	if last := v.Day(o.RedeemBy); last != "" {
		said = append(said, v.T("until %s", last))
	}
	return v.T("Your links give customers %s. They need no code.", strings.Join(said, ", "))
}

// typedLink returns the name that was typed for a link.
func (v *visit) typedLink() string { return strings.TrimSpace(v.R.PostForm.Get(fieldLink)) }

// linksAgain shows what was typed into a form that is too old.
func linksAgain(v *visit) {
	shown, err := v.linkList(linkForm{Link: v.typedLink(), Problem: v.T(tooOld)})
	if err != nil {
		v.fail(err)
		return
	}
	v.render(http.StatusConflict, shown)
}

// addLink makes a link, once for a form.
func addLink(v *visit) {
	f, nonce := linkForm{Link: v.typedLink()}, v.R.PostForm.Get(fieldNonce)
	if !page.IsNonce(nonce) {
		v.stale()
		return
	}
	once := affiliate.Once{Key: "portal-link-" + v.affiliate.String() + "-" + nonce}
	_, err := v.program.Keyed(once).Partner(v.affiliate).AddLink(v.Ctx(), f.Link, v.cfg.MaxLinks)
	v.audit("link-add", err)
	if err == nil {
		v.done("links")
		return
	}
	v.again(err, func(why *affiliate.Error) (view, error) {
		f.Problem, f.Wrong = v.T(why.Message), why.Reason != affiliate.LinkLimitReached
		return v.linkList(f)
	})
}

// again shows the page of a form with why it was refused. A form that the engine cannot
// refuse so has failed.
func (v *visit) again(err error, show func(*affiliate.Error) (view, error)) {
	why, refused := page.Refusal(err)
	if !refused {
		v.fail(err)
		return
	}
	shown, err := show(why)
	if err != nil {
		v.fail(err)
		return
	}
	v.render(why.Kind.Status(), shown)
}

// A linkPage is the page of a link.
type linkPage struct {
	linkForm
	Was  string
	Line linkLine
	Can  bool // the affiliate renames it
}

// ownLink returns the link that the path names.
func (v *visit) ownLink() (l partner.Link, err error) {
	id, err := uuid.Parse(v.Args[0])
	if err != nil || id.String() != v.Args[0] {
		return l, affiliate.ErrNotFound
	}
	return v.partner().Link(v.Ctx(), id)
}

// link shows a link, with a form that renames it.
func link(v *visit) (view, error) {
	l, err := v.ownLink()
	return v.linkPage(l, linkForm{Link: l.Link}), err
}

func (v *visit) linkPage(l partner.Link, f linkForm) view {
	line := v.lines([]partner.Link{l})[0]
	line.Rename = ""
	return view{title: v.T("Link %s", l.Link), template: "link", Data: &linkPage{f, l.Link, line, v.canLink()}}
}

// renameLink gives a link another name. A form that was made before another change is shown
// again.
func renameLink(v *visit) {
	l, err := v.ownLink()
	if err != nil {
		v.fail(err)
		return
	}
	f := linkForm{Link: v.typedLink()}
	if l.Link != v.R.PostForm.Get(wasPrefix+fieldLink) && l.Link != f.Link {
		f.Wrong = true
		f.Problem = v.T("This was changed meanwhile, to %s. Save it again to write what stands here.",
			l.Link)
		v.render(http.StatusConflict, v.linkPage(l, f))
		return
	}
	_, err = v.partner().RenameLink(v.Ctx(), l.ID, f.Link)
	v.audit("link-rename", err)
	if err == nil {
		v.done("links/" + l.ID.String())
		return
	}
	v.again(err, func(why *affiliate.Error) (view, error) {
		f.Problem, f.Wrong = v.T(why.Message), why.Reason != affiliate.LinkLimitReached
		return v.linkPage(l, f), nil
	})
}
