package pgstore

import (
	"bytes"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// newest is the record with the highest id that the database has in a table.
// Every event asks for the one before it.
type newest struct {
	wanted bool // by the next round trip
	known  bool
	id     uuid.UUID // zero: the table is empty
}

// theNewest is the query for the newest record of a table.
var theNewest = record.Query{Desc: true, Limit: 1}

// askNewest reads the newest record.
func (tab *table[T]) askNewest() query {
	tab.newest.wanted = false
	return query{
		sql: tab.sql.newest, args: []any{tab.t.programID},
		each: func(rows pgx.Rows) error {
			id, err := tab.learnRow(rows, 0)
			tab.newest.id = id
			return err
		},
		done: func() { tab.newest.known = true },
	}
}

// newestRow returns the newest record: that of the database, or one that the
// transaction has inserted. It is not known when the one of the database was
// deleted.
func (tab *table[T]) newestRow() (e entry[T], known bool, err error) {
	if !tab.newest.known {
		tab.newest.wanted = true
		if err := tab.t.read(); err != nil {
			return e, false, err
		}
	}
	if id := tab.newest.id; id != uuid.Nil {
		e = entry[T]{id, tab.rows[id]}
		if !e.row.live {
			return e, false, nil
		}
	}
	for _, id := range tab.touched {
		if r := tab.rows[id]; r.live && bytes.Compare(id[:], e.id[:]) > 0 {
			e = entry[T]{id, r}
		}
	}
	return e, true, nil
}
