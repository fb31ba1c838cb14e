package pgstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme: the Go code of the README is part of an example that runs. Its imports are looked at by TestPages.
func TestReadme(t *testing.T) {
	readme := string(must(os.ReadFile("README.md")))
	examples := ""
	for _, name := range must(filepath.Glob("example*_test.go")) {
		examples += squeeze(string(must(os.ReadFile(name)))) + "\n"
	}
	blocks := strings.Split(readme, "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no block of Go")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(code, "import (") && !strings.Contains(examples, squeeze(code)) {
			t.Errorf("not in an example:\n%s", code)
		}
	}
}

// squeeze removes the indentation.
func squeeze(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
