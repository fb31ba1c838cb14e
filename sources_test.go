package tributary_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// A heading of a document: "## 3. Coupons and codes", "### 3.2 Redemptions".
	heading = regexp.MustCompile(`(?m)^#+ (\d+(?:\.\d+)*)\.? `)
	// A citation: a document, then its sections: "docs/rules.md 3.2 and 5.5".
	citation = regexp.MustCompile(`(docs/[a-z-]+\.md|\bcontract|\b[Rr]ules?) (\d+(?:\.\d+)*(?:(?:, | and |–)\d+(?:\.\d+)*)*)`)
	section  = regexp.MustCompile(`\d+(?:\.\d+)*`)
	source   = regexp.MustCompile(`(?m)^\s*// Source: ((?:.*[^.\n]\n\s*// )*.*\.)$`)
	// What a source may be beside a document of ours: a published standard, or
	// a decision with its reason.
	otherSource = regexp.MustCompile(`Standard Webhooks|\bours\b`)
)

// TestSources: a "Source:" line names a document in docs and sections that it
// has, a published standard, or says that the decision is ours and why; and no
// comment cites a section that is not there.
func TestSources(t *testing.T) {
	sections := map[string]map[string]bool{}
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range documents {
		text := read(t, path)
		sections[filepath.ToSlash(path)] = map[string]bool{}
		for _, h := range heading.FindAllStringSubmatch(text, -1) {
			sections[filepath.ToSlash(path)][h[1]] = true
		}
	}
	files, sources := 0, 0
	walkGo(t, func(path, text string) {
		files++
		for _, m := range source.FindAllStringSubmatch(text, -1) {
			sources++
			if !strings.Contains(m[1], "docs/") && !otherSource.MatchString(m[1]) {
				t.Errorf("%s: Source: %s names no document", path, m[1])
			}
		}
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			document := documentOf(m[1])
			for _, s := range section.FindAllString(m[2], -1) {
				if !sections[document][s] {
					t.Errorf("%s: %q: %s has no section %s", path, m[0], document, s)
				}
			}
		}
	})
	if files < 100 || sources < 100 {
		t.Errorf("%d files with %d sources were read, want all", files, sources)
	}
}

// documentOf is the document that a citation names, in short or by its path.
func documentOf(name string) string {
	switch name {
	case "contract":
		return "docs/contract.md"
	case "rule", "rules", "Rule", "Rules":
		return "docs/rules.md"
	}
	return name
}

// walkGo calls see with every Go file of the repository, nested modules too.
func walkGo(t *testing.T, see func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			see(filepath.ToSlash(path), read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
