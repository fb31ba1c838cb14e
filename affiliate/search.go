package affiliate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// Searches. A search never walks a table in one piece: it reads a limited number
// of records for a page, in several Views.

// What one page of a search reads: so many records in all, and in one View.
const (
	searchedAtMost = 5000
	searchedAtOnce = 512
)

// maxSearch is how many characters a search text may have.
const maxSearch = 100

// A hunt is a page of a search: the operation and the query are the scope of its
// cursors.
type hunt struct {
	page      Page
	operation string
	query     any
}

// A seeker is what a search needs in one View.
type seeker[R Record[R], T any] struct {
	choice[R]
	table Table[R]
	item  func(R) (T, error)
	over  func(*R) bool          // reports that no later record can fit; nil: never
	keep  func(*R) (bool, error) // a condition that is not in the choice; nil: none
	costs int                    // how many other records keep may read; they count
	spent int                    // how many it has read
}

// A search is how far it has come.
type search[T any] struct {
	page   List[T]
	last   uuid.UUID // that was looked at
	looked int
	over   bool
	scope  string
}

func (s *search[T]) full(limit int) bool { return len(s.page.Items) == limit }

// found reads a page of a search. seek is called once in each run of a View; its
// argument says whether a search text may name records exactly. A page that
// follows one of records that have the text somewhere has such records too.
func found[R Record[R], T any](ctx context.Context, p *Program, h hunt, seek func(o *op, exactly bool) *seeker[R, T]) (List[T], error) {
	h.page.Limit = cmp.Or(h.page.Limit, cursorPage)
	l, err := p.listing(h.page, h.operation, h.query)
	if err != nil {
		return List[T]{}, err
	}
	_, parts := openCursor(l.cursor, l.scope)
	s, exactly := search[T]{page: List[T]{Items: []T{}}}, !parts
	for !s.over && !s.full(h.page.Limit) && s.looked < searchedAtMost {
		s, err = view(ctx, p, func(o *op) (search[T], error) { return searchOn(s, l, seek(o, exactly), h.page.Limit) })
		if err != nil {
			return List[T]{}, err
		}
	}
	if !s.over {
		s.page.Next = sealCursor(s.last, s.scope)
	}
	return s.page, nil
}

// searchOn looks at the next records.
func searchOn[R Record[R], T any](s search[T], l listing, k *seeker[R, T], limit int) (search[T], error) {
	l.bound = k.bound
	l, err := l.open()
	if err != nil {
		return s, err
	}
	if s.scope = l.scope; k.err != nil || k.single() {
		s.over = true
		s.page, err = k.alone()
		return s, err
	}
	if s.last != uuid.Nil {
		l.query.After = s.last
	}
	each := 1 + k.costs
	l.query.Key, l.query.Limit = k.key, max(min(searchedAtOnce, searchedAtMost-s.looked)/each, 1)
	recs, err := gather(k.table, l.query)
	if err != nil {
		return s, err
	}
	s.page.Items = slices.Clip(s.page.Items) // appending copies: the closure may run twice
	if err := k.take(&s, recs, limit); err != nil {
		return s, err
	}
	s.looked += k.spent
	if n := len(recs); n == 0 || n < l.query.Limit && s.last == recs[n-1].RecordID() {
		s.over = true
	}
	if searchedAtMost-s.looked < each {
		s.looked = searchedAtMost // there is no room for another
	}
	return s, nil
}

// take adds the records that fit, until the page is full.
func (k *seeker[R, T]) take(s *search[T], recs []R, limit int) error {
	for i := range recs {
		if s.full(limit) {
			return nil
		}
		if k.over != nil && k.over(&recs[i]) {
			s.over = true
			return nil
		}
		s.last, s.looked = recs[i].RecordID(), s.looked+1
		fits, err := k.keeps(&recs[i])
		if err != nil {
			return err
		}
		if !fits {
			continue
		}
		item, err := k.item(recs[i])
		if err != nil {
			return err
		}
		s.page.Items = append(s.page.Items, item)
	}
	return nil
}

// alone is the list of the only record that can be selected.
func (k *seeker[R, T]) alone() (List[T], error) {
	var shown T
	if k.err != nil {
		return only(shown, k.err)
	}
	rec, err := k.find(k.table)
	if err != nil {
		return only(shown, err)
	}
	fits, err := k.keeps(&rec)
	if err == nil && !fits {
		err = ErrNotFound
	}
	if err == nil {
		shown, err = k.item(rec)
	}
	return only(shown, err)
}

// keeps reports whether a record that the key gave is selected.
func (k *seeker[R, T]) keeps(rec *R) (bool, error) {
	if !k.fit(*rec) {
		return false, nil
	}
	if k.keep == nil {
		return true, nil
	}
	return k.keep(rec)
}

// checkSearch checks a search text. A text that is set to nothing is no error: it
// selects nothing.
func checkSearch(text Opt[string]) *Error {
	if text.Or("") == "" {
		return nil
	}
	return inQuery(given("search", text, maxSearch))
}

// A part is a text that records are searched for, in any letter case. Names have
// letters that ASCII does not have, and what is found decides nothing.
type part string

func partOf(text string) part { return part(strings.ToLower(plaintext.Trim(text))) }

func (p part) in(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), string(p)) })
}

// A period is the time in which records were made; a zero end is open.
type period struct{ since, until Instant }

func (p *Program) period(since, until Opt[Date]) period {
	return period{p.firstInstant(since), p.instant(until)}
}

// has reports whether a time is in the period.
func (p period) has(t Instant) bool {
	return !t.Before(p.since) && (p.until.IsZero() || !t.Truncate(time.Millisecond).After(p.until))
}

// over reports whether a walk, newest first, has left the period.
func (p period) over(t Instant) bool { return t.Before(p.since.Add(-clockSlack)) }
