package affiliate

import (
	"context"
	"errors"
	"iter"
)

// A Page selects a part of a list. The zero Page is the whole list.
//
// A page of a search looks at no more than 5,000 records, so it may be short or empty
// although more follow: Next says so. A search is a query whose fields have no index.
type Page struct {
	Limit   int    // 1–1,000; 0: all, or 100 when another field is set
	Cursor  string // List.Next of the previous page
	Bounded bool   // the page is one of a search whatever the query is, in Affiliates, Referrals, Codes and Sales
}

// A List is one page of a list, newest first unless its query says OldestFirst.
type List[T any] struct {
	Items []T    // never nil
	Next  string // cursor of the next page; empty on the last one
}

// PageSize is the limit of a page with a cursor and no limit, and the number of
// records that [All] reads at a time.
const PageSize = 100

// All yields everything that a filter selects, newest first. It reads a hundred
// records at a time and keeps no more. list is a method of the engine or of the
// client:
//
//	for sale, err := range affiliate.All(ctx, program.Sales, affiliate.SaleQuery{}) {
//		if err != nil {
//			return err
//		}
//		…
//	}
//
// Use [Every] for a list without a filter, and [Pages] for a walk that can be
// interrupted. A walk is no snapshot: each page is read by itself, and nobody
// waits for the walk. A record that exists during the whole walk is yielded
// exactly once. A record that is created or deleted meanwhile may be missing.
// No record is yielded twice.
//
// Errors: those of list, each of which ends the walk. [InvalidQuery] (cursor)
// when an email in the filter has become that of another record meanwhile.
//
// Source: docs/contract.md 1.7.
func All[F, T any](ctx context.Context, list func(context.Context, F, Page) (List[T], error), f F) iter.Seq2[T, error] {
	return Each(PageSize, func(pg Page) (List[T], error) { return list(ctx, f, pg) })
}

// Every is [All] for a list without a filter, such as program.Affiliates.
//
// Errors: those of list, each of which ends the walk.
//
// Source: docs/contract.md 1.7.
func Every[T any](ctx context.Context, list func(context.Context, Page) (List[T], error)) iter.Seq2[T, error] {
	return Each(PageSize, func(pg Page) (List[T], error) { return list(ctx, pg) })
}

// Each yields the records of all pages of a list method, size records at a
// time. When the loop ends early, no further page is read.
//
// Errors: those of [Pages].
func Each[T any](size int, list func(Page) (List[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for l, err := range Pages(Page{Limit: size}, list) {
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, item := range l.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages yields the pages of a list method, beginning with the page from. To resume a
// walk that was interrupted, keep the Next of the last page that you handled and pass
// it as the Cursor of from.
//
//	for page, err := range affiliate.Pages(affiliate.Page{Limit: 500, Cursor: kept}, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
//		return program.Sales(ctx, filter, pg)
//	}) {
//		…
//		kept = page.Next
//	}
//
// Errors: those of list, each of which ends the walk. A list that repeats its cursors
// is an error, so the loop always ends.
func Pages[T any](from Page, list func(Page) (List[T], error)) iter.Seq2[List[T], error] {
	return func(yield func(List[T], error) bool) {
		mark, steps, limit := from.Cursor, 0, 1 // remembers one cursor, however long the list is
		for page := from; ; {
			l, err := list(page)
			if err == nil && l.Next != "" && (l.Next == mark || l.Next == page.Cursor) {
				err = errors.New("affiliate: the list repeats a cursor")
			}
			if err != nil {
				yield(List[T]{}, err)
				return
			}
			if !yield(l, nil) || l.Next == "" {
				return
			}
			page.Cursor = l.Next
			if steps++; steps == limit {
				mark, steps, limit = l.Next, 0, 2*limit
			}
		}
	}
}
