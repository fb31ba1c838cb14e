package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBuild: the database has the reports as they are, a row for each module
// with the version that fixes it, and the date.
func TestBuild(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	a := `{"id":"GO-1","aliases":["CVE-1"],"affected":[
		{"package":{"name":"stdlib"},"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.2.0"},{"introduced":"1.3.0-0"},{"fixed":"1.3.1"}]}]},
		{"package":{"name":"a.example/m"},"ranges":[{"events":[{"introduced":"0"}]}]}]}`
	b := `{"id":"GO-2","affected":[{"package":{"name":"stdlib"},"ranges":[]}]}`
	for name, text := range map[string]string{"GO-1.json": a, "GO-2.json": b, "README": "no report"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, err := run(from, "2026-01-02", to)
	if err != nil || n != 2 {
		t.Fatalf("%d reports, error %v", n, err)
	}
	for file, want := range map[string]string{
		"ID/GO-1.json":  a,
		"index/db.json": `{"modified":"2026-01-02T00:00:00Z"}`,
		"index/modules.json": `[{"path":"a.example/m","vulns":[{"id":"GO-1","modified":"2026-01-02T00:00:00Z"}]},` +
			`{"path":"stdlib","vulns":[{"id":"GO-1","modified":"2026-01-02T00:00:00Z","fixed":"1.3.1"},{"id":"GO-2","modified":"2026-01-02T00:00:00Z"}]}]`,
		"index/vulns.json": `[{"id":"GO-1","modified":"2026-01-02T00:00:00Z","aliases":["CVE-1"]},{"id":"GO-2","modified":"2026-01-02T00:00:00Z"}]`,
	} {
		got, err := os.ReadFile(filepath.Join(to, file))
		if err != nil || string(got) != want {
			t.Errorf("%s is\n%s, want\n%s, error %v", file, got, want, err)
		}
	}
}

// TestBuildNothing: a folder without reports is refused, because a database that
// is empty finds nothing.
func TestBuildNothing(t *testing.T) {
	if _, err := run(t.TempDir(), "2026-01-02", t.TempDir()); err == nil {
		t.Error("an empty database was made")
	}
	if _, err := run(t.TempDir(), "", t.TempDir()); err == nil {
		t.Error("a database without a date was made")
	}
}
