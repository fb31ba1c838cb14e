package pgstore_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/pgstore"
)

// plainFile is the schema of a new database for servers that are not PostgreSQL
// itself: no collation, which such a server may not know, and no block of code.
const plainFile = "plain/schema.sql"

// TestPlainSchema: plain/schema.sql makes the tables, columns, indexes and views
// that the migrations make, the collation aside. -update writes it.
func TestPlainSchema(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	want := plainSchema(t, pool, schema)
	if *update {
		write(t, plainFile, []byte(want))
	}
	kept := string(must(os.ReadFile(plainFile)))
	if kept != want {
		t.Fatalf("%s is not what the migrations make: write it with go test -run TestPlainSchema . -update", plainFile)
	}
	if strings.Contains(kept, "COLLATE") || strings.Contains(kept, "DO $$") {
		t.Error("a collation or a block of code")
	}
	other := schema + "_plain"
	exec(t, pool, strings.NewReplacer("tributary.", other+".", "SCHEMA tributary", "SCHEMA "+other).Replace(kept))
	t.Cleanup(func() { dropSchema(t, pool, other) })
	if again := plainSchema(t, pool, other); again != kept {
		t.Errorf("the file makes another schema than it says:\n%s", again)
	}
	s := newStore(t, pool, pgstore.Config{Schema: other, Mode: pgstore.Serializable})
	shop := &shop{t: t, pool: pool, store: s, plain: newProgram(t, s, [16]byte{15: 9})}
	hotCode(t, shop.plain)
	must(shop.plain.RecordSale(t.Context(), sale(1)))
	shop.books("in the plain schema", 1)
}

// plainSchema writes what the catalog has of a schema as SQL, and the views as the
// migrations do.
func plainSchema(t *testing.T, pool *pgxpool.Pool, schema string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("-- A new, empty schema for a server that speaks PostgreSQL's language and is not\n" +
		"-- PostgreSQL. There, texts have to be compared byte by byte without being told.\n" +
		"-- A test makes this file from the migrations. It can be run once.\n\n" +
		"CREATE SCHEMA tributary;\n")
	tables := strings.Fields(ask(t, pool, `SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname NOT LIKE 'migrations%'`, schema))
	for _, table := range tables {
		columns := ask(t, pool, `SELECT string_agg('  ' || attname || ' ' || replace(replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz'), 'boolean', 'bool')
			|| CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''), E',\n' ORDER BY attnum)
			FROM pg_attribute LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`, schema+"."+table)
		key := ask(t, pool, `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'p'`, schema+"."+table)
		fmt.Fprintf(&b, "\nCREATE TABLE tributary.%s (\n%s,\n  %s\n);\n", table, columns, key)
		b.WriteString(ask(t, pool, `SELECT coalesce(string_agg(replace(replace(pg_get_indexdef(indexrelid), ' USING btree', ''), $2 || '.', 'tributary.') || E';\n', '' ORDER BY indexrelid::regclass::text), '')
			FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`, schema+"."+table, schema))
	}
	have := strings.Fields(ask(t, pool, `SELECT coalesce(string_agg(relname, ' '), '') FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'v'`, schema))
	for name, text := range viewsOf(t) {
		if slices.Contains(have, name) {
			b.WriteString("\n" + text + "\n")
		}
	}
	return b.String()
}

// viewsOf goes through the views of the migrations, the last text of each, in the order of
// their files.
func viewsOf(t *testing.T) func(func(name, text string) bool) {
	t.Helper()
	var names []string
	last := map[string]string{}
	for _, file := range must(fs.Glob(pgstore.Migrations(), "*.sql")) {
		text := string(must(fs.ReadFile(pgstore.Migrations(), file)))
		for _, m := range regexp.MustCompile(`(?s)CREATE OR REPLACE (VIEW tributary\.(\w+) AS.*?;)`).FindAllStringSubmatch(text, -1) {
			if last[m[2]] == "" {
				names = append(names, m[2])
			}
			last[m[2]] = "CREATE " + m[1]
		}
	}
	return func(yield func(string, string) bool) {
		for _, name := range names {
			if !yield(name, last[name]) {
				return
			}
		}
	}
}

// ask returns the only value of a query.
func ask(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) (text string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), sql, args...).Scan(&text); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	return text
}
