package tributary_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// goOnly are the reasons of methods that the HTTP API does not offer: the annex
// of the contract is about the wire.
var goOnly = []affiliate.Reason{affiliate.PaymentConflict, affiliate.UnknownRef, affiliate.OtherCurrency}

// TestAnnex: annex A of docs/contract.md has the codes and texts of the engine's table,
// and no others.
func TestAnnex(t *testing.T) {
	const file, columns = "docs/contract.md", "\n| Error-Code | Status | Text |\n|---|---|---|\n"
	before, annex, found := strings.Cut(read(t, file), columns)
	if !found || !strings.Contains(before, "\n## Annex A. Error table\n") {
		t.Fatal("docs/contract.md has no annex A")
	}
	texts := map[string][]string{}
	for _, e := range refusal.Refusals() {
		if !slices.Contains(goOnly, e.Reason) {
			row := fmt.Sprintf("| `%s` | %d |", e.Reason, e.Kind.Status())
			texts[row] = append(texts[row], "`"+e.Message+"`")
		}
	}
	var want strings.Builder
	for _, row := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&want, "%s %s |\n", row, strings.Join(texts[row], ", "))
	}
	switch {
	case annex == want.String():
	case !*update:
		t.Error("annex A is not the engine's table; run go test . -run TestAnnex -update")
	default:
		if err := os.WriteFile(file, []byte(before+columns+want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestContractExamples: every key of a JSON example in docs/contract.md is a
// property of the OpenAPI document.
func TestContractExamples(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte(read(t, "httpapi/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	walkJSON(document, func(key string, value any) {
		if properties, ok := value.(map[string]any); ok && key == "properties" {
			for name := range properties {
				known[name] = true
			}
		}
	})
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(read(t, "docs/contract.md"), -1)
	if len(examples) < 20 {
		t.Errorf("%d examples were read, want all", len(examples))
	}
	for _, m := range examples {
		var example any
		if err := json.Unmarshal([]byte(m[1]), &example); err != nil {
			t.Errorf("%v in %s", err, m[1])
		}
		walkJSON(example, func(key string, _ any) {
			if !known[key] {
				t.Errorf("an example has the key %q, which no schema has", key)
			}
		})
	}
}

// walkJSON calls f with every member of every object.
func walkJSON(value any, f func(key string, value any)) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			f(key, v)
			walkJSON(v, f)
		}
	case []any:
		for _, v := range value {
			walkJSON(v, f)
		}
	}
}
