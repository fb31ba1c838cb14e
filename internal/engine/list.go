package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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

// MaxPage is the highest limit of a page.
const MaxPage = 1000

// recordPage is a page of stored records: its query and the limit of its answer.
type recordPage struct {
	Query  record.Query // key, direction, start and limit
	cursor string       // as it was sent
	Scope  string
	bound  string // as of a choice
}

// Listing turns a page into a query over all records of a table. The scope is
// the operation, the filter as it was sent, and the program. A cursor works
// only in its scope.
func (p *Program) Listing(pg affiliate.Page, operation string, filter any) (recordPage, error) {
	l := recordPage{Query: record.Query{Desc: true, Limit: pg.Limit}}
	if pg == (affiliate.Page{}) {
		return l, nil // a whole list reads and makes no cursor, so it needs no scope
	}
	if pg.Limit < 0 || pg.Limit > MaxPage {
		return l, refusal.RefuseLimit.Err()
	}
	sent, err := json.Marshal(filter)
	if err != nil {
		return recordPage{}, refusal.Internal("encode filter", err)
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
func (l recordPage) Open() (recordPage, error) {
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
func (l recordPage) Of(key record.Key) recordPage {
	l.Query.Key = key
	return l
}

// Collect reads a page from a table. item turns each record into an item of the
// list.
func Collect[R record.Record[R], T any](t record.Table[R], l recordPage, item func(R) (T, error)) (affiliate.List[T], error) {
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
	var g recordReading[R]
	return g.all(t, q)
}

// A recordReading reads records. It takes two allocations, where a range loop over a list takes
// five: the owner provides its memory, and a loop allocates each variable that its body
// sets (BenchmarkRealSale).
type recordReading[R record.Record[R]] struct {
	recs []R
	err  error
}

// all reads the records that q selects.
func (g *recordReading[R]) all(t record.Table[R], q record.Query) ([]R, error) {
	return g.into(nil, t, q)
}

// into is all with memory for the records.
func (g *recordReading[R]) into(room []R, t record.Table[R], q record.Query) ([]R, error) {
	g.recs, g.err = room, nil
	t.List(q)(g.add)
	if g.err != nil {
		return nil, g.err
	}
	return g.recs, nil
}

func (g *recordReading[R]) add(rec R, err error) bool {
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

// How lists are filtered. A record must match every field that is set. A field
// that is set to null or to a zero value matches nothing, so an id that a host
// forgot to fill in never shows the records of everybody.

// A Choice is a filter for a table: it selects the record with the id, else the
// records under the key, and of these the ones that fit. The zero choice
// selects everything. When the filter names something unknown, the choice has
// the error [affiliate.ErrNotFound].
type Choice[R record.Record[R]] struct {
	id    uuid.UUID
	Key   record.Key
	held  func(*R) bool   // reports whether a record has the key; nil: there is no key
	Fits  []func(*R) bool // the conditions besides the key
	Bound string          // the ids of the records that a text names now, and may not name later
	Err   error
}

// Fit reports whether a record that was found by the id or the key is selected.
func (c *Choice[R]) Fit(rec R) bool {
	return !slices.ContainsFunc(c.Fits, func(fits func(*R) bool) bool { return !fits(&rec) })
}

// Single reports whether at most one record can be selected.
func (c *Choice[R]) Single() bool { return c.id != uuid.Nil || c.Key.Index.Unique() }

// Under sets the key. The previous key becomes a condition that is checked record
// by record, so add the fields from the widest to the narrowest.
func (c *Choice[R]) Under(key record.Key, held func(*R) bool) {
	if c.held != nil {
		c.Fits = append(c.Fits, c.held)
	}
	c.Key, c.held = key, held
}

// Fail notes the first error; it ignores nil.
func (c *Choice[R]) Fail(err error) {
	if c.Err == nil {
		c.Err = err
	}
}

// naming are the types of fields whose zero value names nobody; a bool is for ByFlag.
type naming interface{ ~string | ~int64 | ~[16]byte }

// Wanted returns the value of a field, and whether it is set. A null or zero value
// makes the choice empty.
func Wanted[T naming, R record.Record[R]](c *Choice[R], field affiliate.Opt[T]) (v T, set bool) {
	if field.IsZero() {
		return v, false
	}
	v, _ = field.Get()
	var nobody T
	if v == nobody {
		c.Fail(affiliate.ErrNotFound)
		return v, false
	}
	return v, true
}

// ByFlag selects the records whose flag is as the field says, true or false. Null selects nothing.
func (c *Choice[R]) ByFlag(field affiliate.Opt[bool], have func(*R) bool) {
	if field.IsNull() {
		c.Fail(affiliate.ErrNotFound)
	}
	if flag, set := field.Get(); set {
		c.Fits = append(c.Fits, func(rec *R) bool { return have(rec) == flag })
	}
}

// one selects the record with the id.
func (c *Choice[R]) one(field affiliate.Opt[uuid.UUID]) {
	id, set := Wanted(c, field)
	if !set {
		return
	}
	c.Under(record.Key{}, nil)
	c.id = id
}

// ByID selects by a key that is an id.
func (c *Choice[R]) ByID(index record.Index, field affiliate.Opt[uuid.UUID], have func(*R) uuid.UUID) {
	if id, set := Wanted(c, field); set {
		c.Under(record.Key{Index: index, ID: id}, func(rec *R) bool { return have(rec) == id })
	}
}

// ByText selects by a key that is a text, compared exactly.
func (c *Choice[R]) ByText(index record.Index, field affiliate.Opt[string], have func(*R) string) {
	text, set := Wanted(c, field)
	if !set {
		return
	}
	key, err := refusal.SentKey(index, text)
	if err != nil {
		c.Fail(err)
		return
	}
	c.Under(key, func(rec *R) bool { return have(rec) == text })
}

// ByOwner selects the records of the affiliate with the id and with the email.
// An unknown id selects nothing; that of one who was merged selects those of the one who stayed.
func (c *Choice[R]) ByOwner(o *Op, id affiliate.Opt[uuid.UUID], email affiliate.Opt[string], have func(*R) uuid.UUID) {
	owner, byID := Wanted(c, id)
	address, byEmail := Wanted(c, email)
	if byID {
		var err error
		if owner, err = o.Heir(owner); err != nil {
			c.Fail(err)
			return
		}
	}
	if byEmail {
		rec, err := o.FindAffiliateByEmail(address)
		if err == nil && byID && rec.ID != owner {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			c.Fail(err)
			return
		}
		owner = rec.ID
		c.Bound += string(owner[:])
	}
	if byID || byEmail {
		c.ByID(record.OfAffiliate, affiliate.Set(owner), have)
	}
}

// find returns the only record that the choice can select.
func (c *Choice[R]) find(t record.Table[R]) (rec R, err error) {
	if c.id != uuid.Nil {
		rec, err = t.Get(c.id)
	} else {
		rec, err = t.Find(c.Key)
	}
	if err == nil && !c.Fit(rec) {
		return rec, affiliate.ErrNotFound
	}
	return rec, err
}

// In returns the table with only the records that fit.
func (c *Choice[R]) In(t record.Table[R]) record.Table[R] {
	if len(c.Fits) == 0 {
		return t
	}
	return FilteredTable[R]{Table: t, Keep: c.Fit}
}

// Chosen reads a page of the selected records. item turns each record into an
// item of the list.
func Chosen[R record.Record[R], T any](t record.Table[R], c Choice[R], l recordPage, item func(R) (T, error)) (affiliate.List[T], error) {
	l.bound = c.Bound
	if c.Err == nil && !c.Single() {
		return Collect(c.In(t), l.Of(c.Key), item)
	}
	if _, err := l.Open(); err != nil {
		return affiliate.List[T]{}, err
	}
	var shown T
	if c.Err != nil {
		return only(shown, c.Err)
	}
	rec, err := c.find(t)
	if err == nil {
		shown, err = item(rec)
	}
	return only(shown, err)
}

// EachChosen runs fn on every selected record. It reads the records first,
// because fn may change the index.
func EachChosen[R record.Record[R]](t record.Table[R], c Choice[R], fn func(R) error) error {
	if c.Err == nil && !c.Single() {
		return Each(c.In(t), c.Key, fn)
	}
	var rec R
	err := c.Err
	if err == nil {
		rec, err = c.find(t)
	}
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fn(rec)
}

// A FilteredTable lists only the records that fit. Other records do not count
// for the limit.
type FilteredTable[R record.Record[R]] struct {
	record.Table[R]
	Keep func(R) bool
	Over func(R) bool // reports that no later record can fit; nil: never
}

// List walks the records that fit.
func (s FilteredTable[R]) List(q record.Query) iter.Seq2[R, error] {
	limit := q.Limit
	q.Limit = 0
	return func(yield func(R, error) bool) {
		n := 0
		for rec, err := range s.Table.List(q) {
			if err != nil {
				yield(rec, err)
				return
			}
			if s.Over != nil && s.Over(rec) {
				return
			}
			if !s.Keep(rec) {
				continue
			}
			if n++; !yield(rec, nil) || n == limit {
				return
			}
		}
	}
}

// Broken returns the error of a choice, unless it only says that something named
// does not exist.
func (c *Choice[R]) Broken() error {
	if errors.Is(c.Err, affiliate.ErrNotFound) {
		return nil // it selects nothing
	}
	return c.Err
}

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

// A Seeker has the tables and values of a search in one View.
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

// Found reads a page of a search, or all of its pages. seek is called once in each run of a View. Its
// argument says whether a search text may name records exactly. It is false after
// a page of records that contain the text somewhere, because the following pages
// must list such records too.
func Found[R record.Record[R], T any](ctx context.Context, p *Program, h Hunt, seek func(o *Op, exactly bool) *Seeker[R, T]) (affiliate.List[T], error) {
	if h.Page == (affiliate.Page{}) {
		return foundAll(ctx, p, h, seek)
	}
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

// foundAll reads all pages of a search.
func foundAll[R record.Record[R], T any](ctx context.Context, p *Program, h Hunt, seek func(o *Op, exactly bool) *Seeker[R, T]) (affiliate.List[T], error) {
	all := affiliate.List[T]{Items: []T{}}
	for page, err := range affiliate.Pages(affiliate.Page{Limit: MaxPage}, func(pg affiliate.Page) (affiliate.List[T], error) {
		h.Page = pg
		return Found(ctx, p, h, seek)
	}) {
		if err != nil {
			return affiliate.List[T]{}, err
		}
		all.Items = append(all.Items, page.Items...)
	}
	return all, nil
}

// searchOn looks at the next records.
func searchOn[R record.Record[R], T any](s search[T], l recordPage, k *Seeker[R, T], limit int) (search[T], error) {
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

// Lists that are added up: by the store, where it can, else as they are read.

// An Adding is a list, and how it is added up.
type Adding[R record.Record[R]] struct {
	// Without a Key, which the choice gives. By has the columns by which records are chosen.
	Sum    record.Sum
	Choose func(*Op) Choice[R]
	// Read reads a page of the list.
	Read func(affiliate.Page) (affiliate.List[R], error)
	Each bool // whether a record is chosen is in no column
}

// AddUp runs fn on the records of a list: where the store adds up, on those that agree as one,
// and how many they are; else on each.
func AddUp[R record.Record[R]](ctx context.Context, p *Program, a Adding[R],
	fn func(rec *R, n int64) error) error {
	done := false
	sums, err := View(ctx, p, func(o *Op) (sums []record.Summed, err error) {
		c := a.Choose(o)
		if done = !a.Each && o.Tx.Sum != nil && c.Err == nil && !c.Single(); !done {
			return nil, nil
		}
		a.Sum.Key = c.Key
		all, err := o.Tx.Sum(a.Sum)
		for _, one := range all {
			if c.Fit(one.AnyRecord.(R)) {
				sums = append(sums, one)
			}
		}
		return sums, err
	})
	if err != nil {
		return refusal.Internal("add up "+a.Sum.Table, err)
	}
	if done {
		for _, one := range sums {
			rec := one.AnyRecord.(R)
			if err := fn(&rec, one.N); err != nil {
				return err
			}
		}
		return nil
	}
	for rec, err := range affiliate.Each(MaxPage, a.Read) {
		if err == nil {
			err = fn(&rec, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// madeIn lets a sum count what was made in a period.
func (p *Program) madeIn(made period, q *record.Sum) {
	if made.since.IsZero() && made.until.IsZero() {
		return
	}
	to := affiliate.InstantOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))
	if !made.until.IsZero() {
		to = made.until.Truncate(time.Millisecond).Add(time.Millisecond)
	}
	q.At, q.Edges = "created_at", []affiliate.Instant{made.since, to}
	if p.Cfg.NewID != nil {
		return // the ids tell no time
	}
	if !made.since.IsZero() {
		q.After = uuid7.Stamp(uuid.UUID{}, made.since.Time())
	}
	if !made.until.IsZero() && to.Time().UnixMilli() > 0 {
		q.Before = uuid7.Stamp(uuid.UUID{}, to.Add(2*ClockSlack).Time())
	}
}
