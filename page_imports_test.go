package tributary_test

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	importLine = regexp.MustCompile(`(?m)^\t"([^"\n]+)"$`)
	selector   = regexp.MustCompile(`(?:^|[^\w.])([a-z]\w*)\.[A-Z]`)
	quoted     = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	remark     = regexp.MustCompile(`//.*`)
	version    = regexp.MustCompile(`/v\d+$`)
)

// importing are the pages whose first block of Go has the imports of the others.
var importing = []string{
	"docs/answers.md", "docs/console.md", "docs/links.md", "docs/partner-pages.md", "docs/payments-*.md", "docs/postgresql.md", "docs/users.md",
}

// isImport reports whether a block has the imports of a page.
func isImport(block string) bool { return strings.HasPrefix(block, "import (") }

// packageOf returns the name of the package at a path.
func packageOf(imported string) string { return path.Base(version.ReplaceAllString(imported, "")) }

// TestPageImports: the blocks of these pages compile as pasted as far as imports go: the first has all
// that the others use, and nothing else.
func TestPageImports(t *testing.T) {
	known := map[string]bool{}
	walkGo(t, func(_, text string) {
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "/internal/") {
				known[packageOf(m[1])] = true
			}
		}
	})
	pages := 0
	for _, pattern := range importing {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			pages++
			checkImports(t, file, known)
		}
	}
	if pages < 14 {
		t.Errorf("only %d pages", pages)
	}
}

func checkImports(t *testing.T, file string, known map[string]bool) {
	t.Helper()
	var has, uses []string
	for i, block := range fence.FindAllStringSubmatch(read(t, file), -1) {
		code := block[2]
		switch {
		case block[1] != "go":
		case isImport(code):
			if has != nil {
				t.Errorf("%s: block %d has imports again", file, i)
			}
			for _, m := range importLine.FindAllStringSubmatch(code, -1) {
				has = append(has, packageOf(m[1]))
			}
		case has == nil:
			t.Errorf("%s: the first block of Go has no imports", file)
			return
		default:
			for _, m := range selector.FindAllStringSubmatch(remark.ReplaceAllString(quoted.ReplaceAllString(code, `""`), ""), -1) {
				if known[m[1]] && !slices.Contains(uses, m[1]) {
					uses = append(uses, m[1])
				}
			}
		}
	}
	slices.Sort(has)
	slices.Sort(uses)
	if !slices.Equal(has, uses) {
		t.Errorf("%s imports %v and uses %v", file, has, uses)
	}
}
