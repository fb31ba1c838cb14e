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

// A peopleState is the program, as far as a signup sees it. It is compared with
// ==.
type peopleState struct {
	there [people + 1]bool
	links [slugs + 1]linkState
}

// A linkState is the link of a slug, or what became of it.
type linkState struct {
	owner  int // 0: no link has the slug now
	clicks int64
	leads  int // to the link with this slug, which had this one before; 0: to none
	was    int // whose it was, when it leads to nobody; 0: nobody's
}

// gone is who had a slug and is not there any more.
const gone = -1

// find returns the slug of the link that a slug leads to; 0: none.
func (s *peopleState) find(slug int) int {
	if s.links[slug].owner != 0 {
		return slug
	}
	return s.links[slug].leads
}

// taken reports whether somebody may not have a slug. own is the slug of the link that gets
// it; 0: a new one.
func (s *peopleState) taken(slug, who, own int) bool {
	at, was := s.find(slug), s.links[slug].was
	return at != 0 && at != own || was != 0 && was != who
}

// drop deletes the link with a slug: what led to it leads to nobody.
func (s *peopleState) drop(slug, was int) {
	for i := range s.links {
		if i == slug || s.links[i].leads == slug {
			s.links[i] = linkState{was: was}
		}
	}
}

func (*signup) initial() any { return peopleState{} }

// step applies a call. A call without an answer may not have happened.
func (*signup) step(state, input, output any) []any {
	return steps(state.(peopleState), output.(peopleOut), func(s *peopleState, out *peopleOut) bool {
		want := s.apply(input.(peopleIn))
		if out == nil {
			return true
		}
		want.fate.limit = out.limit // says only how the refusal is counted
		return *out == want
	})
}

// apply does a call to the state and returns its answer.
func (s *peopleState) apply(in peopleIn) peopleOut {
	at := s.find(in.slug)
	switch link := &s.links[at]; in.verb {
	case join:
		return s.join(in)
	case move:
		return s.move(in)
	case leave:
		for i := range s.links {
			switch {
			case !s.there[in.who]:
			case s.links[i].owner == in.who:
				s.drop(i, gone)
			case s.links[i].was == in.who:
				s.links[i].was = gone
			}
		}
		s.there[in.who] = false
	case addLink:
		switch {
		case !s.there[in.who]:
			return refusedAs(notFound)
		case s.taken(in.slug, in.who, 0):
			return refusedAs(string(affiliate.SlugTaken))
		}
		s.links[in.slug] = linkState{owner: in.who}
		return peopleOut{owner: in.who}
	case rename:
		switch {
		case at == 0:
			return refusedAs(notFound)
		case s.taken(in.to, link.owner, at):
			return refusedAs(string(affiliate.SlugTaken))
		case in.to != at:
			renamed := *link
			for i := range s.links {
				if i == at || s.links[i].leads == at {
					s.links[i] = linkState{leads: in.to}
				}
			}
			s.links[in.to] = renamed
		}
		return peopleOut{owner: s.links[in.to].owner, clicks: s.links[in.to].clicks}
	case dropLink:
		if at == 0 {
			return refusedAs(notFound)
		}
		s.drop(at, link.owner)
	case track:
		if at == 0 {
			return refusedAs(notFound)
		}
		link.clicks++
	}
	return s.read(in)
}

func refusedAs(why string) peopleOut { return peopleOut{fate: fate{why: why}} }

func (s *peopleState) join(in peopleIn) peopleOut {
	switch {
	case s.there[in.who]:
		return refusedAs(string(affiliate.AffiliateEmailTaken))
	case s.taken(in.slug, 0, 0):
		return refusedAs(string(affiliate.SlugTaken))
	}
	s.there[in.who], s.links[in.slug] = true, linkState{owner: in.who}
	return peopleOut{}
}

func (s *peopleState) move(in peopleIn) peopleOut {
	switch {
	case !s.there[in.who]:
		return peopleOut{}
	case in.who != in.new && s.there[in.new]:
		return refusedAs(string(affiliate.AffiliateEmailTaken))
	}
	s.there[in.who] = false
	s.there[in.new] = true
	for i := range s.links {
		if s.links[i].owner == in.who {
			s.links[i].owner = in.new
		}
		if s.links[i].was == in.who {
			s.links[i].was = in.new
		}
	}
	return peopleOut{count: 1}
}

func (s *peopleState) read(in peopleIn) (out peopleOut) {
	switch link := s.links[s.find(in.slug)]; in.verb {
	case lookUp:
		if link.owner == 0 {
			return refusedAs(notFound)
		}
		out.owner = link.owner
	case readPerson:
		if !s.there[in.who] {
			return refusedAs(notFound)
		}
		for i, l := range s.links {
			if l.owner == in.who {
				out.links |= 1 << i
			}
		}
	case readLinks:
		if link.owner != 0 {
			out.count, out.owner, out.clicks = 1, link.owner, link.clicks
		}
	}
	return out
}
