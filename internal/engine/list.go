package engine

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MaxPage is the highest limit of a page.
const MaxPage = 1000

// listing is a page of stored records: its query and the limit of its answer.
type listing struct {
	Query  record.Query // key, direction, start and limit
	cursor string       // as it was sent
	Scope  string
	bound  string // as of a choice
}

// Listing turns a page into a query over all records of a table. The scope is
// the operation, the filter as it was sent, and the program. A cursor works
// only in its scope.
func (p *Program) Listing(pg affiliate.Page, operation string, filter any) (listing, error) {
	l := listing{Query: record.Query{Desc: true, Limit: pg.Limit}}
	if pg == (affiliate.Page{}) {
		return l, nil // a whole list reads and makes no cursor, so it needs no scope
	}
	if pg.Limit < 0 || pg.Limit > MaxPage {
		return l, refusal.RefuseLimit.Err()
	}
	sent, err := json.Marshal(filter)
	if err != nil {
		return listing{}, refusal.Internal("encode filter", err)
	}
	l.Scope = fmt.Sprintf("%s\x00%s\x00%s", operation, sent, p.Cfg.ID)
	if l.cursor = pg.Cursor; l.cursor != "" && l.Query.Limit == 0 {
		l.Query.Limit = affiliate.PageSize
	}
	return l, nil
}

// Open puts the cursor into the query. A cursor is also bound to the record that the filter
// named when it was made: an affiliate's email may belong to another affiliate by now, and
// the pages would then come from different lists.
func (l listing) Open() (listing, error) {
	l.Scope += l.bound
	if l.cursor == "" {
		return l, nil
	}
	after, ok := OpenCursor(l.cursor, l.Scope)
	if !ok {
		return l, refusal.CursorInvalid.Err()
	}
	l.Query.After = after
	return l, nil
}

// Of returns the listing of the records that hold a key.
func (l listing) Of(key record.Key) listing {
	l.Query.Key = key
	return l
}

// Collect reads a page from a table. item turns each record into an item of the
// list.
func Collect[R record.Record[R], T any](t record.Table[R], l listing, item func(R) (T, error)) (affiliate.List[T], error) {
	l, err := l.Open()
	if err != nil {
		return affiliate.List[T]{}, err
	}
	limit := l.Query.Limit
	if limit > 0 {
		l.Query.Limit++ // one more record shows whether there is a next page
	}
	out := affiliate.List[T]{Items: []T{}}
	var last uuid.UUID
	for rec, err := range t.List(l.Query) {
		if err != nil {
			return affiliate.List[T]{}, err
		}
		if limit > 0 && len(out.Items) == limit {
			out.Next = SealCursor(last, l.Scope)
			break
		}
		it, err := item(rec)
		if err != nil {
			return affiliate.List[T]{}, err
		}
		out.Items = append(out.Items, it)
		last = rec.RecordID()
	}
	return out, nil
}

// Gather reads the records that a query lists.
func Gather[R record.Record[R]](t record.Table[R], q record.Query) (recs []R, err error) {
	var g gathering[R]
	return g.all(t, q)
}

// A gathering reads records. It takes two allocations, where a range loop over a list takes
// five: the owner provides its memory, and a loop allocates each variable that its body
// sets (BenchmarkRealSale).
type gathering[R record.Record[R]] struct {
	recs []R
	err  error
}

// all reads the records that q selects.
func (g *gathering[R]) all(t record.Table[R], q record.Query) ([]R, error) { return g.into(nil, t, q) }

// into is all with memory for the records.
func (g *gathering[R]) into(room []R, t record.Table[R], q record.Query) ([]R, error) {
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

// Each runs fn on every record that holds the key. It reads the records first,
// because fn may change the index.
func Each[R record.Record[R]](t record.Table[R], key record.Key, fn func(R) error) error {
	recs, err := Gather(t, record.Query{Key: key})
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

// Head finds the first record that a query lists, or [affiliate.ErrNotFound].
func Head[R record.Record[R]](t record.Table[R], q record.Query) (rec R, err error) {
	q.Limit = 1
	for rec, err := range t.List(q) {
		return rec, err
	}
	return rec, affiliate.ErrNotFound
}

// Holds reports whether any record holds the key.
func Holds[R record.Record[R]](t record.Table[R], key record.Key) (bool, error) {
	n, err := CountUpTo(t, key, 1)
	return n > 0, err
}

// CountUpTo counts the records that hold the key, as far as a limit.
func CountUpTo[R record.Record[R]](t record.Table[R], key record.Key, limit int) (n int, err error) {
	for _, err := range t.List(record.Query{Key: key, Limit: limit}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// only returns the list of a single record that may be missing.
func only[T any](item T, err error) (affiliate.List[T], error) {
	if errors.Is(err, affiliate.ErrNotFound) {
		return affiliate.List[T]{Items: []T{}}, nil
	}
	if err != nil {
		return affiliate.List[T]{}, err
	}
	return affiliate.List[T]{Items: []T{item}}, nil
}

// SealCursor makes a cursor: the id of the last record of a page and a checksum over it and
// the scope, so that a cursor of another list is refused.
func SealCursor(id uuid.UUID, scope string) string {
	sum := cursorSum(id, scope)
	return base64.RawURLEncoding.EncodeToString(append(id[:], sum[:]...))
}

func OpenCursor(cursor, scope string) (uuid.UUID, bool) {
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
