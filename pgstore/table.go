package pgstore

import (
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A table holds what a transaction has read from one SQL table, and what it
// will write to it.
type table[T record.Record[T]] struct {
	t   *txn
	sql *tableSQL

	rows    map[uuid.UUID]*row[T]      // the known rows, also those that do not exist
	holders map[record.Key]uuid.UUID   // the holders of unique keys; zero: the key is free
	lists   map[record.Key][]uuid.UUID // whole lists as the database has them
	touched []uuid.UUID                // rows that were written
	wanted  []record.Key               // what the next round trip reads
	newest  newest
	undo    []change[T] // newest last
}

// A row is a record that is known to exist, or known not to exist. A write
// replaces the row by a new one, so a holder of the old row sees no change.
type row[T any] struct {
	base *row[T] // the row in the database; nil: it has none; the row itself: nothing was written
	live bool
	rec  T
}

// written reports whether the row must be sent to the database.
func (r *row[T]) written() bool { return r.base != r && (r.base != nil || r.live) }

// A change is a row or holder that a write replaced.
type change[T any] struct {
	id     uuid.UUID
	row    *row[T]
	key    record.Key // set when a holder was replaced
	holder uuid.UUID
	had    bool
}

// learn notes a record of the database. A row that is known already stays, because it
// may have been written since.
func (tab *table[T]) learn(rec T) {
	if id := rec.RecordID(); tab.rows[id] == nil {
		r := &row[T]{live: true, rec: rec}
		r.base = r
		tab.keep(id, r)
	}
}

// learnNone notes that the database has no record under an id.
func (tab *table[T]) learnNone(id uuid.UUID) {
	if tab.rows[id] == nil {
		tab.keep(id, &row[T]{})
	}
}

// learnRow reads a record from the columns of a row, and notes it. It returns the
// record's id; zero: there is none.
func (tab *table[T]) learnRow(rows pgx.Rows, at int) (uuid.UUID, error) {
	rec, ok, err := tab.scan(rows, at)
	if !ok || err != nil {
		return uuid.Nil, err
	}
	tab.learn(rec)
	return rec.RecordID(), nil
}

// width is the number of columns.
func (tab *table[T]) width() int { return len(tab.sql.Columns) }

func (tab *table[T]) keep(id uuid.UUID, r *row[T]) {
	if tab.rows == nil {
		tab.rows = make(map[uuid.UUID]*row[T])
	}
	tab.rows[id] = r
}

// remember notes a whole list.
func (tab *table[T]) remember(key record.Key, ids []uuid.UUID) {
	if tab.lists == nil {
		tab.lists = make(map[record.Key][]uuid.UUID)
	}
	tab.lists[key] = ids
}

// get returns the row with the id, from memory or from the database.
func (tab *table[T]) get(id uuid.UUID) (*row[T], error) {
	tab.t.asked++
	r, ok := tab.rows[id]
	if !ok {
		if err := tab.ask(record.Key{ID: id}); err != nil {
			return nil, err
		}
		r = tab.rows[id]
	}
	if !r.live {
		return nil, affiliate.ErrNotFound
	}
	return r, nil
}

// find returns the row that holds a unique key. The old and new keys of all
// written rows are known, so an unknown key is looked up in the database.
func (tab *table[T]) find(key record.Key) (*row[T], error) {
	id, ok := tab.holders[key]
	if !ok {
		if err := tab.ask(key); err != nil {
			return nil, err
		}
		id = tab.holders[key]
	}
	if id == uuid.Nil {
		return nil, affiliate.ErrNotFound
	}
	return tab.get(id)
}

// hold notes the holder of a key.
func (tab *table[T]) hold(key record.Key, id uuid.UUID) {
	if tab.holders == nil {
		tab.holders = make(map[record.Key]uuid.UUID)
	}
	was, had := tab.holders[key]
	tab.undo = append(tab.undo, change[T]{key: key, holder: was, had: had})
	tab.holders[key] = id
}

// put writes a row; a nil record deletes it.
func (tab *table[T]) put(id uuid.UUID, rec *T) {
	was := tab.rows[id]
	next := &row[T]{}
	if was != nil {
		next.base = was.base
	}
	if rec != nil {
		next.live, next.rec = true, (*rec).Clone()
	}
	tab.undo = append(tab.undo, change[T]{id: id, row: was, had: was != nil})
	tab.touched = append(tab.touched, id)
	tab.keep(id, next)
}

// rekey frees the old unique keys of a record and notes it as the holder of the
// new ones.
func (tab *table[T]) rekey(id uuid.UUID, was, keys []record.Key) {
	for _, key := range was {
		if key.Index.Unique() && !slices.Contains(keys, key) {
			tab.hold(key, uuid.Nil)
		}
	}
	for _, key := range keys {
		if key.Index.Unique() && tab.holders[key] != id {
			tab.hold(key, id)
		}
	}
}

// mark returns the current state, for rollback.
func (tab *table[T]) mark() (undo, touched int) { return len(tab.undo), len(tab.touched) }

// rollback undoes the writes since the mark.
func (tab *table[T]) rollback(undo, touched int) {
	for _, c := range slices.Backward(tab.undo[undo:]) {
		switch {
		case c.key.Index != "" && c.had:
			tab.holders[c.key] = c.holder
		case c.key.Index != "":
			delete(tab.holders, c.key)
		case c.had:
			tab.rows[c.id] = c.row
		default:
			delete(tab.rows, c.id)
			clear(tab.lists) // a list that was read since may contain the id
			tab.newest = newest{}
		}
	}
	tab.undo, tab.touched = tab.undo[:undo], tab.touched[:touched]
}

// clash returns an error if another record holds a unique key of keys.
func (tab *table[T]) clash(id uuid.UUID, keys []record.Key) error {
	for _, key := range keys {
		if holder := tab.holders[key]; key.Index.Unique() && holder != uuid.Nil && holder != id {
			return &record.ExistsError{Index: key.Index}
		}
	}
	return nil
}

func (tab *table[T]) insert(rec T) error {
	id := rec.RecordID()
	keys := rec.AppendKeys(tab.t.room[0][:0])
	if err := tab.admit(keys); err != nil {
		return err
	}
	if r, ok := tab.rows[id]; ok && r.live {
		return &record.ExistsError{}
	}
	if err := tab.resolve(id, keys); err != nil {
		return err
	}
	if r, ok := tab.rows[id]; ok && r.live {
		return &record.ExistsError{}
	}
	if err := tab.clash(id, keys); err != nil {
		return err
	}
	tab.ownTotals(id)
	tab.put(id, &rec)
	tab.rekey(id, nil, keys)
	return nil
}

func (tab *table[T]) replace(rec T) error {
	id := rec.RecordID()
	keys := rec.AppendKeys(tab.t.room[0][:0])
	if err := tab.admit(keys); err != nil {
		return err
	}
	r, err := tab.get(id)
	if err != nil {
		return err
	}
	was := r.rec.AppendKeys(tab.t.room[1][:0])
	if !slices.Equal(was, keys) {
		fresh := slices.DeleteFunc(slices.Clone(keys), func(key record.Key) bool { return slices.Contains(was, key) })
		if err := tab.resolve(uuid.Nil, fresh); err != nil {
			return err
		}
		if err := tab.clash(id, fresh); err != nil {
			return err
		}
	}
	tab.put(id, &rec)
	tab.rekey(id, was, keys)
	return nil
}

func (tab *table[T]) remove(id uuid.UUID) error {
	r, err := tab.get(id)
	if err != nil {
		return err
	}
	was := r.rec.AppendKeys(tab.t.room[1][:0])
	tab.put(id, nil)
	tab.rekey(id, was, nil)
	return nil
}
