package robustness

import "github.com/tributary-go/tributary/affiliate"

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
