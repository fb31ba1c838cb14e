package robustness

import "github.com/tributary-go/tributary/affiliate"

// A peopleState is the program, as far as a signup sees it. It is compared with
// ==.
type peopleState struct {
	there [people + 1]bool
	links [slugs + 1]linkState
}

// A linkState is the link of a slug.
type linkState struct {
	owner  int // 0: the slug is free
	clicks int64
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
	switch link := &s.links[in.slug]; in.verb {
	case join:
		return s.join(in)
	case move:
		return s.move(in)
	case leave:
		for i := range s.links {
			if s.there[in.who] && s.links[i].owner == in.who {
				s.links[i] = linkState{}
			}
		}
		s.there[in.who] = false
	case addLink:
		switch {
		case !s.there[in.who]:
			return refusedAs(notFound)
		case link.owner != 0:
			return refusedAs(string(affiliate.SlugTaken))
		}
		link.owner = in.who
		return peopleOut{owner: in.who}
	case rename:
		switch {
		case link.owner == 0:
			return refusedAs(notFound)
		case in.to != in.slug && s.links[in.to].owner != 0:
			return refusedAs(string(affiliate.SlugTaken))
		case in.to != in.slug:
			s.links[in.to], *link = *link, linkState{}
		}
		return peopleOut{owner: s.links[in.to].owner, clicks: s.links[in.to].clicks}
	case dropLink:
		if link.owner == 0 {
			return refusedAs(notFound)
		}
		*link = linkState{}
	case track:
		if link.owner == 0 {
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
	case s.links[in.slug].owner != 0:
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
	}
	return peopleOut{count: 1}
}

func (s *peopleState) read(in peopleIn) (out peopleOut) {
	switch link := s.links[in.slug]; in.verb {
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
