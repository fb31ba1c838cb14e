package checks_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TestReadmeBlocks: every Go block of the README and of the guides stands, letter
// for letter, in a test file or an example, so that it is compiled and its output
// compared.
// It is console check 75.
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
// It is console check 75.
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

// TestBadges: what the badges of the README say is so: the Go of go.mod and the one that .ci/run takes
// beside it, the modules that go.mod requires itself, and the licence.
func TestBadges(t *testing.T) {
	mod := read(t, "go.mod")
	goes := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(mod)[1]
	other := regexp.MustCompile(`go` + regexp.QuoteMeta(goes) + `\*\) other=go(\d+\.\d+)`).FindStringSubmatch(read(t, ".ci/run"))[1]
	required := len(regexp.MustCompile(`(?m)^(?:\t|require )\S+ v\S+$`).FindAllString(mod, -1))
	if !strings.Contains(read(t, "LICENSE"), "Apache License") || !strings.Contains(read(t, "LICENSE"), "Version 2.0") {
		t.Error("LICENSE is not that of the badge")
	}
	readme := read(t, "README.md")
	for name, says := range map[string]string{"go": "Go: " + goes + ", " + other, "modules": fmt.Sprint("required modules: ", required), "licence": "licence: Apache-2.0"} {
		file := "docs/pictures/badge-" + name + ".svg"
		if !strings.Contains(readme, "!["+says+"]("+file+")") || !strings.Contains(read(t, file), "<title>"+says+"</title>") {
			t.Errorf("%s and the README do not say %q", file, says)
		}
		for part := range strings.SplitSeq(says, ": ") {
			if !strings.Contains(read(t, file), ">"+part+"</text>") {
				t.Errorf("%s does not show %q", file, part)
			}
		}
	}
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

// goOnly are the reasons of methods that the HTTP API does not offer: errors.json is about
// the wire.
var goOnly = []affiliate.Reason{affiliate.PaymentConflict, affiliate.UnknownRef, affiliate.OtherCurrency}

// TestErrors: httpapi/errors.json has the codes, statuses and texts of the engine's table,
// and no others.
func TestErrors(t *testing.T) {
	const file = "httpapi/errors.json"
	type row struct {
		Code   affiliate.Reason `json:"code"`
		Status int              `json:"status"`
		Texts  []string         `json:"texts"`
	}
	var rows []row
	for _, e := range refusal.Refusals() {
		if slices.Contains(goOnly, e.Reason) {
			continue
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.Code == e.Reason && r.Status == e.Kind.Status() })
		if i < 0 {
			rows, i = append(rows, row{Code: e.Reason, Status: e.Kind.Status()}), len(rows)
		}
		rows[i].Texts = append(rows[i].Texts, e.Message)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.Code, b.Code), a.Status-b.Status) })
	want, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	switch {
	case *update:
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	case read(t, file) != string(want):
		t.Error("it is not the engine's table; run go test ./internal/checks -run TestErrors -update")
	}
}

// TestContractExamples: every key of a JSON example in docs/contract.md is a
// property of the OpenAPI document.
func TestContractExamples(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte(read(t, "httpapi/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	walkJSON(document, func(key string, value any) {
		if properties, ok := value.(map[string]any); ok && key == "properties" {
			for name := range properties {
				known[name] = true
			}
		}
	})
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(read(t, "docs/contract.md"), -1)
	if len(examples) < 20 {
		t.Errorf("%d examples were read, want all", len(examples))
	}
	for _, m := range examples {
		var example any
		if err := json.Unmarshal([]byte(m[1]), &example); err != nil {
			t.Errorf("%v in %s", err, m[1])
		}
		walkJSON(example, func(key string, _ any) {
			if !known[key] {
				t.Errorf("an example has the key %q, which no schema has", key)
			}
		})
	}
}

// walkJSON calls f with every member of every object.
func walkJSON(value any, f func(key string, value any)) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			f(key, v)
			walkJSON(v, f)
		}
	case []any:
		for _, v := range value {
			walkJSON(v, f)
		}
	}
}

// TestMap: every method that the map at the top of package tributary names exists, and
// there are at least 40 examples that are run. The comment of Program has every method.
func TestMap(t *testing.T) {
	var engine strings.Builder
	examples := 0
	walkGo(t, func(path, text string) {
		if !strings.Contains(path, "/") {
			engine.WriteString(text)
		}
		if strings.HasSuffix(path, "_test.go") {
			examples += len(regexp.MustCompile(`(?ms)^func Example\w*\(\) \{.*?^\t// (?:Unordered o|O)utput:`).FindAllString(text, -1))
		}
	})
	named := regexp.MustCompile(`\[Program\.(\w+)\]`).FindAllStringSubmatch(read(t, "doc.go"), -1)
	if len(named) < 40 {
		t.Errorf("the map names %d methods", len(named))
	}
	for _, m := range named {
		if !strings.Contains(engine.String(), "func (p *Program) "+m[1]+"(") {
			t.Errorf("the map names %s, which is no method", m[1])
		}
	}
	_, nouns, _ := strings.Cut(read(t, "tributary.go"), "// By noun:")
	nouns, _, _ = strings.Cut(nouns, "//\n// Its methods")
	for _, m := range regexp.MustCompile(`(?m)^func \(p \*Program\) ([A-Z]\w*)\(`).FindAllStringSubmatch(engine.String(), -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(nouns) {
			t.Errorf("the comment of Program lists %s under no noun", m[1])
		}
	}
	if examples < 40 {
		t.Errorf("%d examples are run", examples)
	}
}

// TestPages: the blocks of these pages compile as pasted, beside what they take from the host.
func TestPages(t *testing.T) {
	pasted.Build(t, map[string]string{
		"docs/answers.md":       "",
		"docs/console.md":       "var sessions map[string]string",
		"docs/import.md":        "",
		"docs/links.md":         linksHost,
		"docs/mail.md":          "",
		"docs/observability.md": "",
		"docs/operations.md":    "",
		"docs/partner-pages.md": "import \"github.com/google/uuid\"\n\nvar sessions map[string]uuid.UUID",
		"docs/retention.md":     "",
		"docs/stores.md":        "",
		"docs/terms.md":         "",
		"docs/testing.md":       "",
	})
}

const linksHost = `
import (
	"net/http"
	"time"
)

type limiter struct {
	most  int
	every time.Duration
	now   func() time.Time
}

func (*limiter) limit(*http.Request) time.Duration { return 0 }
`
