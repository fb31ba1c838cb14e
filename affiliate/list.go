package affiliate

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"
)

// A Page selects a part of a list. The zero Page is the whole list.
type Page struct {
	Limit  int    // 1–1,000; 0: all, or 100 when Cursor is set
	Cursor string // List.Next of the previous page
}

// A List is one page of a list, newest first.
type List[T any] struct {
	Items []T    // never nil
	Next  string // cursor of the next page; empty on the last one
}

// maxPage and cursorPage bound a page and fill in the limit of a bare cursor.
const (
	maxPage    = 1000
	cursorPage = 100
)

// All yields everything that a filter selects, newest first. It reads a hundred
// records at a time and keeps no more. list is a method of the engine or of the
// client:
//
//	for sale, err := range affiliate.All(ctx, program.Sales, affiliate.SaleFilter{}) {
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
	return Each(cursorPage, func(pg Page) (List[T], error) { return list(ctx, f, pg) })
}

// Every is [All] for a list without a filter, such as program.Affiliates.
//
// Errors: those of list, each of which ends the walk.
//
// Source: docs/contract.md 1.7.
func Every[T any](ctx context.Context, list func(context.Context, Page) (List[T], error)) iter.Seq2[T, error] {
	return Each(cursorPage, func(pg Page) (List[T], error) { return list(ctx, pg) })
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

// Pages yields the pages of a list method from one page on. A walk that was
// interrupted goes on where it was: keep the Next of the last page that was
// handled, and use it as the Cursor of from.
//
//	for page, err := range affiliate.Pages(affiliate.Page{Limit: 500, Cursor: kept}, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
//		return program.Sales(ctx, filter, pg)
//	}) {
//		…
//		kept = page.Next
//	}
//
// Errors: those of list, each of which ends the walk. A list whose cursors come
// round again is an error, so the loop always ends.
func Pages[T any](from Page, list func(Page) (List[T], error)) iter.Seq2[List[T], error] {
	return func(yield func(List[T], error) bool) {
		mark, steps, limit := from.Cursor, 0, 1 // one cursor is remembered, however long the list is
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

// listing is a page of stored records: its query and the limit of its answer.
type listing struct {
	query  Query  // key, direction, start and limit
	cursor string // as it was sent
	scope  string
	bound  string // as of a choice
}

// listing turns a page into a query over all records of a table. The scope is
// the operation, the filter as it was sent, and the program. A cursor works
// only in its scope.
func (p *Program) listing(pg Page, operation string, filter any) (listing, error) {
	l := listing{query: Query{Desc: true, Limit: pg.Limit}}
	if pg == (Page{}) {
		return l, nil // a whole list reads and makes no cursor, so it needs no scope
	}
	if pg.Limit < 0 || pg.Limit > maxPage {
		return l, RefuseLimit.Err()
	}
	sent, err := json.Marshal(filter)
	if err != nil {
		return listing{}, internal("encode filter", err)
	}
	l.scope = fmt.Sprintf("%s\x00%s\x00%s", operation, sent, p.cfg.ID)
	if l.cursor = pg.Cursor; l.cursor != "" && l.query.Limit == 0 {
		l.query.Limit = cursorPage
	}
	return l, nil
}

// open puts the cursor into the query. A cursor also works only for the record
// that the filter named when the cursor was made: the email of an affiliate may
// have become that of another since, and then the pages would not be of one
// list.
func (l listing) open() (listing, error) {
	l.scope += l.bound
	if l.cursor == "" {
		return l, nil
	}
	after, ok := openCursor(l.cursor, l.scope)
	if !ok {
		return l, cursorInvalid.Err()
	}
	l.query.After = after
	return l, nil
}

// of is the listing of the records that hold a key.
func (l listing) of(key Key) listing {
	l.query.Key = key
	return l
}

// collect reads a page from a table. item turns each record into an item of the
// list.
func collect[R Record[R], T any](t Table[R], l listing, item func(R) (T, error)) (List[T], error) {
	l, err := l.open()
	if err != nil {
		return List[T]{}, err
	}
	limit := l.query.Limit
	if limit > 0 {
		l.query.Limit++ // one more record shows whether there is a next page
	}
	out := List[T]{Items: []T{}}
	var last uuid.UUID
	for rec, err := range t.List(l.query) {
		if err != nil {
			return List[T]{}, err
		}
		if limit > 0 && len(out.Items) == limit {
			out.Next = sealCursor(last, l.scope)
			break
		}
		it, err := item(rec)
		if err != nil {
			return List[T]{}, err
		}
		out.Items = append(out.Items, it)
		last = rec.RecordID()
	}
	return out, nil
}

// gather reads the records that a query lists.
func gather[R Record[R]](t Table[R], q Query) (recs []R, err error) {
	var g gathering[R]
	return g.all(t, q)
}

// A gathering reads records. It takes two allocations, where a range loop over a
// list takes five: it is in the memory of its owner, and the loop puts each
// variable that its body sets into a block of its own (BenchmarkRealSale).
type gathering[R Record[R]] struct {
	recs []R
	err  error
}

// all reads the records that q selects.
func (g *gathering[R]) all(t Table[R], q Query) ([]R, error) { return g.into(nil, t, q) }

// into is all with room for the records.
func (g *gathering[R]) into(room []R, t Table[R], q Query) ([]R, error) {
	g.recs, g.err = room, nil
	t.List(q)(g.add)
	if g.err != nil {
		return nil, g.err
	}
	return g.recs, nil
}

func (g *gathering[R]) add(rec R, err error) bool {
	if g.err = err; err != nil {
		return false
	}
	g.recs = append(g.recs, rec)
	return true
}

// each runs fn on every record that holds the key. It reads the records first,
// because fn may change the index.
func each[R Record[R]](t Table[R], key Key, fn func(R) error) error {
	recs, err := gather(t, Query{Key: key})
	if err != nil {
		return err
	}
	for i := range recs {
		if err := fn(recs[i]); err != nil {
			return err
		}
	}
	return nil
}

// eachOf runs fn on each of the ids and collects the answers; never nil.
func eachOf[ID, T any](ids []ID, fn func(ID) (T, error)) ([]T, error) {
	out := make([]T, 0, len(ids))
	for _, id := range ids {
		item, err := fn(id)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// head finds the first record that a query lists, or [ErrNotFound].
func head[R Record[R]](t Table[R], q Query) (rec R, err error) {
	q.Limit = 1
	for rec, err := range t.List(q) {
		return rec, err
	}
	return rec, ErrNotFound
}

// holds reports whether any record holds the key.
func holds[R Record[R]](t Table[R], key Key) (bool, error) {
	n, err := countUpTo(t, key, 1)
	return n > 0, err
}

// countUpTo counts the records that hold the key, as far as a limit.
func countUpTo[R Record[R]](t Table[R], key Key, limit int) (n int, err error) {
	for _, err := range t.List(Query{Key: key, Limit: limit}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// only is the list of a single record that may be missing.
func only[T any](item T, err error) (List[T], error) {
	if errors.Is(err, ErrNotFound) {
		return List[T]{Items: []T{}}, nil
	}
	if err != nil {
		return List[T]{}, err
	}
	return List[T]{Items: []T{item}}, nil
}

// A cursor is the id of the last record of a page and a checksum over it and
// the scope, so that a cursor of another list is refused.
func sealCursor(id uuid.UUID, scope string) string {
	sum := cursorSum(id, scope)
	return base64.RawURLEncoding.EncodeToString(append(id[:], sum[:]...))
}

func openCursor(cursor, scope string) (uuid.UUID, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) != 24 {
		return uuid.Nil, false
	}
	id := uuid.UUID(raw[:16])
	return id, cursorSum(id, scope) == [8]byte(raw[16:])
}

func cursorSum(id uuid.UUID, scope string) [8]byte {
	h := sha256.New()
	h.Write(id[:])
	h.Write([]byte(scope))
	return [8]byte(h.Sum(nil)[:8])
}
