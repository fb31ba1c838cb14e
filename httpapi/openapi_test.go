package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.json")

// TestOpenAPI: the document that is served is the one that the tables make.
func TestOpenAPI(t *testing.T) {
	raw, err := plainJSON(draft(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if *update {
		if err := os.WriteFile("openapi.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), openAPI) {
		t.Errorf("openapi.json is not what the tables make, from line %d on; run go test ./httpapi -run OpenAPI -update", differsFrom(b.Bytes(), openAPI))
	}
}

// differsFrom is the first line in which two texts differ.
func differsFrom(a, b []byte) int {
	left, right := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			return i + 1
		}
	}
	return min(len(left), len(right)) + 1
}
