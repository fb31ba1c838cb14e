package pgstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The queries of one round trip of an Update are joined into one statement,
// because separate statements cost the server more than the look-ups
// themselves. Each row of the joined statement is a row of one of the queries.
// It begins with the query's number, and has room for the columns of each of
// them: what a query does not have is null.

// A shape is the types of a query's columns, a letter each.
type shape string

const (
	ofID     = 'u' // uuid
	ofText   = 't' // text
	ofNumber = 'n' // bigint
	ofBytes  = 'b' // bytea
	ofJSON   = 'j' // json, which becomes bytea
)

// slots are the columns of a joined statement, in their order.
var slots = []struct {
	letter byte
	typ    string
}{{ofID, "uuid"}, {ofText, "text"}, {ofNumber, "bigint"}, {ofBytes, "bytea"}}

// slot returns the letter of the column that a value goes into.
func slot(letter byte) byte {
	if letter == ofJSON {
		return ofBytes
	}
	return letter
}

// rawShape returns the shape of a record as the form stores it.
func (f *form) rawShape() shape {
	if f.codec == nil {
		return shape(ofJSON)
	}
	return shape(ofBytes)
}

// joinReads joins the queries that have a shape.
func (t *txn) joinReads(qs []query) []query {
	var parts []query
	rest := slices.DeleteFunc(slices.Clone(qs), func(q query) bool {
		if q.shape != "" {
			parts = append(parts, q)
		}
		return q.shape != ""
	})
	if t.kind == viewing || len(parts) < 2 {
		return qs
	}
	for some := range slices.Chunk(parts, maxParts) {
		rest = append(rest, joinedQuery(&t.s.flushes, some))
	}
	return rest
}

// joinedQuery is one query in place of several.
func joinedQuery(f *flushes, qs []query) query {
	args := qs[0].args[:1:1]
	var key strings.Builder
	shapes := make([]shape, len(qs))
	for i, q := range qs {
		args = append(args, q.args[1:]...)
		shapes[i] = q.shape
		key.WriteString(q.sql + "\x00" + string(q.shape) + "\x00")
	}
	room := roomFor(shapes)
	r := &joinedRow{places: make([][]int, len(qs))}
	for i, s := range shapes {
		r.places[i] = room.places(s)
	}
	return query{
		sql:  f.cached(key.String(), func() string { return joinSQL(qs, room) }),
		args: args,
		each: func(rows pgx.Rows) error {
			at, err := r.load(rows)
			if err != nil {
				return err
			}
			return qs[at].each(r)
		},
		done: func() {
			for _, q := range qs {
				if q.done != nil {
					q.done()
				}
			}
		},
	}
}

// A room is how many columns of each type a joined statement has.
type room map[byte]int

func roomFor(shapes []shape) room {
	all := room{}
	for _, s := range shapes {
		own := room{}
		for i := range len(s) {
			own[slot(s[i])]++
			all[slot(s[i])] = max(all[slot(s[i])], own[slot(s[i])])
		}
	}
	return all
}

// places returns the numbers of the columns that a query's columns go into. The
// first column is the query's number.
func (r room) places(s shape) []int {
	next, at := map[byte]int{}, 1
	for _, slot := range slots {
		next[slot.letter] = at
		at += r[slot.letter]
	}
	places := make([]int, len(s))
	for i := range len(s) {
		places[i] = next[slot(s[i])]
		next[slot(s[i])]++
	}
	return places
}

// joinSQL returns the text of a joined statement.
func joinSQL(qs []query, r room) string {
	var blank []string
	for _, slot := range slots {
		blank = append(blank, slices.Repeat([]string{"NULL::" + slot.typ}, r[slot.letter])...)
	}
	var parts []string
	shift := 0
	for i, q := range qs {
		columns, names := slices.Clone(blank), make([]string, len(q.shape))
		for j, place := range r.places(q.shape) {
			names[j] = "c" + strconv.Itoa(j)
			columns[place-1] = "q." + names[j]
			if q.shape[j] == ofJSON {
				columns[place-1] = "convert_to(q." + names[j] + "::text, 'UTF8')"
			}
		}
		parts = append(parts, "SELECT "+strconv.Itoa(i)+"::integer, "+strings.Join(columns, ", ")+
			" FROM ("+renumber(q.sql, shift)+") AS q("+strings.Join(names, ", ")+")")
		shift += len(q.args) - 1
	}
	return strings.Join(parts, " UNION ALL ")
}

// A joinedRow shows a row of a joined statement as a row of its query.
type joinedRow struct {
	pgx.Rows
	places [][]int // of each query
	fields []pgconn.FieldDescription
	values [][]byte
}

// load takes a row, and returns the number of its query.
func (r *joinedRow) load(rows pgx.Rows) (at int, err error) {
	r.Rows = rows
	fields, values := rows.FieldDescriptions(), rows.RawValues()
	if err := pgx.ScanRow(rows.Conn().TypeMap(), fields[:1], values[:1], &at); err != nil {
		return 0, err
	}
	r.fields, r.values = r.fields[:0], r.values[:0]
	for _, place := range r.places[at] {
		r.fields, r.values = append(r.fields, fields[place]), append(r.values, values[place])
	}
	return at, nil
}

// Scan reads the columns of the query.
func (r *joinedRow) Scan(into ...any) error {
	return pgx.ScanRow(r.Rows.Conn().TypeMap(), r.fields, r.values, into...)
}
