package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// Searches. A search never walks a table in one piece: it reads a limited number
// of records for a page, in several Views.

// The records that one page of a search reads: in all, and in one View.
const (
	searchedAtMost = 5000
	searchedAtOnce = 512
)

// maxSearch is the longest search text, in characters.
const maxSearch = 100

// A Hunt is one page of a search: its operation and query are the scope of the
// cursors.
type Hunt struct {
	Page      affiliate.Page
	Operation string
	Query     any
	Oldest    bool      // the oldest first
	From      uuid.UUID // where the first page begins, exclusive; zero: at the first record
}

// A Seeker is what a search uses in one View.
type Seeker[R record.Record[R], T any] struct {
	Choice[R]
	Table record.Table[R]
	Item  func(R) (T, error)
	over  func(*R) bool          // reports that no later record can fit; nil: never
	keep  func(*R) (bool, error) // a further condition, outside of the choice; nil: none
	Costs int                    // how many other records keep may read; they count
	spent int                    // how many it has read
}

// A search is the progress of a page.
type search[T any] struct {
	page   affiliate.List[T]
	last   uuid.UUID // that was looked at
	looked int
	over   bool
	scope  string
}

func (s *search[T]) full(limit int) bool { return len(s.page.Items) == limit }

// Found reads a page of a search. seek is called once in each run of a View. Its
// argument says whether a search text may name records exactly. It is false after
// a page of records that contain the text somewhere, because the following pages
// must list such records too.
func Found[R record.Record[R], T any](ctx context.Context, p *Program, h Hunt, seek func(o *Op, exactly bool) *Seeker[R, T]) (affiliate.List[T], error) {
	h.Page.Limit = cmp.Or(h.Page.Limit, affiliate.PageSize)
	l, err := p.Listing(h.Page, h.Operation, h.Query)
	if err != nil {
		return affiliate.List[T]{}, err
	}
	l.Query.Desc, l.Query.After = !h.Oldest, h.From
	_, parts := OpenCursor(l.cursor, l.Scope)
	s, exactly := search[T]{page: affiliate.List[T]{Items: []T{}}}, !parts
	for !s.over && !s.full(h.Page.Limit) && s.looked < searchedAtMost {
		s, err = View(ctx, p, func(o *Op) (search[T], error) { return searchOn(s, l, seek(o, exactly), h.Page.Limit) })
		if err != nil {
			return affiliate.List[T]{}, err
		}
	}
	if !s.over {
		s.page.Next = SealCursor(s.last, s.scope)
	}
	return s.page, nil
}

// searchOn looks at the next records.
func searchOn[R record.Record[R], T any](s search[T], l listing, k *Seeker[R, T], limit int) (search[T], error) {
	l.bound = k.Bound
	l, err := l.Open()
	if err != nil {
		return s, err
	}
	if s.scope = l.Scope; k.Err != nil || k.Single() {
		s.over = true
		s.page, err = k.alone()
		return s, err
	}
	if s.last != uuid.Nil {
		l.Query.After = s.last
	}
	each := 1 + k.Costs
	l.Query.Key, l.Query.Limit = k.Key, max(min(searchedAtOnce, searchedAtMost-s.looked)/each, 1)
	recs, err := Gather(k.Table, l.Query)
	if err != nil {
		return s, err
	}
	s.page.Items = slices.Clip(s.page.Items) // appending copies: the closure may run twice
	if err := k.take(&s, recs, limit); err != nil {
		return s, err
	}
	s.looked += k.spent
	if n := len(recs); n == 0 || n < l.Query.Limit && s.last == recs[n-1].RecordID() {
		s.over = true
	}
	if searchedAtMost-s.looked < each {
		s.looked = searchedAtMost // there is no room for another
	}
	return s, nil
}

// take adds the records that fit, until the page is full.
func (k *Seeker[R, T]) take(s *search[T], recs []R, limit int) error {
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
		item, err := k.Item(recs[i])
		if err != nil {
			return err
		}
		s.page.Items = append(s.page.Items, item)
	}
	return nil
}

// alone returns the list when only one record can be selected.
func (k *Seeker[R, T]) alone() (affiliate.List[T], error) {
	var shown T
	if k.Err != nil {
		return only(shown, k.Err)
	}
	rec, err := k.find(k.Table)
	if err != nil {
		return only(shown, err)
	}
	fits, err := k.keeps(&rec)
	if err == nil && !fits {
		err = affiliate.ErrNotFound
	}
	if err == nil {
		shown, err = k.Item(rec)
	}
	return only(shown, err)
}

// keeps reports whether a record that the key gave is selected.
func (k *Seeker[R, T]) keeps(rec *R) (bool, error) {
	if !k.Fit(*rec) {
		return false, nil
	}
	if k.keep == nil {
		return true, nil
	}
	return k.keep(rec)
}

// checkSearch checks a search text. A text that is set to null or to the empty
// text is no error: it selects nothing.
func checkSearch(text affiliate.Opt[string]) *affiliate.Error {
	if text.Or("") == "" {
		return nil
	}
	return InQuery(refusal.Given("search", text, maxSearch))
}

// A part is a text that records are searched for, in any letter case. It folds
// letters beyond ASCII too, because names have them and a search decides nothing.
type part string

func partOf(text string) part { return part(strings.ToLower(plaintext.Trim(text))) }

func (p part) in(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), string(p)) })
}

// A period is a range of creation times, and how it is walked. A zero end is open.
type period struct {
	since, until affiliate.Instant
	oldest       bool // the oldest first
}

func (p *Program) period(since, until affiliate.Opt[affiliate.Date], oldest bool) period {
	return period{p.FirstInstant(since), p.Instant(until), oldest}
}

// hunt is a page of a search of what was made in a period. An id has the millisecond in which its
// record was made, or a later one when the clock had gone back, so the walk begins where the
// period does. Ids of the host have no time: it begins at the first record.
func (p *Program) hunt(pg affiliate.Page, operation string, query any, made period) Hunt {
	h := Hunt{Page: pg, Operation: operation, Query: query, Oldest: made.oldest}
	switch {
	case p.Cfg.NewID != nil:
	case made.oldest && !made.since.IsZero():
		h.From = uuid7.Stamp(uuid.UUID{}, made.since.Time())
	case !made.oldest && !made.until.IsZero():
		h.From = uuid7.Stamp(uuid.UUID{}, made.until.Add(ClockSlack+time.Millisecond).Time())
	}
	return h
}

// has reports whether a time is in the period.
func (p period) has(t affiliate.Instant) bool {
	return !t.Before(p.since) && (p.until.IsZero() || !t.Truncate(time.Millisecond).After(p.until))
}

// over reports whether the walk has left the period.
func (p period) over(of *Program, t affiliate.Instant) bool {
	if p.oldest {
		return !p.until.IsZero() && of.After(t, p.until)
	}
	return of.Before(t, p.since)
}
