package tributary_test

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestFuzzCorpora: every fuzz target has inputs in testdata/fuzz, which every run of
// the tests tries: what a long run has found is not lost with its cache.
func TestFuzzCorpora(t *testing.T) {
	targets := 0
	walkGo(t, func(path, text string) {
		for _, m := range regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`).FindAllStringSubmatch(text, -1) {
			targets++
			folder := filepath.Join(filepath.Dir(path), "testdata", "fuzz", m[1])
			if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) == 0 {
				t.Errorf("%s: %s has no inputs in %s", path, m[1], folder)
			}
		}
	})
	if targets < 30 {
		t.Errorf("%d fuzz targets were found, want all", targets)
	}
}
