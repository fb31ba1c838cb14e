package robustness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A signup is the trade of affiliates, their emails, and the slugs of their
// links, of which there are few, so that all want the same ones.
type signup struct{}

const people, slugs = 5, 6

type peopleVerb uint8

const (
	join peopleVerb = iota
	move
	leave
	addLink
	rename
	dropLink
	track
	lookUp
	readPerson
	readLinks
)

// A peopleIn is one call. Numbers are indexes from 1.
type peopleIn struct {
	verb     peopleVerb
	who, new int // emails
	slug, to int
}

// A peopleOut is its answer.
type peopleOut struct {
	fate
	owner  int // the email of an affiliate; 0: none
	count  int // affiliates that were updated
	clicks int64
	links  uint8 // a bit for each slug
}

func emailText(i int) string { return fmt.Sprintf("p%d@example.com", i) }

// slugText spells a slug in one of two letter cases.
func slugText(i int, upper bool) string {
	text := fmt.Sprintf("slug-%d", i)
	if upper {
		return strings.ToUpper(text)
	}
	return text
}

func (*signup) open(context.Context, api.Operations) error { return nil }

func (*signup) call(ctx context.Context, ops api.Operations, r *rand.Rand, _ turn) (any, outputOfCall, bool) {
	in := peopleIn{who: 1 + r.IntN(people), new: 1 + r.IntN(people), slug: 1 + r.IntN(slugs), to: 1 + r.IntN(slugs)}
	for _, v := range []struct {
		verb  peopleVerb
		share int
	}{{join, 22}, {move, 6}, {leave, 6}, {addLink, 10}, {rename, 12}, {dropLink, 8}, {track, 10}, {lookUp, 9}, {readPerson, 9}, {readLinks, 100}} {
		if in.verb = v.verb; r.IntN(100) < v.share {
			break
		}
	}
	if in.verb >= lookUp {
		return in, in.read(ctx, ops, r.IntN(2) == 0), true
	}
	return in, in.write(ctx, ops, r.IntN(2) == 0), false
}

func (in peopleIn) write(ctx context.Context, ops api.Operations, upper bool) (out peopleOut) {
	var err error
	var got affiliate.Link
	slug := slugText(in.slug, upper)
	switch in.verb {
	case join:
		_, err = ops.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: emailText(in.who), AffiliateLink: slug})
	case move:
		out.count, err = ops.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: emailText(in.who)}, affiliate.AffiliateUpdate{Email: affiliate.Set(emailText(in.new))})
	case leave:
		err = ops.DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: emailText(in.who)})
	case addLink:
		got, err = ops.CreateLink(ctx, affiliate.LinkParams{Link: slug, AffiliateEmail: emailText(in.who)})
	case rename:
		got, err = ops.RenameLink(ctx, affiliate.LinkRef{Slug: slug}, slugText(in.to, upper))
	case dropLink:
		_, err = ops.DeleteLink(ctx, affiliate.LinkRef{Slug: slug})
	case track:
		_, err = ops.TrackClick(ctx, affiliate.ClickParams{Slug: slug, LandingURL: "https://beans.example/shop"})
	}
	out.fate, out.owner, out.clicks = fateOf(err), emailIndex(got.Affiliate.Email), got.Clicks
	return out
}

func (in peopleIn) read(ctx context.Context, ops api.Operations, upper bool) (out peopleOut) {
	switch in.verb {
	case lookUp:
		got, err := ops.Affiliate(ctx, slugText(in.slug, upper))
		return peopleOut{fate: fateOf(err), owner: emailIndex(got.Email)}
	case readPerson:
		got, err := ops.Affiliate(ctx, emailText(in.who))
		out.fate = fateOf(err)
		for _, l := range got.AffiliateLinks {
			out.links |= 1 << slugIndex(l.Link)
		}
		return out
	}
	got, err := ops.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set(slugText(in.slug, upper))}, affiliate.Page{})
	out.fate = fateOf(err)
	for _, l := range got.Items {
		out.count++
		out.owner, out.clicks = emailIndex(l.Affiliate.Email), l.Clicks
	}
	return out
}

func emailIndex(text string) (i int) {
	for i = people; i > 0 && emailText(i) != text; i-- {
	}
	return i
}

func slugIndex(text string) (i int) {
	for i = slugs; i > 0 && slugText(i, false) != strings.ToLower(text); i-- {
	}
	return i
}
