package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/memstore"
)

var update = flag.Bool("update", false, "write openapi.json")

// TestOpenAPI: the handler serves exactly the document that is made from the
// tables.
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

// TestOpenAPIOperations: the document has every route, and nothing else.
func TestOpenAPIOperations(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	inDocument, served := map[string]bool{}, map[string]bool{}
	for path, methods := range doc.Paths {
		for method := range methods {
			inDocument[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, r := range documented() {
		served[r.method+" "+r.under+r.path] = true
	}
	if diff := cmp.Diff(served, inDocument); diff != "" {
		t.Errorf("routes (-) and operations of the document (+):\n%s", diff)
	}
}

// TestOpenAPIServed: byte for byte, with a key only, and HEAD without a body.
func TestOpenAPIServed(t *testing.T) {
	p, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const key = "test-key-of-this-suite"
	h, err := New(p, Config{APIKeys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, target, key string
		status                    int
		body                      []byte
	}{
		{"OK", http.MethodGet, "/api/v1/openapi.json", key, http.StatusOK, openAPI},
		{"HEAD", http.MethodHead, "/api/v1/openapi.json", key, http.StatusOK, nil},
		{"no key", http.MethodGet, "/api/v1/openapi.json", "", http.StatusUnauthorized, []byte(`{"error":"Unauthorized"}`)},
		{"bad query", http.MethodGet, "/api/v1/openapi.json?a=%zz", key, http.StatusBadRequest, []byte(`{"error":"Invalid query string"}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.target, nil)
			if c.key != "" {
				r.Header.Set("Authorization", "Bearer "+c.key)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || !bytes.Equal(w.Body.Bytes(), c.body) {
				t.Errorf("%d with %d bytes, want %d with %d", w.Code, w.Body.Len(), c.status, len(c.body))
			}
			got := []string{w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"), w.Header().Get("X-Content-Type-Options")}
			if diff := cmp.Diff([]string{"application/json; charset=utf-8", "no-store", "nosniff"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// differsFrom is the number of the first line in which two texts differ.
func differsFrom(a, b []byte) int {
	left, right := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			return i + 1
		}
	}
	return min(len(left), len(right)) + 1
}
