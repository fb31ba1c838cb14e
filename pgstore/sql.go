package pgstore

import (
	"cmp"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Statements are made once for each Store from record.Schema. The first
// parameter of each one is the program, and every value is a parameter; only
// the quoted schema name is part of the text. Parameters are cast, so that
// pools that do not prepare statements send the right types.

// A tableSQL holds the statements of one table.
type tableSQL struct {
	name    string
	indexes []record.Index
	maker   tableMaker
	form    *form
	ahead   []reference // records that are read together with one of this table

	asks     map[record.Index]askSQL // by id, which has the empty name, and by each unique index
	lists    map[record.Index]string // whole lists of any number of keys
	list     map[listShape]string
	probe    string               // by id and by every unique key
	insert   string               // one row
	inserts  string               // many
	replace  string               // one record whose keys stay
	replaces string               // many
	rekey    string               // one row with its keys
	rekeys   string               // many
	unkey    string               // clears the unique keys of any number of rows
	removes  string               // any number of rows
	old      string               // rows that the version before stored; empty: there are none
	uniqueAt map[record.Index]int // the number of the index's query in probe
	markAt   map[record.Index]int // the index of a mark in marks; the mark of the id has the empty name

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

// A reference says that a column holds the id of a record of another table.
type reference struct {
	column string
	table  string
}

// references are the records that the engine reads next. They are read together
// with a record in one statement: this costs a join and saves a round trip.
var references = map[string][]reference{
	"affiliates": {{"of_plan", "plans"}, {"of_tier", "tiers"}, {"id", "totals"}},
	"links":      {{"of_affiliate", "affiliates"}, {"id", "totals"}, {"of_affiliate", "totals"}},
	"referrals":  {{"of_affiliate", "affiliates"}, {"id", "totals"}, {"of_affiliate", "totals"}},
	"codes":      {{"of_affiliate", "affiliates"}, {"of_coupon", "coupons"}, {"of_affiliate", "totals"}},
}

// statements are all statements of a Store.
type statements struct {
	tables  []*tableSQL
	marks   int    // how many marks there are in all tables
	opening string // reads the row of a program and its endpoints
	closing string // writes the row of a program
	turn    string // locks the row of a program: see [txn.opening]
}

func newStatements(schema string) *statements {
	s, forms := &statements{}, forms()
	quoted := pgx.Identifier{schema}.Sanitize() + "."
	prototype, at := (&unit{}).tx(), 0
	for _, t := range record.Schema() {
		table := newTableSQL(quoted, t, forms[t.Name])
		table.maker = t.Table(prototype).(tableMaker)
		for _, column := range marked(t) {
			table.markAt[record.Index(strings.TrimPrefix(column, "id"))] = at
			at++
		}
		s.tables = append(s.tables, table)
	}
	s.marks = at
	s.opening = "SELECT p.sale, p.commission, p.click, p.marks, e.id, e.record FROM (SELECT $1::uuid AS id) x" +
		" LEFT JOIN " + quoted + "programs p ON p.program = $1::uuid" +
		" LEFT JOIN " + quoted + "endpoints e ON e.program = $1::uuid ORDER BY e.id"
	s.closing = "INSERT INTO " + quoted + "programs (program, sale, commission, click, marks)" +
		" VALUES ($1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::bytea) ON CONFLICT (program) DO UPDATE" +
		" SET sale = EXCLUDED.sale, commission = EXCLUDED.commission, click = EXCLUDED.click, marks = EXCLUDED.marks"
	s.turn = "SELECT 1 FROM " + quoted + "programs WHERE program = $1::uuid FOR UPDATE"
	return s
}

func newTableSQL(schema string, t record.TableSchema, f *form) *tableSQL {
	if f == nil {
		f = asJSON
	}
	s := &tableSQL{
		name: t.Name, indexes: t.Indexes, form: f, ahead: references[t.Name],
		asks: map[record.Index]askSQL{}, lists: map[record.Index]string{}, list: map[listShape]string{},
		uniqueAt: map[record.Index]int{}, markAt: map[record.Index]int{},
	}
	table := schema + t.Name
	s.makeAsk(schema, "")
	probe := "SELECT id, " + s.form.stored("") + " FROM " + table + " WHERE program = $1::uuid AND "
	probes := []string{probe + "id = $2::uuid"}
	var blanks []string
	for _, ix := range t.Indexes {
		if !ix.Unique() {
			s.lists[ix] = fmt.Sprintf("SELECT id, %s, %s FROM %s WHERE program = $1::uuid AND %s = ANY($2::%s[]) ORDER BY id", s.form.stored(""), ix, table, ix, sqlType(ix))
			continue
		}
		s.makeAsk(schema, ix)
		s.uniqueAt[ix] = len(probes)
		probes = append(probes, probe+fmt.Sprintf("%s = $%d::%s", ix, len(probes)+2, sqlType(ix)))
		blanks = append(blanks, string(ix)+" = NULL")
	}
	s.probe = strings.Join(probes, " UNION ALL ")
	if len(blanks) > 0 {
		s.unkey = "UPDATE " + table + " SET " + strings.Join(blanks, ", ") + " WHERE program = $1::uuid AND id = ANY($2::uuid[])"
	}
	s.makeLists(table)
	s.makeWrites(table)
	return s
}

// makeAsk makes the statements that read records by an index, or by their ids.
// The columns are the id, the record and the key, then each reference and the
// record that it refers to.
//
// The links of the affiliate of a code or referral are read in the same round
// trip, because every event of a sale shows them.
func (s *tableSQL) makeAsk(schema string, ix record.Index) {
	column := cmp.Or(string(ix), "id")
	head := "SELECT t.id, " + s.form.stored("t.") + ", t." + column
	from := " FROM " + schema + s.name + " t"
	var columns, joins strings.Builder
	for i, ref := range s.ahead {
		fmt.Fprintf(&columns, ", t.%s, r%d.record", ref.column, i)
		fmt.Fprintf(&joins, " LEFT JOIN %s%s r%d ON r%d.program = $1::uuid AND r%d.id = t.%s", schema, ref.table, i, i, i, ref.column)
	}
	one := fmt.Sprintf(" WHERE t.program = $1::uuid AND t.%s = $2::%s", column, sqlType(ix))
	many := fmt.Sprintf(" WHERE t.program = $1::uuid AND t.%s = ANY($2::%s[])", column, sqlType(ix))
	ahead := head + columns.String() + from + joins.String()
	ask := askSQL{one: ahead + one, many: ahead + many, bare: head + from + one}
	if len(s.ahead) > 0 && s.ahead[0].column == "of_affiliate" && s.name != "links" {
		links := "SELECT l.id, l.record, l.of_affiliate FROM " + schema + "links l WHERE l.program = $1::uuid AND l.of_affiliate IN (SELECT t.of_affiliate" + from
		ask.linksOfOne, ask.linksOfMany = links+one+") ORDER BY l.id", links+many+") ORDER BY l.id"
	}
	s.asks[ix] = ask
}

// makeLists makes the statements of List: one for each shape, so that the
// server plans each of them.
func (s *tableSQL) makeLists(table string) {
	keys := []record.Index{""}
	for _, ix := range s.indexes {
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
					s.list[shape] = shape.sql(table, s.form.stored(""))
				}
			}
		}
	}
}

// sql is the statement of a shape. Its parameters are the program and, if the
// shape has them, the key, after and the limit, in this order.
func (l listShape) sql(table, stored string) string {
	sql := "SELECT id, " + stored + " FROM " + table + " WHERE program = $1::uuid"
	order, than, next := "ASC", ">", 2
	if l.desc {
		order, than = "DESC", "<"
	}
	columns := "program " + order
	if l.key != "" {
		sql += fmt.Sprintf(" AND %s = $%d::%s", l.key, next, sqlType(l.key))
		columns += ", " + string(l.key) + " " + order
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

// makeWrites makes the statements of the flush: for one row, and for many rows
// with one array for each column.
func (s *tableSQL) makeWrites(table string) {
	id := column{"id", "uuid"}
	keys := []column{id}
	for _, ix := range s.indexes {
		keys = append(keys, column{string(ix), sqlType(ix)})
	}
	row, record := newColumns(append(keys, s.form.columns...)), newColumns(append([]column{id}, s.form.columns...))
	into := "INSERT INTO " + table + " (program, " + row.names + ") "
	s.insert = into + "VALUES ($1::uuid, " + row.params + ")"
	s.inserts = into + "SELECT $1::uuid, " + row.joined + " FROM " + row.unnest
	s.replace, s.replaces = s.updates(table, record)
	s.rekey, s.rekeys = s.updates(table, row)
	if s.form.codec != nil {
		s.old = "SELECT id, convert_to(record_json::text, 'UTF8') FROM " + table + " WHERE program = $1::uuid AND id > $2::uuid" +
			" AND record_json IS NOT NULL ORDER BY program, id LIMIT $3::bigint FOR UPDATE SKIP LOCKED"
	}
	s.removes = "DELETE FROM " + table + " WHERE program = $1::uuid AND id = ANY($2::uuid[])"
}

// updates are the statements that write columns of one row and of many.
func (s *tableSQL) updates(table string, c columns) (one, many string) {
	clear := ""
	if s.form.codec != nil {
		clear = ", record_json = NULL"
	}
	one = "UPDATE " + table + " SET " + c.set + clear + " WHERE program = $1::uuid AND id = $2::uuid"
	many = "UPDATE " + table + " AS t SET " + c.setJoined + clear + " FROM " + c.unnest + " WHERE t.program = $1::uuid AND t.id = v.id"
	return one, many
}

// columns is the SQL of some columns, the id first. The parameters of their
// values begin with the second.
type columns struct {
	names     string // a, b
	params    string // $2::uuid, $3::text::json
	joined    string // v.a, v.b::json
	unnest    string // unnest($2::uuid[], $3::text[]) AS v(a, b)
	set       string // b = $3::text::json: without the id
	setJoined string // b = v.b::json
}

func newColumns(all []column) columns {
	var names, params, joined, arrays, sets, setsJoined []string
	for i, c := range all {
		names = append(names, c.name)
		arrays = append(arrays, c.param(i+2, "[]"))
		params = append(params, c.param(i+2, "")+c.cast())
		joined = append(joined, "v."+c.name+c.cast())
		sets = append(sets, c.name+" = "+params[i])
		setsJoined = append(setsJoined, c.name+" = "+joined[i])
	}
	list := func(parts []string) string { return strings.Join(parts, ", ") }
	return columns{
		names: list(names), params: list(params), joined: list(joined),
		unnest: "unnest(" + list(arrays) + ") AS v(" + list(names) + ")",
		set:    list(sets[1:]), setJoined: list(setsJoined[1:]),
	}
}

// marked returns the columns of a table whose values rise.
func marked(t record.TableSchema) []string {
	columns := []string{"id"}
	for _, ix := range t.Indexes {
		if ix.Unique() && ix.IsID() {
			columns = append(columns, string(ix))
		}
	}
	return columns
}

func sqlType(ix record.Index) string {
	if ix.IsID() {
		return "uuid"
	}
	return "text"
}

// sequences are the counters of a program, in the order of its row.
var sequences = []record.Sequence{record.SaleSequence, record.CommissionSequence, record.ClickSequence}
