package pgstore

import (
	"bytes"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A transaction collects the keys that it needs, and reads all of them in its
// next round trip, together with those that the closure will need soon. In a
// group, the first reads of all closures are made together. The statements are
// one for each table and index, for one key or for many.

// want notes a key for the next round trip, unless its answer is known.
func (tab *table[T]) want(key record.Key) {
	if !tab.knows(key) && !slices.Contains(tab.wanted, key) {
		tab.wanted = append(tab.wanted, key)
	}
}

// knows reports whether the answer to a key is known: the record with the id,
// the holder of a unique key, or the list of a shared key.
func (tab *table[T]) knows(key record.Key) (known bool) {
	switch {
	case key.Index == "":
		_, known = tab.rows[key.ID]
	case key.Index.Unique():
		_, known = tab.holders[key]
	default:
		_, known = tab.lists[key]
	}
	return known
}

// ask reads a key, and with it all that was noted. A View reads a single record
// by itself.
func (tab *table[T]) ask(key record.Key) error {
	t := tab.t
	if t.kind != viewing || t.noted() {
		tab.want(key)
		return t.read()
	}
	s, ahead := tab.sql.asks[key.Index], tab.sql.ahead
	sql := s.one
	if t.begins(tab.sql) {
		sql, ahead = s.bare, nil
	}
	return t.row(tab.records(sql, tab.sql.keyArg(key), []record.Key{key}, ahead, nil))
}

// soon notes a key that the closure expects to need.
func (tab *table[T]) soon(key record.Key) {
	if key == (record.Key{}) {
		tab.newest.wanted = !tab.newest.known
		return
	}
	if key.Index == "" || slices.Contains(tab.sql.Indexes, key.Index) && storable(key) {
		tab.want(key)
	}
}

// soon is the Soon of a closure's Tx.
func (u *unit) soon(table string, key record.Key) {
	if u.done || u.gone != nil {
		return
	}
	if tab := u.t.named(table); tab != nil {
		tab.soon(key)
	}
}

// noted reports whether a key was noted.
func (t *txn) noted() bool {
	for _, tab := range t.tables.used() {
		if tab.notes() {
			return true
		}
	}
	return false
}

func (tab *table[T]) notes() bool { return len(tab.wanted) > 0 || tab.newest.wanted }

// asking adds the queries for what was noted.
func (t *txn) asking(qs []query) []query {
	for _, tab := range t.tables.used() {
		qs = tab.asking(qs)
	}
	return qs
}

func (tab *table[T]) asking(qs []query) []query {
	if tab.newest.wanted {
		qs = append(qs, tab.askNewest())
	}
	for len(tab.wanted) > 0 {
		ix := tab.wanted[0].Index
		var keys []record.Key
		tab.wanted = slices.DeleteFunc(tab.wanted, func(key record.Key) bool {
			if key.Index == ix {
				keys = append(keys, key)
			}
			return key.Index == ix
		})
		if ix != "" && !ix.Unique() {
			qs = append(qs, tab.askLists(ix, keys))
		} else {
			qs = tab.askRecords(qs, ix, keys)
		}
	}
	return qs
}

// askRecords reads the records with ids or unique keys of one index, and the
// records that they refer to.
func (tab *table[T]) askRecords(qs []query, ix record.Index, keys []record.Key) []query {
	s := tab.sql.asks[ix]
	sql, linksOf, arg := s.one, s.linksOfOne, tab.sql.keyArg(keys[0])
	if len(keys) > 1 {
		sql, linksOf, arg = s.many, s.linksOfMany, tab.sql.keysArg(ix, keys)
	}
	if linksOf == "" || tab.t.kind == viewing {
		return append(qs, tab.records(sql, arg, keys, tab.sql.ahead, nil))
	}
	links, owners := tableOf[record.Link](tab.t), map[record.Key][]uuid.UUID{}
	return append(qs, tab.records(sql, arg, keys, tab.sql.ahead, owners), query{linksOf, []any{tab.t.programID, arg}, links.listing(record.OfAffiliate, owners), func() {
		links.rememberAll(owners)
	}})
}

// records returns the query for the records with keys of one index. It notes the
// affiliate of each in owners, unless that is nil.
func (tab *table[T]) records(sql string, arg any, keys []record.Key, ahead []reference,
	owners map[record.Key][]uuid.UUID) query {
	ix := keys[0].Index
	each := func(rows pgx.Rows) error {
		rec, ok, err := tab.scan(rows, 0)
		if !ok || err != nil {
			return err
		}
		tab.learn(rec)
		own := rec.AppendKeys(tab.t.room[2][:0])
		if key, ok := keyOf(own, ix); ok {
			tab.found(key, rec.RecordID())
		}
		if key, ok := keyOf(own, record.OfAffiliate); ok && owners != nil {
			owners[key] = nil // also when there are no links
		}
		return tab.learnAhead(rows, rec.RecordID(), own, ahead)
	}
	return query{sql, []any{tab.t.programID, arg}, each, func() { tab.absent(keys) }}
}

// learnAhead reads the records that a record with an id and keys refers to, from the
// columns behind its own.
func (tab *table[T]) learnAhead(rows pgx.Rows, id uuid.UUID, keys []record.Key, ahead []reference) error {
	at := len(tab.sql.Columns)
	for _, ref := range ahead {
		of := record.Key{ID: id}
		if ref.index != "" {
			of, _ = keyOf(keys, ref.index)
		}
		other := tab.t.named(ref.table)
		learnt, err := other.learnRow(rows, at)
		if err != nil {
			return err
		}
		if learnt == uuid.Nil && of.ID != uuid.Nil {
			other.learnNone(of.ID)
		}
		at += other.width()
	}
	return nil
}

// askLists reads whole lists of a shared index.
func (tab *table[T]) askLists(ix record.Index, keys []record.Key) query {
	found := map[record.Key][]uuid.UUID{}
	for _, key := range keys {
		found[key] = nil
	}
	return query{tab.sql.lists[ix], []any{tab.t.programID, tab.sql.keysArg(ix, keys)},
		tab.listing(ix, found), func() { tab.rememberAll(found) }}
}

// listing reads records and notes their ids under their keys of a shared index.
func (tab *table[T]) listing(ix record.Index, into map[record.Key][]uuid.UUID) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		rec, _, err := tab.scan(rows, 0)
		if err != nil {
			return err
		}
		tab.learn(rec)
		if key, ok := keyOf(rec.AppendKeys(tab.t.room[2][:0]), ix); ok {
			into[key] = append(into[key], rec.RecordID())
		}
		return nil
	}
}

// rememberAll notes whole lists, which were read in any order.
func (tab *table[T]) rememberAll(lists map[record.Key][]uuid.UUID) {
	for key, ids := range lists {
		if !tab.knows(key) {
			slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
			tab.remember(key, ids)
		}
	}
}

// found notes the holder of a unique key in the database. A holder that is known
// already stays, because it may have been written since.
func (tab *table[T]) found(key record.Key, id uuid.UUID) {
	if _, known := tab.holders[key]; known {
		return
	}
	if tab.holders == nil {
		tab.holders = make(map[record.Key]uuid.UUID)
	}
	tab.holders[key] = id
}

// absent notes that there is nothing under the keys that were read and not
// found.
func (tab *table[T]) absent(keys []record.Key) {
	for _, key := range keys {
		if key.Index == "" {
			tab.learnNone(key.ID)
		} else {
			tab.found(key, uuid.Nil)
		}
	}
}

// keyOf returns the key of an index.
func keyOf(keys []record.Key, ix record.Index) (record.Key, bool) {
	for _, key := range keys {
		if key.Index == ix {
			return key, true
		}
	}
	return record.Key{}, false
}
