package tributary_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	exportedName = regexp.MustCompile(`(?m)^func (?:\(.*?\) )?([A-Z]\w*)[\[(]`)
	called       = regexp.MustCompile(`\.([A-Z]\w*)\(`)
	example      = regexp.MustCompile(`(?m)^func Example\w*\(`)
)

// TestGuidesHaveExamples: every function and method of ours that a guide calls is called
// in an Example of go doc, or in a program of examples/, so a reader finds it at work.
func TestGuidesHaveExamples(t *testing.T) {
	ours := map[string]bool{}
	lists, err := os.ReadDir("internal/surface")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		for _, m := range exportedName.FindAllStringSubmatch(read(t, "internal/surface/"+list.Name()), -1) {
			ours[m[1]] = true
		}
	}
	shown, examples := map[string]bool{}, 0
	walkGo(t, func(path, text string) {
		found := len(example.FindAllString(text, -1))
		if examples += found; found == 0 && !slices.Contains(strings.Split(path, "/"), "examples") {
			return
		}
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			shown[m[1]] = true
		}
	})
	if examples < 40 || len(ours) < 200 {
		t.Errorf("%d examples, %d functions and methods", examples, len(ours))
	}
	walkMarkdown(t, func(path, text string) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for _, m := range called.FindAllStringSubmatch(block[2], -1) {
				if block[1] == "go" && ours[m[1]] && !shown[m[1]] {
					t.Errorf("%s calls %s, which no example shows", path, m[1])
				}
			}
		}
	})
}

// TestExamplesCanBeCopied: the programs in the folders examples, of all modules, import no
// internal package, which a copy in another module could not, and nothing but the tests of an
// example imports one. The rehearsal of the release (.ci/rehearse) copies and builds them.
func TestExamplesCanBeCopied(t *testing.T) {
	modules := map[string]bool{} // their folders
	walkGo(t, func(path, text string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(path, "_test.go")
		dir, _, example := strings.Cut("/"+path, "/examples/")
		if example && !test {
			modules[dir] = true
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(name, "/")
			if example && !test && slices.Contains(parts, "internal") {
				t.Errorf("%s imports %s", path, name)
			}
			if slices.Contains(parts, "examples") && !(test && strings.HasSuffix(name, "/"+filepath.ToSlash(filepath.Dir(path)))) {
				t.Errorf("%s imports the example %s", path, name)
			}
		}
	})
	for _, dir := range []string{"", "/pay", "/pgstore"} {
		if !modules[dir] {
			t.Errorf("no examples were found in the module %q", dir)
		}
	}
}
