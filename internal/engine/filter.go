package engine

import (
	"errors"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

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

// Wanted returns the value of a field, and whether it is set. A null or zero value
// makes the choice empty.
func Wanted[T comparable, R record.Record[R]](c *Choice[R], field affiliate.Opt[T]) (v T, set bool) {
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
	return Filtered[R]{Table: t, Keep: c.Fit}
}

// Chosen reads a page of the selected records. item turns each record into an
// item of the list.
func Chosen[R record.Record[R], T any](t record.Table[R], c Choice[R], l listing, item func(R) (T, error)) (affiliate.List[T], error) {
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

// A Filtered table lists only the records that fit. Other records do not count
// for the limit.
type Filtered[R record.Record[R]] struct {
	record.Table[R]
	Keep func(R) bool
	Over func(R) bool // reports that no later record can fit; nil: never
}

// List walks the records that fit.
func (s Filtered[R]) List(q record.Query) iter.Seq2[R, error] {
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
