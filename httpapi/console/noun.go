package console

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A noun is a kind of object about which forms are. Their paths begin with its id.
type noun[T any] struct {
	page string // behind its forms; when it ends with a slash, the id of the object follows
	get  func(*visit, uuid.UUID) (T, error)
}

// named returns the object that the path names.
func (n noun[T]) named(v *visit) (one T, err error) {
	id, err := v.id(0)
	if err != nil {
		return one, err
	}
	return n.get(v, id)
}

// form returns a form about the object of the path.
func (n noun[T]) form(fill func(*visit, T) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		one, err := n.named(v)
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, one)
		if f.Back == "" {
			f.Back = v.pageOf(n.page)
		}
		return f, err
	}
}

// do does something with the object of the path, and leads to its page.
func (n noun[T]) do(work func(*visit, *tributary.Program, uuid.UUID, *input) error) doer {
	return doThen(n.page, work)
}

// A doer does what a form asks for. It returns the page where that shows.
type doer = func(*visit, *tributary.Program, *input) (to string, err error)

// doThen does something with the id of the path, and leads to a page.
func doThen(page string, work func(*visit, *tributary.Program, uuid.UUID, *input) error) doer {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return v.pageOf(page), work(v, p, id, in)
	}
}

// pageOf returns a page; behind a slash at its end, the one of the id of the path.
func (v *visit) pageOf(page string) string {
	if strings.HasSuffix(page, "/") {
		return page + v.Args[0]
	}
	return page
}

// An amendment says of an input what the fields of a form do not say by themselves.
type amendment[In any] = func(*visit, *input, *In) error

// update changes the object of the path as the form says.
func update[T, In, Out any](n noun[T],
	call func(*tributary.Program, context.Context, uuid.UUID, In) (Out, error),
	more ...amendment[In]) doer {
	return n.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		up, err := filledIn(v, in, more)
		if err == nil {
			_, err = call(p, v.Ctx(), id, up)
		}
		return err
	})
}

// create makes an object as the form says, and leads to its page.
func create[In, Out any](call func(*tributary.Program, context.Context, In) (Out, error),
	page func(Out) string, more ...amendment[In]) doer {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		params, err := filledIn(v, in, more)
		if err != nil {
			return "", err
		}
		made, err := call(p, v.Ctx(), params)
		if err != nil {
			return "", err
		}
		return page(made), nil
	}
}

// filledIn returns the input of an operation as a form has it.
func filledIn[In any](v *visit, in *input, more []amendment[In]) (to In, err error) {
	in.into(&to)
	for _, amend := range more {
		if err := amend(v, in, &to); err != nil {
			return to, err
		}
	}
	return to, in.err
}

// remove deletes the object of the path, and leads to a page.
func remove[Out any](page string,
	call func(*tributary.Program, context.Context, uuid.UUID) (Out, error)) doer {
	return doThen(page, func(v *visit, p *tributary.Program, id uuid.UUID, _ *input) error {
		_, err := call(p, v.Ctx(), id)
		return err
	})
}

// settingsPage is the page behind what has none of its own.
func settingsPage[T any](T) string { return "settings" }

// first returns the first of a list, which has to be there.
func first[T any](list affiliate.List[T], err error) (one T, _ error) {
	if err == nil && len(list.Items) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return one, err
	}
	return list.Items[0], nil
}

// only is the page of a list of which one is wanted.
var only = affiliate.Page{Limit: 1}
