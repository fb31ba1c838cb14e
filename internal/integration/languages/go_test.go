package languages

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/oapi-codegen/runtime"       // of what is generated
	_ "github.com/oapi-codegen/runtime/types" // likewise
)

// TestGo: oapi-codegen makes a client of the document, it compiles, and its calls get
// what they should. Twelve fields take a number or a text; the generator knows no such
// type, so the test takes their types away first, as an overlay of the document would.
func TestGo(t *testing.T) {
	dir := t.TempDir()
	document, generated := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "api.go")
	if n := widened(t, document); n == 0 || n > 20 {
		t.Errorf("%d fields have two types", n)
	}
	run(t, "go", "tool", "oapi-codegen", "-config", "testdata/oapi.yaml", "-o", generated, document)

	place, err := filepath.Abs("testdata/calls/api/api.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	write(t, overlay, map[string]any{"Replace": map[string]string{place: generated}})
	got := run(t, "go", "run", "-overlay", overlay, "./testdata/calls", serve(t), key)
	if want := "200 ada@example.com\n400 This link already exists for this affiliate program\n200 true\n"; got != want {
		t.Errorf("the calls print %q, want %q", got, want)
	}
}

// run runs a command and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Stderr = t.Output()
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// widened writes the document without the types of fields that take several, and
// returns how many there are.
func widened(t *testing.T, path string) (n int) {
	t.Helper()
	raw, err := os.ReadFile("../../../httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, element := range node {
				walk(element)
			}
		case map[string]any:
			kinds, _ := node["type"].([]any)
			if len(slices.DeleteFunc(slices.Clone(kinds), func(kind any) bool { return kind == "null" })) > 1 {
				delete(node, "type")
				n++
			}
			for _, member := range node {
				walk(member)
			}
		}
	}
	walk(document)
	write(t, path, document)
	return n
}

func write(t *testing.T, path string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
