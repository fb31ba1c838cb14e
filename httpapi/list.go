package httpapi

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
)

// Lists are arrays. A list without limit and cursor is a walk: it is read page
// by page, each in a transaction of its own, and written between them. So
// neither its memory nor the time that others wait grows with the list.

const (
	firstWalked = 50       // records on the first page of a walk
	maxWalked   = 500      // records on a page of a walk
	walkedBytes = 64 << 10 // what a page of a walk weighs, about
)

// pages reads a page of a list.
type pages[T any] func(affiliate.Page) (affiliate.List[T], error)

// answerList answers a page of a list, or all of it when the request names no
// page.
func answerList[T any](c *call, q query, read pages[T]) error {
	if q.page != (affiliate.Page{}) {
		return answerPage(c, q, read)
	}
	return answerAll(c, read)
}

// answerPage answers a page of a list, with a Link header to the next one.
func answerPage[T any](c *call, q query, read pages[T]) error {
	page, err := read(q.page)
	if err != nil {
		return err
	}
	c.link(q, page.Next)
	a := c.array()
	if err := addAll(&a, page.Items); err != nil {
		return err
	}
	return a.end()
}

// link announces the next page, unless there is none.
func (c *call) link(q query, next string) {
	if next != "" {
		c.w.Header()["Link"] = []string{"<" + q.next(next) + `>; rel="next"`}
	}
}

// answerAll answers a whole list. A page has about as many records as fit into
// walkedBytes, judged by the page before it.
//
// Source: docs/contract.md 1.7.
func answerAll[T any](c *call, read pages[T]) error {
	a, pg := c.array(), affiliate.Page{Limit: firstWalked}
	for {
		page, err := read(pg)
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Kind == affiliate.KindInvalid && pg.Cursor != "" {
			return fmt.Errorf("a list has changed under its reader: %v", refused) // the request was not wrong
		}
		if err != nil {
			return err
		}
		before := a.size
		if err := addAll(&a, page.Items); err != nil {
			return err
		}
		if page.Next == "" {
			return a.end()
		}
		pg.Cursor = page.Next
		if weight := a.size - before; weight > 0 {
			pg.Limit = min(max(len(page.Items)*walkedBytes/weight, 1), maxWalked)
		}
	}
}

// An array is an answer that is written while its records are made. Up to a
// chunk is held back, so that a short array is sent with its length.
type array struct {
	call *call
	size int // bytes so far
	some bool
}

// array begins an answer.
func (c *call) array() array {
	c.out = append(c.out[:0], '[')
	return array{call: c}
}

// addAll adds records to an array.
func addAll[T any](a *array, items []T) error {
	for i := range items {
		if err := a.add(&items[i]); err != nil {
			return err
		}
	}
	return nil
}

// add adds a record.
func (a *array) add(record any) error {
	c := a.call
	before := len(c.out)
	if a.some {
		c.out = append(c.out, ',')
	}
	out, err := appendJSON(c.out, record)
	if err != nil {
		return err
	}
	c.out, a.some = out, true
	a.size += len(out) - before
	if len(out) < chunk {
		return nil
	}
	if !c.started {
		c.begin(http.StatusOK, -1)
	}
	c.out = out[:0]
	return c.send(out)
}

// end ends the array.
func (a *array) end() error {
	c := a.call
	c.out = append(c.out, ']')
	if c.started {
		return c.send(c.out)
	}
	c.write(http.StatusOK, c.out)
	return nil
}
