package httpapi

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A filter of a list is a struct of package affiliate. Each field with a JSON name is a
// parameter, in the order of the struct, and its type says how it is read. The tag wire says
// what the type does not:
//
//	event     an eventId
//	start     a date: the first instant of a day in the zone of the program
//	after     a date: the first instant after a day
//	one       it selects one record at most, so that its list has no pages
//	list      only the list without a search has it
//	search    only the search has it

// A filterField is a field of a filter.
type filterField struct {
	index []int
	name  string
	one   bool
	read  func(q query, name string, into reflect.Value) error
}

// parametersOf returns the parameters of a filter, but for those of the other kind of list.
func parametersOf[F any](without string) (all []filterField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[F]()) {
		name, tag := wireName(f), f.Tag.Get("wire")
		if name == "" || tag == without {
			continue
		}
		p := filterField{index: f.Index, name: name, one: tag == "one"}
		p.read = parameterReading(f.Type, tag)
		all = append(all, p)
	}
	return all
}

// parameterReading returns how a field of a type and a tag is read. One that nothing reads
// panics when the routes are made.
func parameterReading(t reflect.Type, tag string) func(query, string, reflect.Value) error {
	switch tag {
	case "one", "list", "search":
		tag = ""
	}
	if read := parameterReadings[readingKey{t, tag}]; read != nil {
		return read
	}
	if t.Kind() == reflect.String && tag == "" {
		return func(q query, name string, into reflect.Value) error {
			word, _ := q.get(name)
			into.SetString(word)
			return nil
		}
	}
	panic("httpapi: no parameter is a " + t.String() + ` with the tag wire:"` + tag + `"`)
}

var parameterReadings = map[readingKey]func(query, string, reflect.Value) error{
	keyOf[affiliate.Opt[uuid.UUID]](""):        sure(query.id),
	keyOf[affiliate.Opt[uuid.UUID]]("event"):   sure(query.event),
	keyOf[affiliate.Opt[string]](""):           sure(query.text),
	keyOf[affiliate.Opt[affiliate.SaleID]](""): sure(query.saleID),
	keyOf[affiliate.Opt[affiliate.Date]](""):   checkedBy(query.date),
	keyOf[affiliate.Opt[bool]](""):             checkedBy(query.boolean),
	keyOf[bool](""):                            checkedBy(query.flag),
	keyOf[time.Time]("start"):                  checkedBy(query.start),
	keyOf[time.Time]("after"):                  checkedBy(query.after),
}

func keyOf[T any](tag string) readingKey { return readingKey{reflect.TypeFor[T](), tag} }

// sure is a parameter whose text is never wrong: one that names nothing selects nothing.
func sure[T any](read func(query, string) T) func(query, string, reflect.Value) error {
	return checkedBy(func(q query, name string) (T, error) { return read(q, name), nil })
}

func checkedBy[T any](read func(query, string) (T, error)) func(query, string, reflect.Value) error {
	return func(q query, name string, into reflect.Value) (err error) {
		*into.Addr().Interface().(*T), err = read(q, name)
		return err
	}
}

// fill reads parameters into a filter, as far as they are right.
func fill[F any](q query, f *F, of []filterField) error {
	into := reflect.ValueOf(f).Elem()
	for i := range of {
		if err := of[i].read(q, of[i].name, into.FieldByIndex(of[i].index)); err != nil {
			return err
		}
	}
	return nil
}

// A listCall lists what a filter selects.
type listCall[F, T any] func(*tributary.Program, context.Context, F, affiliate.Page) (affiliate.List[T], error)

// filtered lists by parameters that are combined.
func filtered[F, T any](list listCall[F, T]) lookup {
	var none T
	var filter F
	all := parametersOf[F]("list")
	l := lookup{paged: true, answer: none, filter: filter, run: func(c *call, q query, _ string) error {
		var f F
		if bad := fill(q, &f, all); bad != nil {
			_, err := list(c.p.With(noStore{}), c.r.Context(), f, affiliate.Page{})
			if earlier, ok := errors.AsType[*affiliate.Error](err); ok {
				return earlier // a parameter before this one is wrong
			}
			return bad
		}
		return answerList(c, q, func(pg affiliate.Page) (affiliate.List[T], error) {
			return list(c.p, c.r.Context(), f, pg)
		})
	}}
	for _, p := range all {
		l.filters = append(l.filters, p.name)
	}
	return l
}

// sums answers what a list adds up to, which its parameters select.
func sums[F, T any](add func(*tributary.Program, context.Context, F) (T, error)) lookup {
	var none T
	var filter F
	all := parametersOf[F]("list")
	l := lookup{single: true, answer: none, filter: filter, run: func(c *call, q query, _ string) error {
		var f F
		if err := fill(q, &f, all); err != nil {
			return err
		}
		sum, err := add(c.p, c.r.Context(), f)
		if err != nil {
			return err
		}
		return c.answer(&sum)
	}}
	for _, p := range all {
		l.filters = append(l.filters, p.name)
	}
	return l
}

// findBy returns a GET that answers one record by the lookups, or else lists by the first
// parameter that is there.
func findBy[F, T any](list listCall[F, T], lookups ...lookup) action {
	var none F
	for _, p := range parametersOf[F]("search") {
		by := func(program *tributary.Program, ctx context.Context, value string,
			pg affiliate.Page) (affiliate.List[T], error) {
			var f F
			q := query{values: url.Values{p.name: {value}}}
			if err := fill(q, &f, []filterField{p}); err != nil {
				return affiliate.List[T]{}, err
			}
			return list(program, ctx, f, pg)
		}
		if p.one {
			lookups = append(lookups, several(p.name, by))
		} else {
			lookups = append(lookups, many(p.name, by))
		}
		lookups[len(lookups)-1].filter = none
	}
	return find(append(lookups, every(list))...)
}

// every lists everything.
func every[F, T any](list listCall[F, T]) lookup {
	return all(func(program *tributary.Program, ctx context.Context, pg affiliate.Page) (affiliate.List[T], error) {
		var none F
		return list(program, ctx, none, pg)
	})
}
