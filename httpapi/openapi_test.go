package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
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
	for name, want := range map[string][]byte{"openapi.json": b.Bytes(), "../conformance/servertest/answers.json": answersOf(t, raw)} {
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(name); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s is not what the tables make, from line %d on; run go test ./httpapi -run OpenAPI -update", name, differsFrom(want, got))
		}
	}
}

// answersOf returns what the document says of the form of answers of 200, without words for
// people: the suite of conformance judges servers by it.
func answersOf(t *testing.T, document []byte) []byte {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema any `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	answers, named := map[string]any{}, map[string]any{}
	var form func(v any) any
	form = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = form(v[i])
			}
		case map[string]any:
			if text, is := v["description"].(string); is && text != "" {
				delete(v, "description")
			}
			if _, is := v["additionalProperties"].(bool); is {
				delete(v, "additionalProperties") // others are right anyway
			}
			if ref, is := v["$ref"].(string); is {
				if name := ref[strings.LastIndexByte(ref, '/')+1:]; named[name] == nil {
					named[name] = true
					named[name] = form(doc.Components.Schemas[name])
				}
			}
			for name := range v {
				v[name] = form(v[name])
			}
		}
		return v
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if of := op.Responses["200"].Content["application/json"].Schema; of != nil {
				answers[strings.ToUpper(method)+" "+path] = form(of)
			}
		}
	}
	raw, err := json.MarshalIndent(map[string]any{"answers": answers, "schemas": named}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(raw, '\n')
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

// TestOpenAPIArticles: no text begins with a word that is an article and another word of the
// texts, such as Apayment.
func TestOpenAPIArticles(t *testing.T) {
	words := map[string]bool{}
	for _, word := range regexp.MustCompile(`[A-Za-z]+`).FindAllString(string(openAPI), -1) {
		words[word] = true
	}
	begins := regexp.MustCompile(`"(?:description|summary)": "((An?)([A-Za-z]+))`)
	for _, m := range begins.FindAllStringSubmatch(string(openAPI), -1) {
		if words[m[3]] && !words[strings.ToLower(m[1])] {
			t.Errorf("%s is %s %s: see typeText", m[1], m[2], m[3])
		}
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
