package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestEachCheckHasATest: each numbered check of importers is a test that says its
// number, and no test says another.
func TestEachCheckHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	tests := map[string]int{}
	for _, path := range files {
		text := must(os.ReadFile(path))
		for _, m := range regexp.MustCompile(`(?m)^func (TestCheck\d+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]]++
		}
	}
	for check := 96; check <= 110; check++ {
		if name := fmt.Sprint("TestCheck", check); tests[name] != 1 {
			t.Errorf("check %d has %d tests %s", check, tests[name], name)
		}
		delete(tests, fmt.Sprint("TestCheck", check))
	}
	for name := range tests {
		t.Errorf("%s is of no check", name)
	}
}
