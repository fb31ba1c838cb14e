package pay_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// last is the highest number of the acceptance checks of payments and of what goes to the provider.
const last = 95

// TestChecks: each acceptance check of payments is one row of a table of checks,
// with its number, a name and a function; run makes a sub-test of each.
func TestChecks(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\t+\{(\d+), "[^"]+", func\(t \*testing\.T\) \{`)
	found := map[int]string{}
	for _, pattern := range []string{"*/checks_*_test.go", "*/*/checks_*_test.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range row.FindAllSubmatch(text, -1) {
				n, _ := strconv.Atoi(string(m[1]))
				if found[n] != "" {
					t.Errorf("check %d is in %s and in %s", n, found[n], path)
				}
				found[n] = path
			}
		}
	}
	for n := 1; n <= last; n++ {
		if found[n] == "" {
			t.Errorf("check %d has no test", n)
		}
	}
	if len(found) != last {
		t.Errorf("%d checks are tested, want %d", len(found), last)
	}
}
