package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// parse reads a go.mod of a test.
func parse(t *testing.T, dir, text string) mod {
	t.Helper()
	file, err := modfile.Parse("go.mod", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod{dir, file}
}

const (
	rootMod  = "module example.com/a\n\ngo 1.26\n"
	storeMod = "module example.com/a/store\n\ngo 1.26\n\n// why\nreplace example.com/a => ../\n\nrequire example.com/a v0.0.0\n"
)

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "store"), 0o755); err != nil {
		t.Fatal(err)
	}
	store := parse(t, "store", storeMod)
	if err := store.publish(dir, "v0.1.0", []mod{parse(t, ".", rootMod), store}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "store", "go.mod"))
	if want := "module example.com/a/store\n\ngo 1.26\n\nrequire example.com/a v0.1.0\n"; err != nil || string(got) != want {
		t.Errorf("published %q, error %v, want %q", got, err, want)
	}
}

func TestPublishRefuses(t *testing.T) {
	for _, tt := range []struct{ name, add, says string }{
		{"a replace of something else", "replace example.com/b => ../b\n", "replaces example.com/b"},
		{"an exclude", "exclude example.com/b v1.0.0\n", "excludes a version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := parse(t, ".", storeMod+tt.add)
			err := store.publish(t.TempDir(), "v0.1.0", []mod{parse(t, ".", rootMod), store})
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}

// TestOrdered: a module comes after those that it requires, and a circle is an error.
func TestOrdered(t *testing.T) {
	rooted, store := parse(t, ".", rootMod), parse(t, "store", storeMod)
	sorted, err := ordered([]mod{store, rooted})
	if err != nil || sorted[0].dir != "." || sorted[1].dir != "store" {
		t.Errorf("sorted %v, error %v", sorted, err)
	}
	circle := parse(t, ".", rootMod+"require example.com/a/store v0.0.0\n")
	if _, err := ordered([]mod{store, circle}); err == nil {
		t.Error("a circle is sorted")
	}
}

// TestModules: the modules of this repository that have releases, and no others.
func TestModules(t *testing.T) {
	found, err := modules(root)
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, m := range found {
		tags = append(tags, m.tag("v1.2.3"))
	}
	got := strings.Join(tags, " ")
	if want := "v1.2.3 mcp/v1.2.3 otelaffiliate/v1.2.3 pay/v1.2.3 pgstore/v1.2.3 sqlitestore/v1.2.3 server/v1.2.3"; got != want {
		t.Errorf("tags %s, want %s", got, want)
	}
}

func TestVersionOf(t *testing.T) {
	for _, tt := range []struct{ changelog, want string }{
		{"# Changelog\n\n## [0.2.0] - not tagged yet\n\n## [0.1.0] - 2026-12-01\n", "v0.2.0"},
		{"# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n", ""},
		{"# Changelog\n", ""},
	} {
		if got, err := versionOf(tt.changelog); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("version %q, error %v, want %q", got, err, tt.want)
		}
	}
}
