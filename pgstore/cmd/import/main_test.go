package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/examples/cluster"
)

// database is the connection string of a database with the tables.
func database(t *testing.T) string {
	t.Helper()
	server, err := cluster.Start(t.Context(), true)
	if cluster.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	pool, err := pgxpool.New(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.Config{Schema: "tributary"})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return server.URL()
}

// TestImport: a dry run writes nothing and has the report of the import; the
// import again finds everything.
func TestImport(t *testing.T) {
	t.Setenv("TRIBUTARY_STORE", database(t))
	folder := filepath.Join("..", "..", "..", "examples", "import", "testdata", "csv")
	reports := map[string]string{}
	for _, step := range []struct{ name, write, verify, end string }{
		{"dry run", "-write=false", "-verify", "a dry run: nothing was written; add -write to import\n"},
		{"import", "-write", "-verify=false", ""},
		{"again", "-write", "-verify", "the books hold\n"},
	} {
		var out strings.Builder
		code := run(t.Context(), []string{step.write, step.verify, folder}, &out, t.Output())
		report, ok := strings.CutSuffix(out.String(), step.end)
		if code != 3 || !ok { // a row of the export is left out
			t.Fatalf("%s: exit code %d\n%s", step.name, code, out.String())
		}
		reports[step.name] = report
	}
	if !strings.HasPrefix(reports["import"], "created: affiliates 2 coupons 2 payouts 2 referrals 1 sales 4\n") || reports["dry run"] != reports["import"] {
		t.Errorf("dry run:\n%s\nimport:\n%s", reports["dry run"], reports["import"])
	}
	if !strings.HasPrefix(reports["again"], "created:\nexisting: affiliates 3 coupons 2 payouts 2 referrals 1 sales 4\n") {
		t.Errorf("again:\n%s", reports["again"])
	}
}

// TestWrongCalls: each says what is wrong, and ends with an exit code.
func TestWrongCalls(t *testing.T) {
	t.Setenv("TRIBUTARY_STORE", "")
	down := "postgres://localhost:1/shop?connect_timeout=1"
	for name, c := range map[string]struct {
		args []string
		code int
		text string
	}{
		"no folder":    {nil, 2, "name the folder"},
		"no database":  {[]string{"x"}, 2, "name the database"},
		"no number":    {[]string{"-store", "postgres://localhost:port", "x"}, 1, "import: "},
		"store down":   {[]string{"-store", down, filepath.Join("..", "..", "..", "examples", "import", "testdata", "csv")}, 1, "connect"},
		"wrong schema": {[]string{"-store", down, "-schema", "", "x"}, 1, "import: "},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.text) {
				t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
			}
		})
	}
}
