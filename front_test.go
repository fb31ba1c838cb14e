package tributary_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestPackagesAreNamed: the table of docs/README.md names every package that others may
// import.
func TestPackagesAreNamed(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/README.md"), "| Package |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, dir := range publicPackages(t) {
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + dir + "`").MatchString(table) {
			t.Errorf("the table of docs/README.md has no %s", dir)
		}
	}
}

// dials is how a package makes connections of its own.
var dials = regexp.MustCompile(`http\.(?:Client\{|DefaultClient|DefaultTransport|Get\(|Post\()|net\.(?:Dialer\{|Dial\()|pgxpool\.New|pgx\.Connect`)

// TestConnectionsAreNamed: SECURITY.md names every package that connects to anybody by
// itself. Programs are not packages, and pgstore takes the pool of the host.
func TestConnectionsAreNamed(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "SECURITY.md"), "There is no telemetry.")
	text, _, _ = strings.Cut(text, "\n\n")
	found := 0
	public := map[string]bool{}
	for _, dir := range publicPackages(t) {
		public[dir] = true
	}
	walkGo(t, func(file, source string) {
		if dir := path.Dir(file); public[dir] && !strings.HasSuffix(file, "_test.go") && dials.MatchString(source) {
			found++
			if !strings.Contains(text, "`"+dir+"`") {
				t.Errorf("SECURITY.md does not say that %s connects by itself: %s", dir, file)
			}
		}
	})
	if found < 4 {
		t.Errorf("%d files make connections: they were not found", found)
	}
}
