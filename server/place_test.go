package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// TestRefused: what cannot work ends at once and says why, shows no password, and makes no
// file, so that a program never begins anew because a name is wrong.
func TestRefused(t *testing.T) {
	const secret = "hunter2"
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("text.db", strings.Repeat("no database, but long enough for a header of one. ", 100))
	made(t, "good.db", "")
	made(t, "newer.db", "INSERT INTO tributary_migrations (version_id, is_applied) VALUES (99, 1);")
	down := "postgres://nobody:" + secret + "@127.0.0.1:1/none"
	before := files(t)
	for _, row := range []struct {
		name      string
		args      []string
		variables map[string]string
		code      int
		want      string
	}{
		{"no folder", []string{"-file", "none/program.db"}, nil, 1, "none/program.db: no such file or directory"},
		{"a folder", []string{"-file", "."}, nil, 1, "is a directory"},
		{"no database", []string{"-file", "text.db"}, nil, 1, "not a database"},
		{"a newer file", []string{"-file", "newer.db"}, nil, 1, "a newer version"},
		{"empty flag", []string{"-file", ""}, nil, 1, "-file is set and empty"},
		{"empty flag of a database", []string{"-store", ""}, nil, 1, "-store is set and empty"},
		{"empty variable", nil, map[string]string{fileVariable: ""}, 1, "TRIBUTARY_FILE is set and empty"},
		{"empty variable of a database", nil, map[string]string{storeVariable: ""}, 1, "TRIBUTARY_STORE is set and empty"},
		{"two flags", []string{"-file", "program.db", "-store", down}, nil, 1, "-file and -store are both set"},
		{"two variables", nil, map[string]string{fileVariable: "program.db", storeVariable: down}, 1, "TRIBUTARY_FILE and TRIBUTARY_STORE are both set"},
		{"an empty one beside a flag", []string{"-file", "none/program.db"}, map[string]string{storeVariable: ""}, 1, "none/program.db"},
		{"a URL as a file", []string{"-file", down}, nil, 1, "-file: it is no path"},
		{"a file as a database", []string{"-store", "program.db"}, nil, 1, "-store: it is no connection string"},
		{"a broken URL", []string{"-store", "postgres://u:" + secret + "%zz@h/d"}, nil, 1, "-store: it is no connection string"},
		{"a URL with a slash in its password", []string{"-store", "postgres://u:" + secret + "/x@h/d"}, nil, 1, "-store: it is no connection string"},
		{"a broken port", []string{"-store", "host=h port=" + secret + " password=" + secret}, nil, 1, "-store: it is no connection string"},
		{"database down", []string{"-store", down}, nil, 1, "127.0.0.1:1"},
		{"database of a variable down", nil, map[string]string{storeVariable: down}, 1, "127.0.0.1:1"},
		{"no schema", []string{"-store", down, "-schema", "a b"}, nil, 1, "Config.Schema"},
		{"-normal of a database", []string{"-store", down, "-normal"}, nil, 1, "-normal is for a file"},
		{"copy of a database", []string{"-store", down, "-backup", "copy.db"}, nil, 1, "pg_dump"},
		{"copy of nothing", []string{"-backup", "copy.db"}, nil, 1, "there is no program"},
		{"copy to a file that is there", []string{"-file", "good.db", "-backup", "text.db"}, nil, 1, "text.db"},
		{"two programs", []string{"-key", testKey, "-key", testKey + "2"}, nil, 1, "a store that lasts has one program"},
		{"unknown flag", []string{"-nothing"}, nil, 2, "-nothing"},
		{"argument", []string{"here"}, nil, 2, `unexpected argument "here"`},
		{"help", []string{"-h"}, nil, 0, "-store"},
		{"import without a folder", []string{"import"}, nil, 2, "name the folder"},
		{"import from a folder that is not there", []string{"import", "export"}, nil, 1, "import: "},
		{"import into a database that is down", []string{"import", "-store", down, "export"}, nil, 1, "127.0.0.1:1"},
		{"import into nothing", []string{"import", "-store", "", "export"}, nil, 2, "-store is set and empty"},
		{"help of import", []string{"import", "-h"}, nil, 0, "-discount"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			lookup := func(name string) (string, bool) { value, ok := row.variables[name]; return value, ok }
			args := row.args
			if len(args) == 0 || strings.HasPrefix(args[0], "-") {
				args = append([]string{"-addr", "127.0.0.1:0"}, args...)
			}
			code := run(t.Context(), args, lookup, &out, &out)
			if code != row.code || !strings.Contains(out.String(), row.want) || strings.Contains(out.String(), secret) || strings.Contains(out.String(), "listening") {
				t.Errorf("exit code %d, want %d, and %q:\n%s", code, row.code, row.want, out.String())
			}
			if after := files(t); after != before {
				t.Errorf("the folder has %s, and had %s", after, before)
			}
		})
	}
}

// files lists the working directory.
func files(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// made makes a file with tables, and changes it by a statement.
func made(t *testing.T, path, sql string) {
	t.Helper()
	at := place{file: path}
	store, err := at.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(sql + "PRAGMA journal_mode=DELETE"); err != nil { // no file beside it
		t.Fatal(err)
	}
}
