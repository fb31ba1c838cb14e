package pgstore_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/internal/relation"
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
			fmt.Fprintf(&b, "CREATE %sINDEX IF NOT EXISTS %s ON tributary.%s (%s)", ix.unique, ix.name, table.Name, ix.columns)
			if ix.where != "" {
				fmt.Fprintf(&b, " WHERE %s IS NOT NULL", ix.where)
			}
			b.WriteString(";\n")
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

// An index of a table. Where a column may be null, its index leaves such rows out.
type index struct{ unique, name, columns, where string }

func indexesOf(table relation.Table) (all []index) {
	for _, ix := range table.Indexes {
		c := table.Columns[table.KeyColumn(ix)]
		i := index{name: table.Name + "_" + string(ix), columns: "program, " + c.Name + ", id"}
		if ix.Unique() {
			i.unique, i.columns = "UNIQUE ", "program, "+c.Name
		}
		if c.Null {
			i.where = c.Name
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
			line := ix.unique + ix.name + " (" + ix.columns + ")"
			if ix.where != "" {
				line += " WHERE (" + ix.where + " IS NOT NULL)"
			}
			want[line] = true
		}
		got = lines(`SELECT CASE WHEN indexdef LIKE 'CREATE UNIQUE%' THEN 'UNIQUE ' ELSE '' END || indexname || substring(indexdef from ' \(.*')
			FROM pg_indexes WHERE schemaname = $1 AND tablename = $2`, schema, table.Name)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: indexes (-want +got):\n%s", table.Name, d)
		}
	}
}
