package sqlitestore_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/relation"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
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

// TestCopy: programs that every call was made on are the same in a file, and again in
// memory.
func TestCopy(t *testing.T) {
	one, two := memstore.New(), memstore.New()
	file := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
	for _, p := range twins.All(t, one, &now) {
		id := p.Config().ID
		for _, way := range []struct{ from, to record.Store }{{one, file}, {file, two}} {
			n := must(router.Copy(t.Context(), way.from, way.to, id))
			if same, err := router.Compare(t.Context(), one, way.to, id); same != n || n < 50 || err != nil {
				t.Errorf("%d records, %d are the same, error %v", n, same, err)
			}
		}
		if err := p.With(two).Verify(t.Context()); err != nil {
			t.Errorf("Verify: %v", err)
		}
	}
}

// moverFolder has the folder of files for a process that records sales in a program,
// which it moves from file to file all the time, until it is killed.
const moverFolder = "TRIBUTARY_MOVER_FOLDER"

var files = []string{"a.db", "b.db", "c.db"}

// openAll opens the files of a folder behind a router.
func openAll(folder string, stores func(path string) (*sqlitestore.Store, error)) (*router.Store, error) {
	cfg := router.Config{Patience: 500 * time.Millisecond}
	for _, name := range files {
		store, err := stores(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		cfg.Stores = append(cfg.Stores, router.NamedStore{Name: name, Store: store})
	}
	return router.New(cfg)
}

func moveForever(folder string) error {
	ctx := context.Background()
	r, err := openAll(folder, func(path string) (*sqlitestore.Store, error) {
		return sqlitestore.Open(ctx, path, sqlitestore.Config{Sync: sqlitestore.Normal})
	})
	if err != nil {
		return err
	}
	go func() {
		for n := 0; ; n++ {
			if err := r.Move(ctx, programID, files[n%len(files)]); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	return sellOn(ctx, r)
}

// TestKillMover: a process that moves a program from file to file is killed. Another one
// goes on; no sale is lost or doubled, and the program is in one file.
// TRIBUTARY_KILLS is the number of times; a release has 500.
func TestKillMover(t *testing.T) {
	folder := t.TempDir()
	var stores []record.Store
	r := must(openAll(folder, func(path string) (*sqlitestore.Store, error) {
		store := open(t, path, sqlitestore.Config{Sync: sqlitestore.Normal})
		stores = append(stores, store)
		return store, nil
	}))
	p := newProgram(t, r)
	furnish(t, p)
	kills, recorded := number("TRIBUTARY_KILLS", 5), 0
	homes := map[string]int{}
	for i := range kills {
		orders := start(t, moverFolder, folder).kill(t, 1+7*i%60)
		recorded += len(orders)
		homes[must(r.Home(t.Context(), programID))]++
		books(t, p, orders)
		must(0, r.Move(t.Context(), programID, must(r.Home(t.Context(), programID))))
		full := 0
		for _, store := range stores {
			if records(t, store) > 0 {
				full++
			}
		}
		if full != 1 {
			t.Errorf("%d files have the program", full)
		}
	}
	t.Logf("%d kills, %d sales, found in %v", kills, recorded, homes)
}

// records counts the records of the program.
func records(t *testing.T, store record.Store) (n int) {
	t.Helper()
	err := store.View(t.Context(), programID, func(tx *record.Tx) error {
		n = 0
		for _, table := range record.Schema() {
			for _, err := range table.In(tx).List(record.Query{}) {
				if n++; err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
