package sqlitestore_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/internal/relation"
)

var update = flag.Bool("update", false, "write migrations/00001_tables.sql")

// definition returns the SQL of a table and its indexes.
func definition(table relation.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n  program INTEGER NOT NULL REFERENCES programs (number),\n", table.Name)
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
		fmt.Fprintf(&b, "CREATE %sINDEX %s ON %s (program, %s%s)", unique, table.Name+"_"+string(ix), table.Name, c.Name, rest)
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
	b.WriteString("-- +goose Up\n\nCREATE TABLE programs (\n  number INTEGER PRIMARY KEY,\n  id TEXT NOT NULL UNIQUE\n) STRICT;\n\n")
	b.WriteString("CREATE TABLE sequences (\n  program INTEGER NOT NULL REFERENCES programs (number),\n  name TEXT NOT NULL,\n  last INTEGER NOT NULL,\n  PRIMARY KEY (program, name)\n) STRICT, WITHOUT ROWID;\n")
	for _, table := range relation.Tables() {
		b.WriteString("\n" + definition(table))
	}
	if err := os.WriteFile("migrations/00001_tables.sql", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
