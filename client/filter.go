package client

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A choice is a filter as the client sends it. The server honours only one of
// several parameters, so one is sent, and the client checks the answer against
// the other fields.
type choice[T any] struct {
	search *filter // a search, which has these parameters; nil: it is none
	query  url.Values
	fits   []func(*T) bool
	nobody bool // a field is set to an empty value, which selects nothing: no request is sent
}

// choiceOf returns the choice of a query without the fields that only the list has.
func choiceOf[T any](q any, pg affiliate.Page) (c choice[T]) {
	if pg.Bounded || isSearch(q) {
		f := filterOf(q)
		c.search, c.query, c.nobody = &f, f.query, f.nobody
	}
	return c
}

// isSearch reports whether a field of a query is set that only a search has.
func isSearch(q any) bool {
	v := reflect.ValueOf(q)
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("wire") == "search" && !v.Field(i).IsZero() {
			return true
		}
	}
	return false
}

// text adds a field. The first field that is set is sent, so callers add the
// narrowest field first.
func (c *choice[T]) text(name string, field affiliate.Opt[string], fits func(item *T, value string) bool) {
	if field.IsZero() {
		return
	}
	value := field.Or("")
	switch {
	case value == "":
		c.nobody = true
	case c.search != nil && c.query.Has(name):
	case c.search == nil && c.query == nil:
		c.query = url.Values{name: {value}}
	default:
		c.fits = append(c.fits, func(item *T) bool { return fits(item, value) })
	}
}

// id adds a field with an id. The zero id selects nothing.
func (c *choice[T]) id(name string, field affiliate.Opt[uuid.UUID], have func(*T) uuid.UUID) {
	if field.IsZero() {
		return
	}
	id := field.Or(uuid.Nil)
	text := affiliate.Set(textOfID(id))
	c.text(name, text, func(item *T, _ string) bool { return have(item) == id })
}

// chosen gets a page of the records that a choice selects.
func chosen[T any](ctx context.Context, c *Client, path string, what choice[T],
	pg affiliate.Page) (affiliate.List[T], error) {
	if what.nobody {
		return affiliate.List[T]{Items: []T{}}, nil
	}
	if what.query == nil {
		what.query = url.Values{}
	}
	var out affiliate.List[T]
	var err error
	if what.search != nil {
		out, err = selected[T](ctx, c, path+"/search", *what.search, pg)
	} else {
		out, err = list[T](ctx, c, path, what.query, pg)
	}
	out.Items = slices.DeleteFunc(out.Items, func(item T) bool {
		return slices.ContainsFunc(what.fits, func(fits func(*T) bool) bool { return !fits(&item) })
	})
	return out, err
}

// sameEmail reports whether an email in a filter is the one in an answer.
func sameEmail(answered, sent string) bool { return affiliate.SameEmail(answered, sent) }

// foldASCII folds A to Z and nothing else, as the server does with emails and
// slugs: strings.ToLower and EqualFold would turn the Kelvin sign into a k.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// A filter is a filter whose fields the server combines, as the client sends it.
type filter struct {
	query  url.Values
	nobody bool // a field is set to an empty value, which selects nothing: no request is sent
}

// filterOf returns a filter whose fields with a JSON name are parameters.
func filterOf(fields any) (f filter) {
	v := reflect.ValueOf(fields)
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || field.Tag.Get("wire") == "list" {
			continue
		}
		switch value := v.FieldByIndex(field.Index).Interface().(type) {
		case affiliate.Opt[uuid.UUID]:
			if field.Tag.Get("wire") == "event" {
				f.event(name, value)
			} else {
				f.id(name, value)
			}
		case affiliate.Opt[string]:
			f.text(name, value)
		case affiliate.Opt[affiliate.SaleID]:
			f.sale(name, value)
		case affiliate.Opt[affiliate.Date]:
			f.word(name, textOfDate(value))
		case affiliate.Opt[bool]:
			f.boolean(name, value)
		case bool:
			f.flag(name, value)
		case time.Time:
			f.word(name, textOfTime(value))
		default:
			f.word(name, reflect.ValueOf(value).String()) // of an enumeration
		}
	}
	return f
}

// word adds a field that is not set when it is empty.
func (f *filter) word(name, value string) {
	if value == "" {
		return
	}
	if f.query == nil {
		f.query = url.Values{}
	}
	f.query.Set(name, value)
}

// text adds a field that selects nothing when it is set to an empty value.
func (f *filter) text(name string, field affiliate.Opt[string]) {
	if field.IsZero() {
		return
	}
	value := field.Or("")
	f.nobody = f.nobody || value == ""
	f.word(name, value)
}

// id is text for an id.
func (f *filter) id(name string, field affiliate.Opt[uuid.UUID]) {
	if !field.IsZero() {
		f.text(name, affiliate.Set(textOfID(field.Or(uuid.Nil))))
	}
}

// event is text for the id of an event.
func (f *filter) event(name string, field affiliate.Opt[uuid.UUID]) {
	if field.IsZero() {
		return
	}
	text := ""
	if id := field.Or(uuid.Nil); id != uuid.Nil {
		text = affiliate.Event{ID: id}.MessageID()
	}
	f.text(name, affiliate.Set(text))
}

// sale is text for the id of a sale.
func (f *filter) sale(name string, field affiliate.Opt[affiliate.SaleID]) {
	if field.IsZero() {
		return
	}
	text := ""
	if id := field.Or(0); id != 0 {
		text = strconv.FormatInt(int64(id), 10)
	}
	f.text(name, affiliate.Set(text))
}

// selected gets a page of what a filter selects, from a server that answers no
// whole list: when the page is zero, all pages are joined.
func selected[T any](ctx context.Context, c *Client, path string, f filter,
	pg affiliate.Page) (affiliate.List[T], error) {
	all := affiliate.List[T]{Items: []T{}}
	if f.nobody {
		return all, nil
	}
	get := func(pg affiliate.Page) (affiliate.List[T], error) {
		query := url.Values{}
		for name, values := range f.query {
			query[name] = values
		}
		return list[T](ctx, c, path, query, pg)
	}
	if pg != (affiliate.Page{}) {
		return get(pg)
	}
	for page, err := range affiliate.Pages(pg, get) {
		if err != nil {
			return affiliate.List[T]{}, err
		}
		all.Items = append(all.Items, page.Items...)
	}
	return all, nil
}

// flag adds a field that is true.
func (f *filter) flag(name string, set bool) {
	if set {
		f.word(name, "true")
	}
}

// boolean adds a field; null selects nothing.
func (f *filter) boolean(name string, field affiliate.Opt[bool]) {
	f.nobody = f.nobody || field.IsNull()
	if value, set := field.Get(); set {
		f.word(name, strconv.FormatBool(value))
	}
}
