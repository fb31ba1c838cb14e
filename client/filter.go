package client

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A choice is a filter as the client sends it. The server honours only one of
// several parameters, so one is sent, and the client checks the answer against
// the other fields.
type choice[T any] struct {
	query  url.Values
	fits   []func(*T) bool
	nobody bool // a field is set to an empty value, which selects nothing: no request is sent
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
	case c.query == nil:
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
func chosen[T any](ctx context.Context, c *Client, path string, what choice[T], pg affiliate.Page) (affiliate.List[T], error) {
	if what.nobody {
		return affiliate.List[T]{Items: []T{}}, nil
	}
	if what.query == nil {
		what.query = url.Values{}
	}
	out, err := list[T](ctx, c, path, what.query, pg)
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
