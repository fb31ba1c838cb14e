package pgstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
)

// Statements are made once for each Store from affiliate.Schema. Every one of
// them names the program first, and every value is a parameter; the schema name
// alone is part of the text, quoted. Parameters are cast, so that pools which
// do not prepare statements send the right types.

// A tableSQL is the statements of one table.
type tableSQL struct {
	name    string
	indexes []affiliate.Index
	ahead   []reference // records that are read with one of this table

	get      string
	find     map[affiliate.Index]string
	list     map[listShape]string
	probe    string                  // by id and by every unique key
	insert   string                  // any number of rows
	replace  string                  // any number of rows whose keys stay
	rekey    string                  // one row with its keys
	unkey    string                  // takes the unique keys off any number of rows
	remove   string                  // any number of rows
	uniqueAt map[affiliate.Index]int // among the queries of probe
	markAt   map[affiliate.Index]int // among the marks; that of the id is empty
}

// A listShape is what the text of a List depends on.
type listShape struct {
	key   affiliate.Index // empty: the whole table
	after bool
	desc  bool
}

// A reference leads from a column to the record of another table with that id.
type reference struct {
	column string
	table  string
}

// references are read together with a record in one statement: what the engine
// asks for next. It costs a join and saves a round trip.
var references = map[string][]reference{
	"affiliates": {{"of_plan", "plans"}, {"of_tier", "tiers"}, {"id", "totals"}},
	"links":      {{"of_affiliate", "affiliates"}, {"id", "totals"}, {"of_affiliate", "totals"}},
	"referrals":  {{"of_affiliate", "affiliates"}, {"id", "totals"}, {"of_affiliate", "totals"}},
	"codes":      {{"of_coupon", "coupons"}, {"of_affiliate", "affiliates"}, {"of_affiliate", "totals"}},
}

// statements are all of a Store's.
type statements struct {
	tables   []tableSQL
	opening  string // counters and marks of a program
	counters string // its counters alone
	marks    int    // columns of opening that are ids
	number   string // sets a counter
	block    string // reserves numbers
	check    string // fails where the tables are missing
}

func newStatements(schema string) *statements {
	s := &statements{}
	quoted := pgx.Identifier{schema}.Sanitize() + "."
	at := 0
	for _, t := range affiliate.Schema() {
		table := newTableSQL(quoted, t)
		for _, column := range marked(t) {
			table.markAt[affiliate.Index(strings.TrimPrefix(column, "id"))] = at
			at++
		}
		s.tables = append(s.tables, table)
	}
	counters := countersSQL(quoted)
	marks := marksSQL(quoted)
	s.counters, s.marks = "SELECT "+strings.Join(counters, ", "), len(marks)
	s.opening = "SELECT " + strings.Join(append(counters, marks...), ", ")
	s.number = "INSERT INTO " + quoted + "sequences (program, name, value) VALUES ($1::uuid, $2::text, $3::bigint)" +
		" ON CONFLICT (program, name) DO UPDATE SET value = EXCLUDED.value"
	s.block = "INSERT INTO " + quoted + "sequences AS s (program, name, value) VALUES ($1::uuid, $2::text, $3::bigint)" +
		" ON CONFLICT (program, name) DO UPDATE SET value = s.value + EXCLUDED.value RETURNING value"
	s.check = "SELECT value FROM " + quoted + "sequences WHERE program = $1::uuid LIMIT 1"
	return s
}

func newTableSQL(schema string, t affiliate.TableSchema) tableSQL {
	s := tableSQL{
		name: t.Name, indexes: t.Indexes, ahead: references[t.Name],
		find: map[affiliate.Index]string{}, list: map[listShape]string{}, uniqueAt: map[affiliate.Index]int{}, markAt: map[affiliate.Index]int{},
	}
	table := schema + t.Name
	one := s.selectAhead(schema) + " WHERE t.program = $1::uuid AND "
	s.get = one + "t.id = $2::uuid"
	probe := "SELECT id, record FROM " + table + " WHERE program = $1::uuid AND "
	probes := []string{probe + "id = $2::uuid"}
	var blanks []string
	for _, ix := range t.Indexes {
		if !ix.Unique() {
			continue
		}
		s.uniqueAt[ix] = len(probes)
		s.find[ix] = one + fmt.Sprintf("t.%s = $2::%s", ix, sqlType(ix))
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

// selectAhead selects a record with those it refers to.
func (s *tableSQL) selectAhead(schema string) string {
	var columns, joins strings.Builder
	for i, ref := range s.ahead {
		fmt.Fprintf(&columns, ", t.%s, r%d.record", ref.column, i)
		fmt.Fprintf(&joins, " LEFT JOIN %s%s r%d ON r%d.program = $1::uuid AND r%d.id = t.%s", schema, ref.table, i, i, i, ref.column)
	}
	return "SELECT t.id, t.record" + columns.String() + " FROM " + schema + s.name + " t" + joins.String()
}

// makeLists makes the statements of List. A parameter that a shape lacks is not
// in its text: the limit is $2, then key and after.
func (s *tableSQL) makeLists(table string) {
	keys := []affiliate.Index{""}
	for _, ix := range s.indexes {
		if !ix.Unique() {
			keys = append(keys, ix)
		}
	}
	for _, key := range keys {
		for _, after := range []bool{false, true} {
			for _, desc := range []bool{false, true} {
				s.list[listShape{key, after, desc}] = listSQL(table, key, after, desc)
			}
		}
	}
}

func listSQL(table string, key affiliate.Index, after, desc bool) string {
	sql := "SELECT id, record FROM " + table + " WHERE program = $1::uuid"
	order, than, next := "ASC", ">", 3
	if desc {
		order, than = "DESC", "<"
	}
	columns := "program " + order
	if key != "" {
		sql += fmt.Sprintf(" AND %s = $%d::%s", key, next, sqlType(key))
		columns += ", " + string(key) + " " + order
		next++
	}
	if after {
		sql += fmt.Sprintf(" AND id %s $%d::uuid", than, next)
	}
	return sql + " ORDER BY " + columns + ", id " + order + " LIMIT $2::bigint"
}

// makeWrites makes the statements of the flush. Rows come as one array for
// each column.
func (s *tableSQL) makeWrites(table string) {
	columns, values, arrays := []string{"program", "id"}, []string{"$1::uuid", "v.id"}, []string{"$2::uuid[]"}
	names, sets := []string{"id"}, []string{}
	for i, ix := range s.indexes {
		columns, values, names = append(columns, string(ix)), append(values, "v."+string(ix)), append(names, string(ix))
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+3, sqlType(ix)))
		sets = append(sets, fmt.Sprintf("%s = $%d::%s", ix, i+4, sqlType(ix)))
	}
	columns, values, names = append(columns, "record"), append(values, "v.record::json"), append(names, "record")
	arrays = append(arrays, fmt.Sprintf("$%d::text[]", len(s.indexes)+3))
	s.insert = fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS v(%s)", table,
		strings.Join(columns, ", "), strings.Join(values, ", "), strings.Join(arrays, ", "), strings.Join(names, ", "))
	s.replace = "UPDATE " + table + " AS t SET record = v.record::json FROM unnest($2::uuid[], $3::text[]) AS v(id, record)" +
		" WHERE t.program = $1::uuid AND t.id = v.id"
	s.rekey = "UPDATE " + table + " SET " + strings.Join(append(sets, "record = $3::text::json"), ", ") +
		" WHERE program = $1::uuid AND id = $2::uuid"
	s.remove = "DELETE FROM " + table + " WHERE program = $1::uuid AND id = ANY($2::uuid[])"
}

// countersSQL reads the counters of a program.
func countersSQL(schema string) []string {
	var columns []string
	for _, seq := range sequences {
		columns = append(columns, fmt.Sprintf("(SELECT value FROM %ssequences WHERE program = $1::uuid AND name = '%s')", schema, seq))
	}
	return columns
}

// marksSQL reads, for each table, its last id and its last key of each unique
// index of ids: what is above a mark is not there yet.
func marksSQL(schema string) []string {
	var columns []string
	for _, t := range affiliate.Schema() {
		for _, column := range marked(t) {
			columns = append(columns, fmt.Sprintf("(SELECT %s FROM %s%s WHERE program = $1::uuid AND %s IS NOT NULL ORDER BY program DESC, %s DESC LIMIT 1)",
				column, schema, t.Name, column, column))
		}
	}
	return columns
}

// marked are the columns of a table whose values rise.
func marked(t affiliate.TableSchema) []string {
	columns := []string{"id"}
	for _, ix := range t.Indexes {
		if ix.Unique() && ix.IsID() {
			columns = append(columns, string(ix))
		}
	}
	return columns
}

func sqlType(ix affiliate.Index) string {
	if ix.IsID() {
		return "uuid"
	}
	return "text"
}

// sequences are the counters of a program, in the order of countersSQL.
var sequences = []affiliate.Sequence{affiliate.SaleSequence, affiliate.CommissionSequence, affiliate.ClickSequence}

// uniques are the unique indexes of a table.
func (s *tableSQL) uniques() []affiliate.Index {
	return slices.DeleteFunc(slices.Clone(s.indexes), func(ix affiliate.Index) bool { return !ix.Unique() })
}
