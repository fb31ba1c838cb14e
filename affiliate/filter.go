package affiliate

import (
	"errors"
	"iter"
	"slices"

	"github.com/google/uuid"
)

// How lists are filtered. A record must match every field that is set. A field
// that is set to null or to a zero value matches nothing, so an id that a host
// forgot to fill in never shows the records of everybody.

// A choice is a filter for a table: it selects the record with the id, else the
// records under the key, and of these the ones that fit. The zero choice
// selects everything. When the filter names something unknown, the choice has
// the error [ErrNotFound].
type choice[R Record[R]] struct {
	id    uuid.UUID
	key   Key
	held  func(*R) bool   // whether a record is under the key; nil: there is no key
	fits  []func(*R) bool // the conditions besides the key
	bound string          // the ids of records that a text names now and may not name later
	err   error
}

// fit reports whether a record that was found by the id or the key is selected.
func (c *choice[R]) fit(rec R) bool {
	return !slices.ContainsFunc(c.fits, func(fits func(*R) bool) bool { return !fits(&rec) })
}

// single reports whether at most one record can be selected.
func (c *choice[R]) single() bool { return c.id != uuid.Nil || c.key.Index.Unique() }

// under sets the key. The previous key becomes a condition that is checked
// record by record. So fields are added from the widest to the narrowest.
func (c *choice[R]) under(key Key, held func(*R) bool) {
	if c.held != nil {
		c.fits = append(c.fits, c.held)
	}
	c.key, c.held = key, held
}

// fail notes the first error; it ignores nil.
func (c *choice[R]) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// wanted is the value of a field, and whether it is set. A null or zero value
// makes the choice empty.
func wanted[T comparable, R Record[R]](c *choice[R], field Opt[T]) (v T, set bool) {
	if field.IsZero() {
		return v, false
	}
	v, _ = field.Get()
	var nobody T
	if v == nobody {
		c.fail(ErrNotFound)
		return v, false
	}
	return v, true
}

// one selects the record with the id.
func (c *choice[R]) one(field Opt[uuid.UUID]) {
	id, set := wanted(c, field)
	if !set {
		return
	}
	c.under(Key{}, nil)
	c.id = id
}

// byID selects by a key that is an id.
func (c *choice[R]) byID(index Index, field Opt[uuid.UUID], have func(*R) uuid.UUID) {
	if id, set := wanted(c, field); set {
		c.under(Key{Index: index, ID: id}, func(rec *R) bool { return have(rec) == id })
	}
}

// byText selects by a key that is a text, compared exactly.
func (c *choice[R]) byText(index Index, field Opt[string], have func(*R) string) {
	text, set := wanted(c, field)
	if !set {
		return
	}
	key, err := sentKey(index, text)
	if err != nil {
		c.fail(err)
		return
	}
	c.under(key, func(rec *R) bool { return have(rec) == text })
}

// byOwner selects the records of the affiliate with the id and with the email.
// An id alone is not looked up, because an unknown affiliate has no records.
func (c *choice[R]) byOwner(o *op, id Opt[uuid.UUID], email Opt[string], have func(*R) uuid.UUID) {
	owner, byID := wanted(c, id)
	address, byEmail := wanted(c, email)
	if byEmail {
		rec, err := o.affiliateByEmail(address)
		if err == nil && byID && rec.ID != owner {
			err = ErrNotFound
		}
		if err != nil {
			c.fail(err)
			return
		}
		owner = rec.ID
		c.bound += string(owner[:])
	}
	if byID || byEmail {
		c.byID(OfAffiliate, Set(owner), have)
	}
}

// find returns the only record that the choice can select.
func (c *choice[R]) find(t Table[R]) (rec R, err error) {
	if c.id != uuid.Nil {
		rec, err = t.Get(c.id)
	} else {
		rec, err = t.Find(c.key)
	}
	if err == nil && !c.fit(rec) {
		return rec, ErrNotFound
	}
	return rec, err
}

// in is the table with only the records that fit.
func (c *choice[R]) in(t Table[R]) Table[R] {
	if len(c.fits) == 0 {
		return t
	}
	return filtered[R]{Table: t, keep: c.fit}
}

// chosen reads a page of the selected records. item turns each record into an
// item of the list.
func chosen[R Record[R], T any](t Table[R], c choice[R], l listing, item func(R) (T, error)) (List[T], error) {
	l.bound = c.bound
	if c.err == nil && !c.single() {
		return collect(c.in(t), l.of(c.key), item)
	}
	if _, err := l.open(); err != nil {
		return List[T]{}, err
	}
	var shown T
	if c.err != nil {
		return only(shown, c.err)
	}
	rec, err := c.find(t)
	if err == nil {
		shown, err = item(rec)
	}
	return only(shown, err)
}

// eachChosen runs fn on every selected record. It reads the records first,
// because fn may change the index.
func eachChosen[R Record[R]](t Table[R], c choice[R], fn func(R) error) error {
	if c.err == nil && !c.single() {
		return each(c.in(t), c.key, fn)
	}
	var rec R
	err := c.err
	if err == nil {
		rec, err = c.find(t)
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fn(rec)
}

// A filtered table lists only the records that fit. Other records do not count
// for the limit.
type filtered[R Record[R]] struct {
	Table[R]
	keep func(R) bool
	over func(R) bool // reports that no later record can fit; nil: never
}

// List walks the records that fit.
func (s filtered[R]) List(q Query) iter.Seq2[R, error] {
	limit := q.Limit
	q.Limit = 0
	return func(yield func(R, error) bool) {
		n := 0
		for rec, err := range s.Table.List(q) {
			if err != nil {
				yield(rec, err)
				return
			}
			if s.over != nil && s.over(rec) {
				return
			}
			if !s.keep(rec) {
				continue
			}
			if n++; !yield(rec, nil) || n == limit {
				return
			}
		}
	}
}
