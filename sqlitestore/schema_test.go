package sqlitestore_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/internal/relation"
	"github.com/tributary-go/tributary/sqlitestore"
)

var update = flag.Bool("update", false, "write migrations/00001_tables.sql, and the answers in docs/queries.md")

// definition returns the SQL of a table and its indexes.
func definition(table relation.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE tributary_%s (\n  program INTEGER NOT NULL REFERENCES tributary_programs (number),\n", table.Name)
	for _, c := range table.Columns {
		fmt.Fprintf(&b, "  %s %s", c.Name, sqlType(c.Kind))
		if !c.Null {
			b.WriteString(" NOT NULL")
		}
		if c.Kind == relation.Bool {
			fmt.Fprintf(&b, " CHECK (%s IN (0, 1))", c.Name)
		}
		b.WriteString(",\n")
	}
	b.WriteString("  PRIMARY KEY (program, id)\n) STRICT;\n")
	for _, ix := range table.Indexes {
		c := table.Columns[table.KeyColumn(ix)]
		unique, rest := "", ", id"
		if ix.Unique() {
			unique, rest = "UNIQUE ", ""
		}
		fmt.Fprintf(&b, "CREATE %sINDEX tributary_%s_%s ON tributary_%s (program, %s%s)", unique, table.Name, ix, table.Name, c.Name, rest)
		if c.Null {
			fmt.Fprintf(&b, " WHERE %s IS NOT NULL", c.Name)
		}
		b.WriteString(";\n")
	}
	return b.String()
}

func sqlType(k relation.Kind) string {
	switch k {
	case relation.ID, relation.Text, relation.JSON:
		return "TEXT"
	case relation.Bytes:
		return "BLOB"
	}
	return "INTEGER"
}

// TestFirstMigration writes the first migration from the description. Once there is a
// release it stands as it is.
func TestFirstMigration(t *testing.T) {
	if !*update {
		t.Skip("-update writes it")
	}
	var b strings.Builder
	b.WriteString("-- +goose Up\n\nCREATE TABLE tributary_programs (\n  number INTEGER PRIMARY KEY,\n  id TEXT NOT NULL UNIQUE\n) STRICT;\n\n")
	b.WriteString("CREATE TABLE tributary_sequences (\n  program INTEGER NOT NULL REFERENCES tributary_programs (number),\n  name TEXT NOT NULL,\n  last INTEGER NOT NULL,\n  PRIMARY KEY (program, name)\n) STRICT, WITHOUT ROWID;\n")
	b.WriteString("\nCREATE TABLE tributary_dedup (\n  id TEXT PRIMARY KEY,\n  done_at INTEGER NOT NULL\n) STRICT, WITHOUT ROWID;\nCREATE INDEX tributary_dedup_done ON tributary_dedup (done_at);\n")
	for _, table := range relation.Tables() {
		b.WriteString("\n" + definition(table))
	}
	must(0, os.WriteFile("migrations/00001_tables.sql", []byte(b.String()), 0o644))
}

// TestSchema: the tables of a file have the columns and the indexes of the description,
// whatever migrations made them.
func TestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	open(t, path, sqlitestore.Config{})
	c := must(sqlite3.Open("file:" + path))
	defer c.Close()
	lines := func(sql string) (all []string) {
		stmt, _, err := c.Prepare(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer stmt.Close()
		for stmt.Step() {
			all = append(all, stmt.ColumnText(0))
		}
		slices.Sort(all)
		return all
	}
	for _, table := range relation.Tables() {
		columns, indexes := []string{"program INTEGER 1"}, []string{"sqlite_autoindex_tributary_" + table.Name + "_1 1 program,id"}
		for _, c := range table.Columns {
			columns = append(columns, fmt.Sprint(c.Name, " ", sqlType(c.Kind), " ", map[bool]int{true: 0, false: 1}[c.Null]))
		}
		for _, ix := range table.Indexes {
			column := table.Columns[table.KeyColumn(ix)].Name
			if ix.Unique() {
				indexes = append(indexes, fmt.Sprintf("tributary_%s_%s 1 program,%s", table.Name, ix, column))
			} else {
				indexes = append(indexes, fmt.Sprintf("tributary_%s_%s 0 program,%s,id", table.Name, ix, column))
			}
		}
		slices.Sort(columns)
		slices.Sort(indexes)
		if diff := cmp.Diff(columns, lines("SELECT concat(name, ' ', type, ' ', \"notnull\") FROM pragma_table_info('tributary_"+table.Name+"')")); diff != "" {
			t.Errorf("%s (-description +file):\n%s", table.Name, diff)
		}
		if diff := cmp.Diff(indexes, lines("SELECT concat(l.name, ' ', l.\"unique\", ' ', (SELECT group_concat(name) FROM pragma_index_info(l.name))) FROM pragma_index_list('tributary_"+table.Name+"') l")); diff != "" {
			t.Errorf("%s, indexes (-description +file):\n%s", table.Name, diff)
		}
	}
}
