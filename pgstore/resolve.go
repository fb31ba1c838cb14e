package pgstore

import (
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// resolve finds out whether an id and unique keys are in use, unless that is
// known already. It sends one statement at most. It ignores a zero id.
func (tab *table[T]) resolve(id uuid.UUID, keys []record.Key) error {
	if err := tab.t.needOpening(); err != nil {
		return err
	}
	if tab.noted(id, keys) {
		if err := tab.t.read(); err != nil {
			return err
		}
	}
	args := make([]any, 2+len(tab.sql.uniqueAt))
	args[0] = tab.t.programID
	var asked []record.Key
	if _, ok := tab.rows[id]; id != uuid.Nil && !ok && !tab.above("", id) {
		args[1] = idArg(id)
	}
	for _, key := range keys {
		if !key.Index.Unique() {
			continue
		}
		if _, ok := tab.holders[key]; ok || key.Index.IsID() && tab.above(key.Index, key.ID) {
			continue
		}
		args[1+tab.sql.uniqueAt[key.Index]] = keyArg(key)
		asked = append(asked, key)
	}
	if args[1] == nil && len(asked) == 0 {
		return nil
	}
	found := map[record.Key]uuid.UUID{}
	err := tab.t.read(query{sql: tab.sql.probe, args: args, each: func(rows pgx.Rows) error {
		other, raw, err := scanRecord(rows)
		if err != nil {
			return err
		}
		tab.learn(other, raw)
		return tab.foundKeys(other, raw, asked, found)
	}})
	if err != nil {
		return err
	}
	for _, key := range asked {
		tab.hold(key, found[key])
	}
	return nil
}

// noted reports whether the next round trip reads an id or one of the keys.
func (tab *table[T]) noted(id uuid.UUID, keys []record.Key) bool {
	return len(tab.wanted) > 0 && (slices.Contains(tab.wanted, record.Key{ID: id}) ||
		slices.ContainsFunc(keys, func(key record.Key) bool { return slices.Contains(tab.wanted, key) }))
}

// foundKeys notes which of the asked keys a record of the database holds.
func (tab *table[T]) foundKeys(id uuid.UUID, raw []byte, asked []record.Key, found map[record.Key]uuid.UUID) error {
	rec, err := decode[T](tab.sql, raw)
	if err != nil {
		return err
	}
	for _, key := range rec.AppendKeys(nil) {
		if slices.Contains(asked, key) {
			found[key] = id
		}
	}
	return nil
}
