package tributary_test

import (
	"regexp"
	"strings"
	"testing"
)

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
	for _, m := range regexp.MustCompile(`(?m)^func \(p \*Program\) (\w+)\(`).FindAllStringSubmatch(engine.String(), -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(nouns) {
			t.Errorf("the comment of Program lists %s under no noun", m[1])
		}
	}
	if examples < 40 {
		t.Errorf("%d examples are run", examples)
	}
}
