package tributary_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeBlocks: every Go block of the README stands, letter for letter, in
// a test file, so that it is compiled and its output compared.
func TestReadmeBlocks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go block")
	}
	sources := testSources(t)
	for _, block := range blocks {
		if !strings.Contains(sources, string(block[1])) {
			t.Errorf("no test file holds this block of the README:\n%s", block[1])
		}
	}
}

// testSources is the text of every test file of the module.
func testSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(raw)
		}
	}
	return all.String()
}

// TestContributing: every file and every test that CONTRIBUTING.md names exists.
func TestContributing(t *testing.T) {
	guide := read(t, "CONTRIBUTING.md")
	var sources strings.Builder
	walkGo(t, func(_, text string) { sources.WriteString(text) })
	for _, m := range regexp.MustCompile("`([a-z_/.]+\\.(?:go|md)|[a-z_/]+/)`").FindAllStringSubmatch(guide, -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("CONTRIBUTING.md names %s: %v", m[1], err)
		}
	}
	for _, name := range regexp.MustCompile("`(Test[A-Z]\\w+)`").FindAllStringSubmatch(guide, -1) {
		if !strings.Contains(sources.String(), "func "+name[1]+"(") {
			t.Errorf("CONTRIBUTING.md names %s, which no test is called", name[1])
		}
	}
}
