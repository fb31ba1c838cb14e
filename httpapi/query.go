package httpapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A lookup is one way to ask for the resource of a GET.
type lookup struct {
	name    string   // of the parameter that selects this lookup; empty: it answers when no other does
	filters []string // parameters that are combined
	filter  any      // a zero value of the filter that has the parameters
	paged   bool     // limit and cursor apply
	parts   bool     // its list shows objects without their fields with omitzero
	single  bool     // one object or null; otherwise an array
	answer  any      // a zero value of the object
	run     func(c *call, q query, value string) error
}

// find returns a GET: the first lookup whose parameter is there answers.
func find(lookups ...lookup) action {
	known, checked := parameters(lookups)
	return action{lookups: lookups, run: func(c *call) error {
		q, err := readQuery(c.r.URL.RawQuery, known, checked)
		if err == nil && c.route.action.strict {
			err = q.onlyKnown(checked)
		} else if err == nil {
			err = q.notMisspelt(checked)
		}
		if err != nil {
			return err
		}
		if owner, there := q.get(ofAffiliate); there {
			if _, external := affiliate.ExternalIn(owner); external {
				q.values.Set(ofAffiliate, c.idOf(owner).String())
			}
			if c.lost != nil {
				return c.lost
			}
		}
		q.of = c.p
		for _, l := range lookups {
			value, there := q.get(l.name)
			if !there && l.name != "" {
				continue
			}
			if l.paged {
				if q.page, err = q.readPage(); err != nil {
					return err
				}
				if c.route.action.strict {
					q.page.Limit, q.page.Bounded = cmp.Or(q.page.Limit, cursorLimit), true
				}
			}
			return l.run(c, q, value)
		}
		return refusal.RefuseQuery.Err() // not reached: the last lookup of every route needs no parameter
	}}
}

// ofAffiliate is the parameter that selects what is of an affiliate.
const ofAffiliate = "affiliateId"

// search returns a GET that combines its parameters and refuses others. Without limit
// its pages have 100 records: it never answers a whole list.
//
// Source: docs/money.md 17.
func search(lookups ...lookup) action {
	a := find(lookups...)
	a.strict = true
	return a
}

// one looks a single object up by a parameter.
func one[T any](name string, get func(*tributary.Program, context.Context, string) (T, error)) lookup {
	var none T
	return lookup{name: name, single: true, answer: none, run: func(c *call, _ query, value string) error {
		item, err := get(c.p, c.r.Context(), value)
		if errors.Is(err, affiliate.ErrNotFound) {
			c.nothing()
			return nil
		}
		if err != nil {
			return err
		}
		return c.answer(&item)
	}}
}

// keyedBy looks a record up by what a text names.
func keyedBy[K, T any](key func(text string) K, get method[K, T]) method[string, T] {
	return func(p *tributary.Program, ctx context.Context, text string) (T, error) { return get(p, ctx, key(text)) }
}

// A lister lists what a parameter selects.
type lister[T any] func(*tributary.Program, context.Context, string, affiliate.Page) (affiliate.List[T], error)

// several answers a list of one object, the one that a parameter names, or an
// empty list.
func several[T any](name string, list lister[T]) lookup {
	var none T
	return lookup{name: name, answer: none, run: func(c *call, q query, value string) error {
		return answerPage(c, q,
			func(pg affiliate.Page) (affiliate.List[T], error) {
				return list(c.p, c.r.Context(),
					value, pg)
			})
	}}
}

// many lists what a parameter selects, page by page.
func many[T any](name string, list lister[T]) lookup {
	l := several(name, list)
	l.paged = true
	l.run = func(c *call, q query, value string) error {
		return answerList(c, q,
			func(pg affiliate.Page) (affiliate.List[T], error) {
				return list(c.p, c.r.Context(),
					value, pg)
			})
	}
	return l
}

// all lists everything.
func all[T any](list func(*tributary.Program, context.Context, affiliate.Page) (affiliate.List[T], error)) lookup {
	return many("", func(p *tributary.Program, ctx context.Context, _ string, pg affiliate.Page) (affiliate.List[T], error) {
		return list(p, ctx, pg)
	})
}

// A query is the query string of a GET: the parameters that its operation
// knows.
type query struct {
	known  []string // in the order of the contract's table
	values url.Values
	page   affiliate.Page
	of     *tributary.Program
}

const (
	paramLimit  = "limit"
	paramCursor = "cursor"
	cursorLimit = 100 // when a request has a cursor and no limit, or must have a limit
)

// parameters returns the names that the lookups of a route know, and those that
// it checks: limit and cursor too, when a lookup has pages.
func parameters(lookups []lookup) (known, checked []string) {
	paged := false
	for _, l := range lookups {
		paged = paged || l.paged
		if l.name != "" {
			known = append(known, l.name)
		}
		known = append(known, l.filters...)
	}
	checked = slices.Clone(known)
	if paged {
		checked = append(checked, paramLimit, paramCursor)
	}
	return known, checked
}

// readQuery reads a query string strictly. Parameters that are not checked are
// ignored.
func readQuery(raw string, known, checked []string) (query, error) {
	if raw == "" {
		return query{}, nil
	}
	values, err := parseQuery(raw)
	if err != nil {
		return query{}, err
	}
	for _, name := range checked {
		if err := checkParameter(values, name); err != nil {
			return query{}, err
		}
	}
	return query{known: known, values: values}, nil
}

// onlyKnown refuses a query with a parameter that the operation does not have.
func (q query) onlyKnown(known []string) error {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(q.values)), func(name string) bool {
		return slices.Contains(known, name)
	})
	if len(unknown) > 0 {
		return refusal.RefuseUnknownParameter.Of(unknown[0])
	}
	return nil
}

// notMisspelt refuses a parameter whose name is nearly that of one that is not sent, of five
// letters or more: without the
// affiliateId that was meant, a list would show everything.
//
// Source: docs/contract.md 1.7.
func (q query) notMisspelt(known []string) error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		meant := func(k string) bool { return len(k) >= 5 && !q.values.Has(k) && resembles(name, k) }
		if !slices.Contains(known, name) && slices.ContainsFunc(known, meant) {
			return refusal.RefuseUnknownParameter.Of(name)
		}
	}
	return nil
}

// parseQuery reads a query string. One error in it refuses all of it.
func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, refusal.RefuseQuery.Err()
	}
	for name, texts := range values {
		for _, s := range texts {
			if !utf8.ValidString(name) || !utf8.ValidString(s) {
				return nil, refusal.RefuseQuery.Err()
			}
		}
	}
	return values, nil
}

// checkParameter refuses a parameter that is repeated or empty.
func checkParameter(values url.Values, name string) error {
	switch texts := values[name]; {
	case len(texts) > 1:
		return refusal.RefuseRepeatedParameter.Of(name)
	case len(texts) == 1 && texts[0] == "":
		return refusal.RefuseEmptyParameter.Of(name)
	}
	return nil
}

// get returns the value of a parameter.
func (q query) get(name string) (value string, there bool) {
	texts := q.values[name]
	if len(texts) == 0 {
		return "", false
	}
	return texts[0], true
}

// id returns a parameter that is an id. Any other text is an unknown id.
func (q query) id(name string) affiliate.Opt[uuid.UUID] { return given(q, name, idOf) }

// saleID returns a parameter that is the id of a sale.
func (q query) saleID(name string) affiliate.Opt[affiliate.SaleID] { return given(q, name, saleIDOf) }

// text returns a parameter that is taken as it is.
func (q query) text(name string) affiliate.Opt[string] {
	return given(q, name, func(s string) string { return s })
}

// given reads a parameter that may be absent.
func given[T any](q query, name string, read func(string) T) affiliate.Opt[T] {
	value, there := q.get(name)
	if !there {
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(read(value))
}

// date reads a parameter that is a date.
func (q query) date(name string) (affiliate.Opt[affiliate.Date], error) {
	text, there := q.get(name)
	if !there {
		return affiliate.Opt[affiliate.Date]{}, nil
	}
	d, err := affiliate.ParseDate(text)
	if err != nil {
		return affiliate.Opt[affiliate.Date]{}, badParameter(refusal.FieldNotADate, name)
	}
	return affiliate.Set(d), nil
}

// start reads a date as the first instant of a day; zero when it is not there.
func (q query) start(name string) (at time.Time, err error) {
	date, err := q.date(name)
	if day, there := date.Get(); there {
		at = day.FirstInstant(q.of.Config().Location)
	}
	return at, err
}

// after reads a date as the first instant after a day; zero when it is not there.
func (q query) after(name string) (at time.Time, err error) {
	date, err := q.date(name)
	if day, there := date.Get(); there {
		at = day.End(q.of.Config().Location)
	}
	return at, err
}

// boolean reads a parameter that is true or false.
func (q query) boolean(name string) (affiliate.Opt[bool], error) {
	switch text, there := q.get(name); {
	case !there:
		return affiliate.Opt[bool]{}, nil
	case text == "true", text == "false":
		return affiliate.Set(text == "true"), nil
	}
	return affiliate.Opt[bool]{}, badParameter(refusal.FieldNotABoolean, name)
}

// flag reads a boolean that is false when it is absent.
func (q query) flag(name string) (bool, error) {
	b, err := q.boolean(name)
	return b.Or(false), err
}

// badParameter is the error of a parameter that is read like a field.
func badParameter(f refusal.Refusal, name string) error {
	bad := f.Of(name)
	bad.Reason = affiliate.InvalidQuery
	return bad
}

// readPage reads limit and cursor.
func (q query) readPage() (affiliate.Page, error) {
	var pg affiliate.Page
	if text, there := q.get(paramLimit); there {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 || strconv.Itoa(n) != text {
			return pg, refusal.RefuseLimit.Err()
		}
		pg.Limit = n
	}
	if cursor, there := q.get(paramCursor); there {
		pg.Cursor = cursor
		if pg.Limit == 0 {
			pg.Limit = cursorLimit
		}
	}
	return pg, nil
}

// next returns the query of the next page: the same parameters with another cursor.
func (q query) next(cursor string) string {
	ref := "?"
	for _, name := range q.known {
		if value, there := q.get(name); there {
			ref += name + "=" + url.QueryEscape(value) + "&"
		}
	}
	return ref + paramLimit + "=" + strconv.Itoa(q.page.Limit) + "&" + paramCursor + "=" + url.QueryEscape(cursor)
}
