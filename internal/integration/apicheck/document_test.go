package apicheck_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const prefix = "/api/v1/"

// asStrings asks for amounts as strings, and for the document of them.
var asStrings = http.Header{"Amounts": {"string"}}

// load reads the document that the handler serves to a caller with these headers.
func load(t testing.TB, w *world, headers ...http.Header) *openapi3.T {
	t.Helper()
	ask := call{method: http.MethodGet, target: prefix + "openapi.json"}
	if len(headers) > 0 {
		ask.header = headers[0]
	}
	raw := w.do(t, ask).body
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(raw)
	if err != nil {
		t.Fatalf("read the document: %v", err)
	}
	return doc
}

// TestDocumentIsValid: the document is valid OpenAPI 3.1, with its examples.
func TestDocumentIsValid(t *testing.T) {
	w := newWorld(t)
	for _, doc := range []*openapi3.T{load(t, w), load(t, w, asStrings)} {
		if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableExamplesValidation()); err != nil {
			t.Error(err)
		}
		if doc.OpenAPI != "3.1.0" {
			t.Errorf("openapi is %q", doc.OpenAPI)
		}
	}
}

// TestOperationIDs: each operation has its own id, and a tag that is described.
func TestOperationIDs(t *testing.T) {
	doc := load(t, newWorld(t))
	seen := map[string]bool{}
	for _, op := range operations(doc) {
		id := op.op.OperationID
		if id == "" || seen[id] {
			t.Errorf("%s %s: operationId is %q", op.method, op.path, id)
		}
		seen[id] = true
		for _, tag := range op.op.Tags {
			if doc.Tags.Get(tag) == nil {
				t.Errorf("%s: tag %q is not described", id, tag)
			}
		}
	}
}

// TestOperationsAreServed: no operation of the document is unknown to the
// handler, and every path allows exactly the methods of the document.
func TestOperationsAreServed(t *testing.T) {
	w := newWorld(t)
	for path, item := range load(t, w).Paths.Map() {
		if !strings.HasPrefix(path, prefix) {
			continue // tracking is mounted separately
		}
		allowed := w.do(t, call{method: "QUERY", target: path})
		if allowed.status != http.StatusMethodNotAllowed {
			t.Errorf("%s is not served: %d", path, allowed.status)
			continue
		}
		var documented []string
		for method := range item.Operations() {
			documented = append(documented, method)
			if method == http.MethodGet {
				documented = append(documented, http.MethodHead)
			}
		}
		slices.Sort(documented)
		if got, want := allowed.header.Get("Allow"), strings.Join(documented, ", "); got != want {
			t.Errorf("%s: the handler allows %s, the document has %s", path, got, want)
		}
	}
}

// An operation is an operation of the document with its method and path.
type operation struct {
	method, path string
	item         *openapi3.PathItem
	op           *openapi3.Operation
}

func (o operation) String() string { return o.method + " " + o.path }

// operations lists the operations of the document by path and method.
func operations(doc *openapi3.T) []operation {
	var out []operation
	for _, path := range doc.Paths.InMatchingOrder() {
		item := doc.Paths.Value(path)
		for method, op := range item.Operations() {
			out = append(out, operation{method, path, item, op})
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.path+" "+a.method, b.path+" "+b.method) })
	return out
}
