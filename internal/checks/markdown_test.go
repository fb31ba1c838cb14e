package checks_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tributary-go/tributary/internal/pasted"
)

var (
	fence    = regexp.MustCompile("(?ms)^ *```([^\\n]*)\n(.*?)^ *```$")
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	titled   = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	testLink = regexp.MustCompile("\\[`((?:Test|Example|Benchmark|Fuzz)\\w+)`\\]\\(([^)#]+)\\)")
	goRun    = regexp.MustCompile(`(?m)^(?:\$ )?go run (?:-C (\S+) )?\.(?:/(\S+))?`)
)

// walkMarkdown calls see with every Markdown file of the repository.
func walkMarkdown(t *testing.T, see func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".md") {
			see(filepath.ToSlash(path), read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReleased: a page that names what a release brings says that it is there from the first tag on,
// with a link to the one place that a release changes.
func TestReleased(t *testing.T) {
	pages := 0
	walkMarkdown(t, func(path, text string) {
		for _, command := range []string{"go install github.com/tributary-go/", "go get github.com/tributary-go/"} {
			if !strings.Contains(text, command) {
				continue
			}
			pages++
			if before, _, _ := strings.Cut(text, command); !strings.Contains(strings.ToLower(strings.Join(strings.Fields(before), " ")), "from the first [tag](") {
				t.Errorf("%s: %s is not there before the first tag, and the page does not say so", path, command)
			}
		}
	})
	if pages < 4 {
		t.Errorf("%d pages", pages)
	}
}

// TestLinks: every link of every Markdown file to a file of the repository leads to one,
// and its anchor to a heading. A link that names a test leads to the file that has it.
func TestLinks(t *testing.T) {
	links := 0
	walkMarkdown(t, func(path, text string) {
		for _, m := range testLink.FindAllStringSubmatch(text, -1) {
			if file := filepath.Join(filepath.Dir(path), m[2]); !strings.Contains(read(t, file), "func "+m[1]+"(") {
				t.Errorf("%s: %s has no %s", path, file, m[1])
			}
		}
		for _, m := range linked.FindAllStringSubmatch(codeSpan.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), -1) {
			if target := m[1] + m[2]; !strings.Contains(target, "://") && !strings.HasPrefix(target, "mailto:") {
				links++
				follow(t, path, target)
			}
		}
	})
	if links < 100 {
		t.Errorf("%d links: they were not found", links)
	}
}

// follow reports a link that leads nowhere.
func follow(t *testing.T, from, target string) {
	t.Helper()
	name, anchor, _ := strings.Cut(target, "#")
	file := from
	if name != "" {
		file = filepath.Join(filepath.Dir(from), name)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Errorf("%s: %s: %v", from, target, err)
		return
	}
	if anchor == "" {
		return
	}
	if info.IsDir() || !strings.HasSuffix(file, ".md") || !anchors(read(t, file))[anchor] {
		t.Errorf("%s: %s has no heading with this anchor", from, target)
	}
}

// anchors are the anchors that GitHub gives the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range titled.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))] = true
	}
	return found
}

// run names, for each page with commands, the tests that run them: the folder and the
// test. TestCommands finds the programs that "go run" starts.
var run = map[string][]string{
	"README.md":                 {"examples/quickstart TestReport", "httpapi/app TestReadme"},
	"deploy/README.md":          {"server TestContainer", "server TestSettings", "server TestUnits"},
	"docs/command-line.md":      {"client/cmd/tributary TestDay"},
	"docs/embed.md":             {"internal/integration/release TestModules"},
	"docs/guide-chi.md":         {"examples/guides/chi TestGuide"},
	"docs/guide-pocketbase.md":  {"examples/guides/pocketbase TestGuide"},
	"docs/guide-stripe.md":      {"examples/guides/stripe TestGuide"},
	"docs/guide-woocommerce.md": {"server TestWooGuide"},
	"docs/first-steps.md":       {"httpapi/app TestReadme", "httpapi/app TestReadmeEvents", "httpapi/app TestReadmeCommandLine"},
	"docs/import.md":            {"examples/import TestGuide", "examples/import TestGuideCommands"},
	"docs/operations.md":        {"pgstore TestDump", "pgstore TestPointInTime"},
	"docs/payments-generic.md":  {"pay/generic TestGuide"},
	"docs/payments-server.md":   {"server TestProviders"},
	"docs/reconcile.md":         {"server TestReconcile"},
	"docs/postgresql.md":        {"internal/integration/release TestModules"},
	"docs/stores.md":            {"conformance/cmd/conform TestRun"},
	"docs/upgrades.md":          {"server TestUpgrade"},
	"sqlitestore/README.md":     {"sqlitestore/examples/server TestReadme"},
	"server/README.md":          {"server TestNewcomer", "server TestMove", "server TestKeepIt"},
	"pgstore/README.md":         {"pgstore/examples/checkout TestRun", "pgstore/examples/invite TestRun", "pgstore TestReadmeReports"},
	"docs/assistants.md":        {"mcp TestRecorded", "mcp/cmd/tributary-mcp TestStdio", "mcp/cmd/tributary-mcp TestHTTP"},
	"mcp/README.md":             {"mcp/cmd/tributary-mcp TestStdio"},
}

// unrun names the pages whose commands no test runs, and why.
var unrun = map[string]string{
	"CONTRIBUTING.md":    ".ci/run runs the tests",
	"docs/last-place.md": "they are tests and examples, which .ci/run runs",
	"docs/money-back.md": "they are tests and examples, which .ci/run runs",
	"docs/proofs.md":     "they take an hour, and .ci/release runs them",
}

// languages are what a block may be. The page is shown with their colours, and a test
// knows what to do with each: Go is compiled, commands are run, and JSON is read.
var languages = []string{"go", "sh", "console", "json", "http", "sql", "ini", "mermaid", "text", "html", "js", "python", "ruby", "php"}

// scripts are programs in other languages that a page shows whole: TestStandardLibraries runs them.
var scripts = map[string][]string{
	"python": {"internal/integration/languages/testdata/sales.py"}, "ruby": {"internal/integration/languages/testdata/sales.rb"},
	"php": {"internal/integration/languages/testdata/sales.php", "pay/woocommerce/tributary-click.php"},
}

// browsed names the tests that put the HTML and JavaScript of a page into a browser.
var browsed = map[string]string{
	"docs/click-script.md":  "internal/integration/browser TestClickDocument",
	"docs/partner-pages.md": "internal/integration/browser TestEmbedDocument",
}

// pastedPages are the pages whose blocks of Go are one file, with the tests that paste
// them. Of those of TestGuides the examples run from the page. They are all that have Go, but
// README.md, of which TestReadme says that it is a program, and those of programs.
var pastedPages = map[string]string{
	"docs/adapters.md":        "pay TestPages",
	"docs/agentic.md":         "pay TestPages",
	"docs/answers.md":         "internal/checks TestPages",
	"docs/assistants.md":      "mcp TestPages",
	"docs/checkout.md":        "internal/checks TestGuides",
	"docs/console.md":         "internal/checks TestPages",
	"docs/embed.md":           "internal/integration/routers TestGuide",
	"docs/import.md":          "internal/checks TestPages",
	"docs/links.md":           "internal/checks TestPages",
	"docs/mail.md":            "internal/checks TestPages",
	"docs/observability.md":   "internal/checks TestPages",
	"docs/operations.md":      "internal/checks TestPages",
	"docs/partner-pages.md":   "internal/checks TestPages",
	"docs/payments-paddle.md": "pay TestPages",
	"docs/payments-stripe.md": "pay TestPages",
	"docs/payments.md":        "pay TestPages",
	"docs/reconcile.md":       "pay TestPages",
	"docs/payouts.md":         "internal/checks TestGuides",
	"docs/postgresql.md":      "pgstore TestPages",
	"docs/receiver.md":        "pgstore TestReceiverGuide",
	"docs/retention.md":       "internal/checks TestPages",
	"docs/stores.md":          "internal/checks TestPages",
	"docs/terms.md":           "internal/checks TestPages",
	"docs/testing.md":         "internal/checks TestPages",
	"docs/users.md":           "pgstore TestPages",
	"pgstore/README.md":       "pgstore TestPages",
	"sqlitestore/README.md":   "sqlitestore TestPages",
}

// programs has, for each page whose Go is a part of a program, letter for letter, the file of the
// program. A test beside it drives the program as the page does.
var programs = map[string]string{
	"docs/guide-chi.md":        "examples/guides/chi/main.go",
	"docs/guide-pocketbase.md": "examples/guides/pocketbase/main.go",
	"docs/guide-stripe.md":     "examples/guides/stripe/main.go",
}

// TestPrograms: every block of Go of these pages stands in its program.
func TestPrograms(t *testing.T) {
	for page, file := range programs {
		program, blocks := read(t, file), 0
		for _, block := range fence.FindAllStringSubmatch(read(t, page), -1) {
			if block[1] != "go" {
				continue
			}
			if blocks++; !strings.Contains(program, "\n"+block[2]) {
				t.Errorf("%s: %s has no\n%s", page, file, block[2])
			}
		}
		if blocks == 0 || len(run[page]) == 0 {
			t.Errorf("%s has %d blocks of Go, and the tests %v", page, blocks, run[page])
		}
	}
}

// TestGuides: the blocks of these pages are one file that runs as pasted.
func TestGuides(t *testing.T) {
	for page, test := range pastedPages {
		if test == "internal/checks TestGuides" {
			t.Run(filepath.Base(page), func(t *testing.T) { pasted.Run(t, page) })
		}
	}
}

// TestMarkdownBlocks: every block of Go in a Markdown file stands, apart from its
// indentation, in a source of the repository, where it is compiled, or a test runs it
// from the page. Every block has a language that says what it is.
func TestMarkdownBlocks(t *testing.T) {
	var sources strings.Builder
	walkGo(t, func(_, text string) { sources.WriteString(flat(text)) })
	all := sources.String()
	walkMarkdown(t, func(path, text string) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			switch language, text := block[1], block[2]; {
			case !slices.Contains(languages, language):
				t.Errorf("%s: a block of the language %q:\n%s", path, language, text)
			case language == "go" && path != "README.md" && pastedPages[path] == "" && programs[path] == "":
				t.Errorf("no test pastes %s", path)
			case (language == "html" || language == "js") && browsed[path] == "":
				t.Errorf("no test has a browser run %s", path)
			case scripts[language] != nil && !slices.ContainsFunc(scripts[language], func(file string) bool { return text == read(t, file) }):
				t.Errorf("%s shows another program than %v", path, scripts[language])
			case language == "go" && isPasted(text):
				// compiled, and the example run, by the test that pastes the page
			case language == "go" && !strings.Contains(all, flat(text)):
				t.Errorf("%s: no source holds\n%s", path, text)
			case language == "json" && !strings.Contains(text, "…") && !json.Valid([]byte(text)):
				t.Errorf("%s: no JSON:\n%s", path, text)
			}
		}
	})
}

// isPasted reports whether a block of a pasted page needs no source: the head of the file,
// an example that runs, and what the examples begin with.
func isPasted(block string) bool {
	return strings.HasPrefix(block, "package ") || strings.HasPrefix(block, "import (") || strings.HasPrefix(block, "func new") || strings.Contains(block, "// Output:")
}

// flat is a text without its indentation.
func flat(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimSpace(line) + "\n")
	}
	return out.String()
}

// TestCommands: every "go run" of a Markdown file starts a program that exists, and the
// pages with commands or transcripts have the tests that run them.
func TestCommands(t *testing.T) {
	walkMarkdown(t, func(path, text string) {
		shown := false
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for _, m := range goRun.FindAllStringSubmatch(block[2], -1) {
				if dir := filepath.Join(m[1], m[2]); !isProgram(dir) {
					t.Errorf("%s starts %s, which is no program", path, dir)
				}
			}
			shown = shown || block[1] == "console" || block[1] == "sh"
		}
		if named := len(run[path]) > 0 || unrun[path] != ""; shown && !named {
			t.Errorf("%s has commands that no test is named for", path)
		} else if named && !shown {
			t.Errorf("%s has no commands, and tests are named for them", path)
		}
	})
	for path, tests := range run {
		for _, test := range tests {
			hasTest(t, path, test)
		}
	}
	for path, test := range browsed {
		hasTest(t, path, test)
	}
	for path, test := range pastedPages {
		hasTest(t, path, test)
		dir, _, _ := strings.Cut(test, " ")
		up, _ := filepath.Rel(dir, path)
		if dir == "internal/checks" {
			up = path // its tests run in the root
		}
		if test != "internal/checks TestGuides" && !namedIn(t, dir, `"`+filepath.ToSlash(up)+`"`) {
			t.Errorf("%s is not pasted by %s", path, test)
		}
	}
}

// hasTest reports a test, as a folder and a name, that does not exist.
func hasTest(t *testing.T, path, test string) {
	t.Helper()
	dir, name, _ := strings.Cut(test, " ")
	if !namedIn(t, dir, "func "+name) {
		t.Errorf("%s: no %s in %s", path, name, dir)
	}
}

// namedIn reports whether a test file of a folder has a text.
func namedIn(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool { return strings.Contains(read(t, file), text) })
}

// isProgram reports whether a folder has Go files, seen from the root or from the folder
// of a module.
func isProgram(dir string) bool {
	for _, module := range []string{".", "pgstore", "pay", "internal/integration/robustness"} {
		if files, _ := filepath.Glob(filepath.Join(module, dir, "*.go")); len(files) > 0 {
			return true
		}
	}
	return false
}
