package pgtest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// TestFind: a folder with both programs. A folder of PATH wins, and otherwise
// the newest version.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // below the folder of the test; > is a link to
		want  string   // empty: ErrNoServer
	}{
		{"nowhere", nil, ""},
		{"in PATH", []string{"a/initdb", "a/postgres", "lib/15/bin/initdb", "lib/15/bin/postgres"}, "a"},
		{"later in PATH", []string{"a/initdb", "b/initdb", "b/postgres"}, "b"},
		{"linked from PATH", []string{"lib/14/bin/initdb", "lib/14/bin/postgres", "a/initdb>lib/14/bin/initdb"}, "lib/14/bin"},
		{"half in PATH", []string{"a/initdb", "lib/15/bin/initdb", "lib/15/bin/postgres"}, "lib/15/bin"},
		{"the newest", []string{"lib/9/bin/initdb", "lib/9/bin/postgres", "lib/15/bin/initdb", "lib/15/bin/postgres", "lib/14/bin/initdb", "lib/14/bin/postgres"}, "lib/15/bin"},
		{"the newest is the client alone", []string{"lib/14/bin/initdb", "lib/14/bin/postgres", "lib/16/bin/psql"}, "lib/14/bin"},
		{"half", []string{"lib/15/bin/postgres"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range c.files {
				if err := place(root, file); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(root, "a") + string(filepath.ListSeparator) + filepath.Join(root, "b")
			got, err := pgtest.Find(path, filepath.Join(root, "lib"))
			if c.want == "" && (got != "" || !errors.Is(err, pgtest.ErrNoServer)) {
				t.Errorf("found %q, error %v, want ErrNoServer", got, err)
			}
			if c.want != "" && (got != filepath.Join(root, c.want) || err != nil) {
				t.Errorf("found %q, error %v, want %s", got, err, c.want)
			}
		})
	}
}

// place makes a program, or a link to one.
func place(root, file string) error {
	file, target, linked := strings.Cut(file, ">")
	path := filepath.Join(root, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if linked {
		return os.Symlink(filepath.Join(root, target), path)
	}
	return os.WriteFile(path, nil, 0o755)
}

// TestMissing: a test without a server is skipped. It fails in CI, and for
// every other error. The message says what to install.
func TestMissing(t *testing.T) {
	_, none := pgtest.Find("", t.TempDir())
	for _, c := range []struct {
		err  error
		ci   string
		want bool
	}{
		{none, "", true},
		{fmt.Errorf("start: %w", none), "false", true},
		{none, "true", false},
		{errors.New("initdb: exit status 1"), "", false},
	} {
		if got := pgtest.Missing(c.err, c.ci); got != c.want {
			t.Errorf("%v with CI=%q: skipped %v, want %v", c.err, c.ci, got, c.want)
		}
	}
	for _, word := range []string{"install PostgreSQL 14 or later", "apt-get install postgresql", "TRIBUTARY_TEST_DATABASE_URL"} {
		if none == nil || !strings.Contains(none.Error(), word) {
			t.Errorf("error %v does not say %q", none, word)
		}
	}
}
