package tributary_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeBlocks: every Go block of the README and of the guides stands, letter
// for letter, in a test file or an example, so that it is compiled and its output
// compared.
// It is check 75 of console.md.
func TestReadmeBlocks(t *testing.T) {
	sources := testSources(t)
	for _, name := range []string{"README.md", "docs/observability.md", "docs/console.md", "docs/partner-pages.md", "docs/payments-stripe.md"} {
		blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, name), -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no Go block", name)
		}
		for _, block := range blocks {
			if strings.HasPrefix(block[1], "import (") {
				continue // TestPages compiles the page
			}
			if !strings.Contains(sources, block[1]) {
				t.Errorf("no test file holds this block of %s:\n%s", name, block[1])
			}
		}
	}
}

// TestReadmeTranscript: what the first steps show of the command line stands in the page
// whose commands are run.
// It is check 75 of console.md.
func TestReadmeTranscript(t *testing.T) {
	page := read(t, "docs/command-line.md")
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(read(t, "docs/first-steps.md"), -1)
	if len(blocks) == 0 {
		t.Error("the page shows no command line")
	}
	for _, block := range blocks {
		if !strings.Contains(page, block[1]) {
			t.Errorf("docs/command-line.md does not have\n%s", block[1])
		}
	}
}

// testSources is the text of every test file of the module and of every example.
func testSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "*/*/*_test.go", "examples/*/*.go"} {
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

// TestReadme: the README can be read: 130 lines and 1,000 words at most. Its program is
// examples/embed.
func TestReadme(t *testing.T) {
	text := read(t, "README.md")
	if lines, words := strings.Count(text, "\n"), len(strings.Fields(text)); lines > 130 || words > 1000 {
		t.Errorf("the README has %d lines and %d words", lines, words)
	}
	_, program, _ := strings.Cut(read(t, "examples/embed/main.go"), "\npackage main\n")
	if !strings.Contains(text, "```go\npackage main\n"+program+"```") {
		t.Error("the program of the README is not that of examples/embed")
	}
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
