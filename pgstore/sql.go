package pgstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// Statements are made once for each Store from relation.Tables. The first
// parameter of each one is the program, and every value is a parameter; only
// the quoted schema name is part of the text. Parameters are cast, so that
// pools that do not prepare statements send the right types.

// A tableSQL holds the statements of one table. A statement that reads gives all
// columns of the table in the order of relation.Table.
type tableSQL struct {
	relation.Table
	at    byte   // the place in record.Schema
	name  string // with the schema
	maker tableMaker

	remembered bool        // a Store remembers its records
	ahead      []reference // records that are read together with one of this table

	asks   map[record.Index]askSQL // by id, which has the empty name, and by each unique index
	lists  map[record.Index]string // whole lists of any number of keys
	list   map[listShape]string
	newest string // the record with the highest id; a plan that knows the limit is a better one
	writes [hows]string
	markAt map[record.Index]int // the index of a mark in marks; the mark of the id has the empty name

	// wide is true when the last View that began with a record of this table
	// read more records. Then the next View reads ahead.
	wide atomic.Bool
}

// An askSQL reads the records with an id or a unique key.
type askSQL struct {
	one  string // with the records that it refers to
	many string // any number of keys
	bare string // one, alone

	linksOfOne, linksOfMany string // the links of the affiliates of the records; empty: not wanted
}

// A listShape is the part of a query on which the text of a List statement
// depends.
type listShape struct {
	key   record.Index // empty: the whole table
	after bool
	desc  bool
	limit bool
}

// A reference says that the column of an index holds the id of a record of another
// table. The empty index is the id itself.
type reference struct {
	index record.Index
	table string
}

// references are the records that the engine reads next. They are read together
// with a record in one statement: this costs a join and saves a round trip.
var references = map[string][]reference{
	"affiliates": {{record.OfPlan, "plans"}, {record.OfTier, "tiers"}, {"", "totals"}},
	"links":      {{record.OfAffiliate, "affiliates"}, {"", "totals"}, {record.OfAffiliate, "totals"}},
	"referrals":  {{record.OfAffiliate, "affiliates"}, {"", "totals"}, {record.OfAffiliate, "totals"}},
	"codes":      {{record.OfAffiliate, "affiliates"}, {record.OfCoupon, "coupons"}, {record.OfAffiliate, "totals"}},
}

// statements are all statements of a Store.
type statements struct {
	tables  []*tableSQL
	marks   int    // how many marks there are in all tables
	opening string // reads the row of a program and its endpoints
	closing string // writes the row of a program
	version string // reads the version of a program
	guard   string // the beginning of a joined statement
	joins   joinCounter
	numbers string // reads the counters of a program
	turn    string // locks the row of a program: see [txn.opening]
}

func newStatements(schema string) *statements {
	s := &statements{}
	quoted := pgx.Identifier{schema}.Sanitize() + "."
	prototype := (&unit{}).tx()
	for i, t := range relation.Tables() {
		s.tables = append(s.tables, &tableSQL{
			Table: t, at: byte(i), name: quoted + t.Name,
			maker: t.TableSchema.Table(prototype).(tableMaker), ahead: references[t.Name],
			remembered: remembered[t.Name], asks: map[record.Index]askSQL{},
			lists: map[record.Index]string{}, list: map[listShape]string{},
			markAt: map[record.Index]int{},
		})
	}
	for _, t := range s.tables {
		t.makeReads(s)
		t.makeLists(t.name)
		for how := range hows {
			t.writes[how] = t.writing(how, 2, false)
		}
		for _, ix := range t.risen() {
			t.markAt[ix] = s.marks
			s.marks++
		}
	}
	s.opening = "SELECT p.version, p.sale, p.commission, p.click, p.fence, p.marks, " +
		s.named("endpoints").selected("e.") + " FROM (SELECT $1::uuid AS id) x" +
		" LEFT JOIN " + quoted + "programs p ON p.program = $1::uuid" +
		" LEFT JOIN " + quoted + "endpoints e ON e.program = $1::uuid ORDER BY e.id"
	s.closing = "INSERT INTO " + quoted + "programs (program, version, sale, commission, click, fence, marks)" +
		" VALUES ($1::uuid, $2::uuid, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bytea) ON CONFLICT (program) DO UPDATE" +
		" SET version = EXCLUDED.version, sale = EXCLUDED.sale, commission = EXCLUDED.commission, click = EXCLUDED.click, fence = EXCLUDED.fence, marks = EXCLUDED.marks"
	s.version = "SELECT version FROM " + quoted + "programs WHERE program = $1::uuid"
	s.guard = "WITH guard AS (UPDATE " + quoted +
		"programs SET version = $3::uuid, sale = $4::bigint, commission = $5::bigint, click = $6::bigint, fence = $7::bigint, marks = $8::bytea" +
		" WHERE program = $1::uuid AND version = $2::uuid AND pg_try_advisory_xact_lock($9::bigint) RETURNING program)"
	s.numbers = "SELECT sale, commission, click, fence FROM " + quoted + "programs WHERE program = $1::uuid"
	s.turn = "SELECT 1 FROM " + quoted + "programs WHERE program = $1::uuid FOR UPDATE"
	return s
}

// guardArgs is the number of parameters of guard.
const guardArgs = 9

// named returns the table with a name.
func (s *statements) named(name string) *tableSQL {
	return s.tables[slices.IndexFunc(s.tables, func(t *tableSQL) bool { return t.Name == name })]
}

// column returns the column of an index; that of the empty one is the id.
func (s *tableSQL) column(ix record.Index) *relation.Column {
	return &s.Columns[s.place(ix)]
}

func (s *tableSQL) place(ix record.Index) int {
	if ix == "" {
		return 0
	}
	return s.KeyColumn(ix)
}

// selected returns the columns for a SELECT. t is the alias of the table in the
// statement, with its dot, or empty.
func (s *tableSQL) selected(t string) string {
	return s.each(", ", func(c *relation.Column, _ int) string { return t + c.Name })
}

// each joins a text for each column; n counts them.
func (s *tableSQL) each(separator string, text func(c *relation.Column, n int) string) string {
	texts := make([]string, len(s.Columns))
	for i := range s.Columns {
		texts[i] = text(&s.Columns[i], i)
	}
	return strings.Join(texts, separator)
}

// makeReads makes the statements that read records by their ids or by an index. The
// columns are those of the table, then those of each table that it refers to.
func (s *tableSQL) makeReads(all *statements) {
	s.makeAsk(all, "")
	for _, ix := range s.Indexes {
		if ix.Unique() {
			s.makeAsk(all, ix)
			continue
		}
		s.lists[ix] = "SELECT " + s.selected("t.") + " FROM " + s.unnested(ix) + ", " + s.held(ix, "k.v") + " t"
	}
}

// unnested is the list of the keys of an index, k, that a statement gets as $2.
func (s *tableSQL) unnested(ix record.Index) string {
	return "unnest($2::" + sqlType(s.column(ix).Kind) + "[]) AS k(v)"
}

// held selects the records that hold a key, for each row of what stands before it in FROM. The
// OFFSET keeps the server from making a join of it, whose plan, made while a table was small or
// was never analyzed, reads all of the program.
func (s *tableSQL) held(ix record.Index, key string) string {
	return "LATERAL (SELECT * FROM " + s.name + " WHERE program = $1::uuid AND " + s.column(ix).Name +
		" = " + key + " OFFSET 0)"
}

// makeAsk makes the statements of one index.
//
// The links of the affiliate of a code or referral are read in the same round
// trip, because every event of a sale shows them.
func (s *tableSQL) makeAsk(all *statements, ix record.Index) {
	head, from := "SELECT "+s.selected("t."), " FROM "+s.name+" t"
	var columns, joins strings.Builder
	for i, ref := range s.ahead {
		r, other := fmt.Sprint(" r", i), all.named(ref.table)
		columns.WriteString(", " + other.selected(r[1:]+"."))
		joins.WriteString(" LEFT JOIN " + other.held("", "t."+s.column(ref.index).Name) + r + " ON true")
	}
	c := s.column(ix)
	one := fmt.Sprintf("%s WHERE t.program = $1::uuid AND t.%s = $2::%s", joins.String(), c.Name, sqlType(c.Kind))
	many := " FROM " + s.unnested(ix) + " CROSS JOIN " + s.held(ix, "k.v") + " t"
	ask := askSQL{one: head + columns.String() + from + one,
		many: head + columns.String() + many + joins.String(),
		bare: head + from + strings.TrimPrefix(one, joins.String())}
	if len(s.ahead) > 0 && s.ahead[0].index == record.OfAffiliate && s.Name != "links" {
		links, owners := all.named("links"), "SELECT DISTINCT t."+s.column(record.OfAffiliate).Name+" AS id"
		of := func(source string) string {
			return "SELECT " + links.selected("l.") + " FROM (" + owners + source + ") o, " +
				links.held(record.OfAffiliate, "o.id") + " l"
		}
		ask.linksOfOne, ask.linksOfMany = of(from+strings.TrimPrefix(one, joins.String())), of(many)
	}
	s.asks[ix] = ask
}

// makeLists makes the statements of List: one for each shape, so that the
// server plans each of them.
func (s *tableSQL) makeLists(table string) {
	s.newest = s.listSQL(table, listShape{desc: true}) + " LIMIT 1"
	keys := []record.Index{""}
	for _, ix := range s.Indexes {
		if !ix.Unique() {
			keys = append(keys, ix)
		}
	}
	both := []bool{false, true}
	for _, key := range keys {
		for _, after := range both {
			for _, desc := range both {
				for _, limit := range both {
					shape := listShape{key, after, desc, limit}
					s.list[shape] = s.listSQL(table, shape)
				}
			}
		}
	}
}

// listSQL is the statement of a shape. Its parameters are the program and, if the
// shape has them, the key, after and the limit, in this order.
func (s *tableSQL) listSQL(table string, l listShape) string {
	sql := "SELECT " + s.selected("") + " FROM " + table + " WHERE program = $1::uuid"
	order, than, next := "ASC", ">", 2
	if l.desc {
		order, than = "DESC", "<"
	}
	columns := "program " + order
	if l.key != "" {
		c := s.column(l.key)
		sql += fmt.Sprintf(" AND %s = $%d::%s", c.Name, next, sqlType(c.Kind))
		columns += ", " + c.Name + " " + order
		next++
	}
	if l.after {
		sql += fmt.Sprintf(" AND id %s $%d::uuid", than, next)
		next++
	}
	sql += " ORDER BY " + columns + ", id " + order
	if l.limit {
		sql += fmt.Sprintf(" LIMIT $%d::bigint", next)
	}
	return sql
}

// param returns the SQL of a parameter for a column, one value or an array of them.
func param(c *relation.Column, n int, array string) string {
	if c.Kind == relation.JSON {
		return fmt.Sprintf("$%d::text%s", n, array)
	}
	return fmt.Sprintf("$%d::%s%s", n, sqlType(c.Kind), array)
}

// cast returns what the SQL of a value needs to go into the column.
func cast(c *relation.Column) string {
	if c.Kind == relation.JSON {
		return "::json"
	}
	return ""
}

// sqlType returns the type of a column.
func sqlType(k relation.Kind) string {
	switch k {
	case relation.ID:
		return "uuid"
	case relation.Text:
		return "text"
	case relation.Bool:
		return "boolean"
	case relation.Time:
		return "timestamptz"
	case relation.JSON:
		return "json"
	case relation.Bytes:
		return "bytea"
	}
	return "bigint"
}

// risen returns the indexes whose values rise: that of the id, which is empty, and
// the unique ones of ids.
func (s *tableSQL) risen() []record.Index {
	rising := []record.Index{""}
	for _, ix := range s.Indexes {
		if ix.Unique() && ix.IsID() {
			rising = append(rising, ix)
		}
	}
	return rising
}

// sequences are the counters of a program, in the order of its row.
var sequences = []record.Sequence{record.SaleSequence, record.CommissionSequence,
	record.ClickSequence, record.FenceSequence}

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
