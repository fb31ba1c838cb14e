package sqlitestore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/sqlitestore"
)

// ask returns the rows of an answer and the names of its columns. A float is an error.
func ask(tb testing.TB, c *sqlite3.Conn, sql string, values map[string]any) (names []string, rows []twins.Row) {
	tb.Helper()
	stmt, _, err := c.Prepare(sql)
	if err != nil {
		tb.Fatalf("%v:\n%s", err, sql)
	}
	defer stmt.Close()
	for name, value := range values {
		var err error
		switch at := stmt.BindIndex(name); value := value.(type) {
		case string:
			err = stmt.BindText(at, value)
		case int64:
			err = stmt.BindInt64(at, value)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	for i := range stmt.ColumnCount() {
		names = append(names, stmt.ColumnName(i))
	}
	for stmt.Step() {
		row := twins.Row{}
		for i, name := range names {
			switch stmt.ColumnType(i) {
			case sqlite3.NULL:
			case sqlite3.FLOAT:
				tb.Errorf("%s is the float %s", name, stmt.ColumnText(i))
			default:
				row[name] = stmt.ColumnText(i)
			}
		}
		rows = append(rows, row)
	}
	if err := stmt.Err(); err != nil {
		tb.Fatalf("%v:\n%s", err, sql)
	}
	return names, rows
}

// reader opens a file as somebody who reads it beside the program.
func reader(tb testing.TB, path string) *sqlite3.Conn {
	tb.Helper()
	c := must(sqlite3.Open("file:" + path + "?mode=ro"))
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// TestReports: the views say the same as the engine and the records, whatever the
// program has been through.
func TestReports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{Sync: sqlitestore.Normal})
	c := reader(t, path)
	twins.Views(t, store, func(view string, program uuid.UUID) []twins.Row {
		_, rows := ask(t, c, "SELECT * FROM tributary_"+view+" WHERE program = :program", map[string]any{":program": program.String()})
		return rows
	})
}

// TestViews: docs/tables.md lists the columns of every view.
func TestViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	open(t, path, sqlitestore.Config{})
	c := reader(t, path)
	page := string(must(os.ReadFile(filepath.Join("..", "docs", "tables.md"))))
	_, rows := ask(t, c, "SELECT name FROM sqlite_schema WHERE type = 'view'", nil)
	columns := twins.ViewColumns(page)
	for _, row := range rows {
		names, _ := ask(t, c, "SELECT * FROM "+row["name"], nil)
		said := append([]string{"program"}, columns[strings.TrimPrefix(row["name"], "tributary_")]...)
		if diff := cmp.Diff(names, said); diff != "" {
			t.Errorf("%s (-view +page):\n%s", row["name"], diff)
		}
	}
	if len(rows) != len(columns) {
		t.Errorf("%d views, the page has %d", len(rows), len(columns))
	}
}

// TestSums: what the file adds up is what the engine adds up.
func TestSums(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	twins.Sums(t, store)
	twins.SumsBefore1970(t, store)
}

// TestSumPlans: a table that a sum is joined with is found by a whole key, never walked for each
// row: its program alone is no key.
func TestSumPlans(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	plan, err := store.PlanOfSum(t.Context(), record.Sum{Table: "movements", Add: []string{"amount"},
		By: []string{"redemptions.coupon_id", "sales.product", "clicks.full_landing_url", "referrals.initial_landing_page"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"redemptions", "sales", "clicks", "referrals"} {
		found := slices.IndexFunc(plan, func(line string) bool { return strings.HasPrefix(line, "SEARCH "+table+" USING") })
		if found < 0 || !strings.Contains(plan[found], "program=? AND ") {
			t.Errorf("%s: %q", table, plan)
		}
	}
}

// TestSaleSums: so it is for the sales that a query selects.
func TestSaleSums(t *testing.T) {
	twins.SaleSums(t, open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal}))
}
