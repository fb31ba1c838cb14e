package pgstore

import (
	"bytes"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// chunk is the number of records of a List that a View reads at once. An Update
// reads the whole list before it yields the first record, so that its writes do not
// change the list during the walk.
const chunk = 1000

// fetch reads a list from the database.
func (tab *table[T]) fetch(q record.Query) (found []T, err error) {
	tab.t.asked++
	sql := tab.sql.list[listShape{q.Key.Index, q.After != uuid.Nil, q.Desc, q.Limit > 0}]
	args := []any{tab.t.programID}
	if q.Key.Index != "" {
		args = append(args, tab.sql.keyArg(q.Key))
	}
	if q.After != uuid.Nil {
		args = append(args, idArg(q.After))
	}
	if q.Limit > 0 {
		args = append(args, int64(q.Limit))
	}
	return found, tab.t.read(query{sql: sql, args: args, each: func(rows pgx.Rows) error {
		rec, _, err := tab.scan(rows, 0)
		found = append(found, rec)
		return err
	}})
}

// selected returns a list of an Update: the rows of the database that this
// transaction has not written, and the written rows that belong to the list.
func (tab *table[T]) selected(q record.Query) ([]entry[T], error) {
	if q == theNewest {
		e, known, err := tab.newestRow()
		switch {
		case err != nil || known && e.row == nil:
			return nil, err
		case known:
			return []entry[T]{e}, nil
		}
	}
	written := tab.writtenRows()
	ids, err := tab.stored(q, len(written))
	if err != nil {
		return nil, err
	}
	entries := make([]entry[T], 0, len(ids)+len(written))
	for _, id := range ids {
		if r := tab.rows[id]; !r.written() && r.live {
			entries = append(entries, entry[T]{id, r})
		}
	}
	for _, e := range written {
		if e.row.live && (q.Key.Index == "" || slices.Contains(e.row.rec.AppendKeys(tab.t.room[1][:0]), q.Key)) {
			entries = append(entries, e)
		}
	}
	return cut(entries, q), nil
}

// An entry is a row with its id.
type entry[T any] struct {
	id  uuid.UUID
	row *row[T]
}

// cut sorts a list and returns the part that the query selects.
func cut[T any](entries []entry[T], q record.Query) []entry[T] {
	sign := 1
	if q.Desc {
		sign = -1
	}
	order := func(a, b entry[T]) int { return sign * bytes.Compare(a.id[:], b.id[:]) }
	slices.SortFunc(entries, order)
	rows := entries[:0]
	for _, e := range entries {
		if q.After != uuid.Nil && sign*bytes.Compare(e.id[:], q.After[:]) <= 0 {
			continue
		}
		rows = append(rows, e)
		if len(rows) == q.Limit {
			break
		}
	}
	return rows
}

// stored returns a list as the database has it. It reads room more records than the
// limit, because the caller replaces up to that many rows. A whole list is read
// only once.
func (tab *table[T]) stored(q record.Query, room int) ([]uuid.UUID, error) {
	if ids, ok := tab.lists[q.Key]; ok {
		return ids, nil
	}
	whole := q.After == uuid.Nil && q.Limit == 0
	if whole && q.Key.Index != "" {
		err := tab.ask(q.Key)
		return tab.lists[q.Key], err
	}
	if q.Limit > 0 {
		q.Limit += room
	}
	found, err := tab.fetch(q)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(found))
	for i, rec := range found {
		ids[i] = rec.RecordID()
		tab.learn(rec)
	}
	if whole {
		tab.remember(q.Key, ids)
	}
	return ids, nil
}

// writtenRows returns the rows that differ from the database, ordered by id.
func (tab *table[T]) writtenRows() []entry[T] {
	if len(tab.touched) == 0 {
		return nil
	}
	ids := slices.Clone(tab.touched)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	ids = slices.Compact(ids)
	entries := make([]entry[T], 0, len(ids))
	for _, id := range ids {
		if r := tab.rows[id]; r.written() {
			entries = append(entries, entry[T]{id, r})
		}
	}
	return entries
}
