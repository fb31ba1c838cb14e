package pgstore

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

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
	return t.row(tab.records(sql, keyArg(key), []record.Key{key}, ahead, nil))
}

// soon notes a key that the closure expects to need.
func (tab *table[T]) soon(key record.Key) {
	if key == (record.Key{}) {
		tab.newest.wanted = !tab.newest.known
		return
	}
	if key.Index == "" || slices.Contains(tab.sql.indexes, key.Index) && storable(key) {
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
	sql, linksOf, arg := s.one, s.linksOfOne, keyArg(keys[0])
	if len(keys) > 1 {
		sql, linksOf, arg = s.many, s.linksOfMany, keysArg(ix, keys)
	}
	if linksOf == "" || tab.t.kind == viewing {
		return append(qs, tab.records(sql, arg, keys, tab.sql.ahead, nil))
	}
	links, owners := tableOf[record.Link](tab.t), map[uuid.UUID][]uuid.UUID{}
	return append(qs, tab.records(sql, arg, keys, tab.sql.ahead, owners), query{linksOf, []any{tab.t.programID, arg}, links.listing(owners), func() {
		links.rememberAll(record.OfAffiliate, owners)
	}, "uju"})
}

// records returns the query for the records with keys of one index. It notes the
// first reference of each in owners, unless that is nil.
func (tab *table[T]) records(sql string, arg any, keys []record.Key, ahead []reference, owners map[uuid.UUID][]uuid.UUID) query {
	ix := keys[0].Index
	refs, raws := make([]pgtype.UUID, len(ahead)), make([][]byte, len(ahead))
	var id uuid.UUID
	var raw []byte
	var key keyScan
	into := append(make([]any, 0, 3+2*len(refs)), (*[16]byte)(&id), &raw, key.into(ix))
	for i := range refs {
		into = append(into, &refs[i], &raws[i])
	}
	columns := "u" + tab.sql.form.rawShape() + keyShape(ix) + shape(strings.Repeat("uj", len(ahead)))
	each := func(rows pgx.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		tab.learn(id, raw)
		if ix != "" {
			tab.found(key.key(ix), id)
		}
		for i, ref := range ahead {
			if refs[i].Valid {
				tab.t.named(ref.table).learn(refs[i].Bytes, raws[i])
			}
		}
		if owners != nil && refs[0].Valid {
			if _, ok := owners[refs[0].Bytes]; !ok { // also when there are no links
				owners[refs[0].Bytes] = nil
			}
		}
		return nil
	}
	return query{sql, []any{tab.t.programID, arg}, each, func() { tab.absent(keys) }, columns}
}

// askLists reads whole lists of a shared index.
func (tab *table[T]) askLists(ix record.Index, keys []record.Key) query {
	found := map[uuid.UUID][]uuid.UUID{}
	texts := map[string][]uuid.UUID{}
	each := tab.listing(found)
	if !ix.IsID() {
		each = func(rows pgx.Rows) error {
			var id uuid.UUID
			var raw []byte
			var of string
			err := rows.Scan((*[16]byte)(&id), &raw, &of)
			tab.learn(id, raw)
			texts[of] = append(texts[of], id)
			return err
		}
	}
	return query{tab.sql.lists[ix], []any{tab.t.programID, keysArg(ix, keys)}, each, func() {
		for _, key := range keys {
			if !tab.knows(key) {
				tab.remember(key, append(found[key.ID], texts[key.Text]...))
			}
		}
	}, "u" + tab.sql.form.rawShape() + keyShape(ix)}
}

// listing reads the columns id, record and the id of a shared index.
func (tab *table[T]) listing(into map[uuid.UUID][]uuid.UUID) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var id, of uuid.UUID
		var raw []byte
		if err := rows.Scan((*[16]byte)(&id), &raw, (*[16]byte)(&of)); err != nil {
			return err
		}
		tab.learn(id, raw)
		into[of] = append(into[of], id)
		return nil
	}
}

// rememberAll notes whole lists of a shared index.
func (tab *table[T]) rememberAll(ix record.Index, lists map[uuid.UUID][]uuid.UUID) {
	for of, ids := range lists {
		if key := (record.Key{Index: ix, ID: of}); !tab.knows(key) {
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
			tab.learn(key.ID, nil)
		} else {
			tab.found(key, uuid.Nil)
		}
	}
}

// keysArg returns the values of keys of one index as a parameter.
func keysArg(ix record.Index, keys []record.Key) any {
	if !ix.IsID() {
		texts := make([]string, len(keys))
		for i, key := range keys {
			texts[i] = key.Text
		}
		return texts
	}
	ids := make([]pgtype.UUID, len(keys))
	for i, key := range keys {
		ids[i] = pgtype.UUID{Bytes: key.ID, Valid: true}
	}
	return ids
}

// keyShape returns the shape of a key's column.
func keyShape(ix record.Index) shape {
	if ix.IsID() {
		return shape(ofID)
	}
	return shape(ofText)
}

// A keyScan is the column of a key.
type keyScan struct {
	id   uuid.UUID
	text string
}

// into returns where the column goes.
func (k *keyScan) into(ix record.Index) any {
	if ix.IsID() {
		return (*[16]byte)(&k.id)
	}
	return &k.text
}

// key returns the key that was read.
func (k *keyScan) key(ix record.Index) record.Key {
	return record.Key{Index: ix, ID: k.id, Text: k.text}
}
