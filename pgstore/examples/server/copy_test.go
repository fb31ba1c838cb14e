package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCanBeCopied: what people copy imports nothing that only this repository may.
func TestCanBeCopied(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}:{{range .Imports}} {{.}}{{end}}`, "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		for path := range strings.FieldsSeq(imports) {
			if strings.HasPrefix(path, "github.com/tributary-go/") && strings.Contains(path, "/internal/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
