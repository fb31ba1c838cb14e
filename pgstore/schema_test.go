package pgstore_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/relation"
	"github.com/tributary-go/tributary/pgstore"
)

var update = flag.Bool("update", false, "write migrations/00001_tables.sql and plain/schema.sql")

const firstMigration = `-- +goose NO TRANSACTION
-- +goose Up
-- One table for each type of records, with a column for each field and for each key of
-- an index that no field holds. docs/tables.md says what they hold. Every step can be
-- run again. Keys and indexes begin with the program, and texts are compared byte by
-- byte.

-- The counters of a program, and the highest ids that it has stored. Every transaction
-- that writes gives it another version.
CREATE TABLE IF NOT EXISTS tributary.programs (
  program uuid NOT NULL,
  version uuid NOT NULL,
  sale bigint NOT NULL,
  commission bigint NOT NULL,
  click bigint NOT NULL,
  fence bigint NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (program)
);

-- The ids of the webhooks that a receiver has handled. They belong to no program,
-- because one receiver may get the webhooks of several.
CREATE TABLE IF NOT EXISTS tributary.dedup (
  id text COLLATE "C" PRIMARY KEY,
  done_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS dedup_done_at ON tributary.dedup (done_at);
`

// lastOfFirst compresses what is long quickly, where the server can.
const lastOfFirst = `
-- Long payloads and answers are compressed by lz4 where the server has it.
-- +goose StatementBegin
DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    ALTER TABLE tributary.events ALTER COLUMN payload SET COMPRESSION lz4;
    ALTER TABLE tributary.receipts ALTER COLUMN answer SET COMPRESSION lz4;
  END IF;
END $$;
-- +goose StatementEnd
`

// tablesSQL returns the first migration.
func tablesSQL() string {
	var b strings.Builder
	b.WriteString(firstMigration)
	for _, table := range relation.Tables() {
		fmt.Fprintf(&b, "\n-- %s\nCREATE TABLE IF NOT EXISTS tributary.%s (\n  program uuid NOT NULL,\n", table.Doc, table.Name)
		for _, c := range table.Columns {
			b.WriteString("  " + c.Name + " " + columnType(c))
			if c.Kind == relation.Text {
				b.WriteString(` COLLATE "C"`)
			}
			if !c.Null {
				b.WriteString(" NOT NULL")
			}
			b.WriteString(",\n")
		}
		b.WriteString("  PRIMARY KEY (program, id)\n);\n")
		for _, ix := range indexesOf(table) {
			fmt.Fprintf(&b, "CREATE %sINDEX IF NOT EXISTS %s ON tributary.%s (%s) WHERE %s IS NOT NULL;\n", ix.unique, ix.name,
				table.Name, ix.columns, ix.where)
		}
	}
	b.WriteString(lastOfFirst)
	return b.String()
}

// columnType is the type of a column of the first migration.
func columnType(c relation.Column) string {
	return map[relation.Kind]string{
		relation.ID: "uuid", relation.Text: "text", relation.Integer: "bigint", relation.Bool: "boolean", relation.Money: "bigint",
		relation.Percent: "bigint", relation.Time: "timestamptz", relation.JSON: "json", relation.Bytes: "bytea",
	}[c.Kind]
}

// An index of a table. It leaves out rows whose column is null, also where none can be: so only a
// query for its key can use it. The plan of any other, made while the table was small, would read all
// of the program by it.
type index struct{ unique, name, columns, where string }

func indexesOf(table relation.Table) (all []index) {
	for _, ix := range table.Indexes {
		c := table.Columns[table.KeyColumn(ix)]
		i := index{name: table.Name + "_" + string(ix), columns: "program, " + c.Name + ", id", where: c.Name}
		if ix.Unique() {
			i.unique, i.columns = "UNIQUE ", "program, "+c.Name
		}
		all = append(all, i)
	}
	return all
}

// TestFirstMigration: the first migration makes the tables of the description. -update
// writes it. Once there is a release it stands as it is, and a change of the
// description has a migration of its own.
func TestFirstMigration(t *testing.T) {
	if *update {
		write(t, "migrations/00001_tables.sql", []byte(tablesSQL()))
	}
}

// TestMigrations: the tables that the migrations make have exactly the columns, types
// and indexes of the description.
func TestMigrations(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	lines := func(sql string, args ...any) map[string]bool {
		found := map[string]bool{}
		for _, line := range must(pgx.CollectRows(must(pool.Query(t.Context(), sql, args...)), pgx.RowTo[string])) {
			found[line] = true
		}
		return found
	}
	for _, table := range relation.Tables() {
		want := map[string]bool{"program uuid not null": true}
		for _, c := range table.Columns {
			line := c.Name + " " + strings.Replace(columnType(c), "timestamptz", "timestamp with time zone", 1)
			if c.Kind == relation.Text {
				line += " C"
			}
			if !c.Null {
				line += " not null"
			}
			want[line] = true
		}
		got := lines(`SELECT column_name || ' ' || data_type || coalesce(' ' || collation_name, '') || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
			FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2`, schema, table.Name)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: columns (-want +got):\n%s", table.Name, d)
		}
		want = map[string]bool{"UNIQUE " + table.Name + "_pkey (program, id)": true}
		for _, ix := range indexesOf(table) {
			want[ix.unique+ix.name+" ("+ix.columns+") WHERE ("+ix.where+" IS NOT NULL)"] = true
		}
		got = lines(`SELECT CASE WHEN indexdef LIKE 'CREATE UNIQUE%' THEN 'UNIQUE ' ELSE '' END || indexname || substring(indexdef from ' \(.*')
			FROM pg_indexes WHERE schemaname = $1 AND tablename = $2`, schema, table.Name)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: indexes (-want +got):\n%s", table.Name, d)
		}
	}
}

// TestMigrateTogether: many processes may migrate an empty database at once,
// and each step is applied once.
func TestMigrateTogether(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "together"})
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA together CASCADE"); err != nil {
			t.Error(err)
		}
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	wg.Wait()
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate again: %v", err)
	}
	var steps, files int
	must(0, pool.QueryRow(t.Context(), "SELECT count(*) FROM together.migrations WHERE version_id > 0").Scan(&steps))
	err := fs.WalkDir(s.Migrations(), ".", func(_ string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || steps != files || files == 0 {
		t.Errorf("%d steps of %d files, error %v", steps, files, err)
	}
}

// TestMigrateCut cuts the connection of a migration after each thing that it
// sends; a short run, after every 29th. Run again, it finishes.
func TestMigrateCut(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	var cut atomic.Int64
	wired := wiredPool(t, &cut)
	step := int64(1)
	if testing.Short() {
		step = 29
	}
	for n := int64(1); ; n += step {
		schema := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
		cut.Store(n)
		err := newStore(t, wired, pgstore.Config{Schema: schema}).Migrate(t.Context())
		through := cut.Swap(0) > 0
		if err == nil && through {
			dropSchema(t, pool, schema)
			t.Attr("server", fmt.Sprintf("a migration cut after each of %d messages to the server, in steps of %d: the next one finishes it", n-step, step))
			if n < 20 {
				t.Errorf("a migration sends more than %d things", n)
			}
			return
		}
		// The process is gone, and its lock with it when its time is over: the server
		// has noticed by then.
		noBackends(t, pool, wired)
		_, _ = pool.Exec(t.Context(), fmt.Sprintf(`DELETE FROM "%s".migrations_lock`, schema))
		s := newStore(t, pool, pgstore.Config{Schema: schema})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatalf("cut %d: run again: %v", n, err)
		}
		p := newProgram(t, s, uuid.UUID{15: 1})
		hotCode(t, p)
		must(p.RecordSale(t.Context(), sale(1)))
		if err := p.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		dropSchema(t, pool, schema)
	}
}

// noBackends closes what is left of a pool, and waits until the server runs nothing
// of it, also what a connection sent before it was cut.
func noBackends(t *testing.T, pool, gone *pgxpool.Pool) {
	t.Helper()
	gone.Reset()
	name := gone.Config().ConnConfig.RuntimeParams["application_name"]
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var left int
		must(0, pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, name).Scan(&left))
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the server still has %d connections of %s", left, name)
		}
	}
}

// TestMigrateOld: tables of before the first release are refused, and stay as they are.
func TestMigrateOld(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "old"})
	exec(t, pool, "CREATE SCHEMA old; CREATE TABLE old.affiliates (program uuid, id uuid, record json NOT NULL, PRIMARY KEY (program, id))")
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA old CASCADE") })
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "before the first release") {
		t.Errorf("error %v", err)
	}
	if tables := ask(t, pool, "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'old'::regnamespace AND relkind = 'r'"); tables != "affiliates" {
		t.Errorf("the schema has %s", tables)
	}
}

// TestMigrateNewer: tables that a newer version has made are refused, and a step that is known is none.
func TestMigrateNewer(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "newer"})
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA newer CASCADE") })
	for range 2 {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, pool, "INSERT INTO newer.migrations (version_id, is_applied) VALUES (99990101000000, true)")
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "a newer version") {
		t.Errorf("error %v", err)
	}
}

// TestUnreadable: a row that no record has is an error, and never an empty record.
func TestUnreadable(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(t.Context(), sale(1)))
	for column, value := range map[string]string{"status": "'LATER'", "commissions": `'{"a":1}'`, "given_as_null": "'later'"} {
		exec(t, pool, fmt.Sprintf("BEGIN; ALTER TABLE test_%[1]s.sales ADD kept %[3]s; UPDATE test_%[1]s.sales SET kept = %[2]s, %[2]s = %[4]s; COMMIT",
			schemaID(), column, map[bool]string{true: "json", false: "text"}[column == "commissions"], value))
		_, err := s.plain.Sale(t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), "a stored record cannot be read") {
			t.Errorf("%s is %s: error %v", column, value, err)
		}
		exec(t, pool, fmt.Sprintf("UPDATE test_%[1]s.sales SET %[2]s = kept; ALTER TABLE test_%[1]s.sales DROP kept", schemaID(), column))
	}
	s.books("as before", 1)
}

// TestMigrationsByHand: the files are plain SQL and can be run again.
func TestMigrationsByHand(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "by_hand"})
	exec(t, pool, "CREATE SCHEMA by_hand")
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA by_hand CASCADE") })
	files := must(fs.Glob(s.Migrations(), "*.sql"))
	for range 2 {
		for _, name := range files {
			exec(t, pool, string(must(fs.ReadFile(s.Migrations(), name))))
		}
	}
	if err := must(tributary.New(s, tributary.Config{})).Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if plain := string(must(fs.ReadFile(pgstore.Migrations(), files[0]))); !strings.Contains(plain, " tributary.codes") {
		t.Error("the default files are not for the schema tributary")
	}
}

// TestStatements: the first parameter of every statement is the program, and no
// statement contains a value of a request.
func TestStatements(t *testing.T) {
	s := newStore(t, newPool(t, "postgres://nowhere.example/none"), pgstore.Config{Schema: "order"})
	for _, sql := range s.Statements() {
		if !strings.Contains(sql, "program = $1::uuid") && !strings.Contains(sql, "(program, ") {
			t.Errorf("no program in: %s", sql)
		}
		if !strings.Contains(sql, `"order".`) || strings.Contains(strings.ReplaceAll(sql, "'UTF8'", ""), "'") {
			t.Errorf("the schema is not quoted, or there is a literal, in: %s", sql)
		}
	}
}

// TestConfig: New refuses an invalid Config.
func TestConfig(t *testing.T) {
	pool := newPool(t, "postgres://nowhere.example/none")
	for _, cfg := range []pgstore.Config{
		{Schema: "Upper"}, {Schema: "1st"}, {Schema: "a b"}, {Schema: `a"b`}, {Schema: "a;b"}, {Schema: strings.Repeat("x", 64)},
		{Mode: 2}, {Retries: -1}, {Group: -1}, {CommitWait: -1},
	} {
		if _, err := pgstore.New(pool, cfg); err == nil {
			t.Errorf("New(%+v): no error", cfg)
		}
	}
	if _, err := pgstore.New(nil, pgstore.Config{}); err == nil {
		t.Error("New without a pool: no error")
	}
}

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
