// Package pasted runs the Go of a page as a reader does who pastes it: all of its
// blocks, in the order of the page, in one file. Its examples run, and what they
// print is compared. It is for tests.
package pasted

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fence = regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```$")

// Run pastes a page into one file and runs it with go test, the vet of go test
// included, in the module of the test. The first block has the package and the
// imports.
func Run(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	for _, block := range fence.FindAllSubmatch(text, -1) {
		file.Write(block[1])
		file.WriteByte('\n')
	}
	if !strings.HasPrefix(file.String(), "package ") {
		t.Fatalf("the first block of %s has no package", page)
	}
	path := filepath.Join(t.TempDir(), "page_test.go")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", path).CombinedOutput()
	if err != nil {
		t.Errorf("the blocks of %s as one file: %v\n%s", page, err, out)
	}
	if strings.Contains(file.String(), "// Output:") && !strings.Contains(string(out), "--- PASS: Example") {
		t.Errorf("no example of %s ran:\n%s", page, out)
	}
}
