package tributary_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// goOnly are the reasons of methods that the HTTP API does not offer: the annex
// of the contract is about the wire.
var goOnly = []affiliate.Reason{
	affiliate.RetentionTooShort, affiliate.PaymentConflict, affiliate.UnknownRef, affiliate.OtherCurrency,
}

// TestAnnex: annex A of docs/contract.md has the texts of the engine's table, and
// no others.
func TestAnnex(t *testing.T) {
	_, annex, found := strings.Cut(read(t, "docs/contract.md"), "## Annex A. Error table\n")
	if !found {
		t.Fatal("docs/contract.md has no annex A")
	}
	annex, _, _ = strings.Cut(annex, "\n## ")
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [0-9]{3} \\| `(.*)` \\|$").FindAllStringSubmatch(annex, -1) {
		documented[m[1]+": "+m[2]] = true
	}
	said := map[string]bool{}
	for _, e := range refusal.Refusals() {
		text := string(e.Reason) + ": " + e.Message
		said[text] = true
		if !documented[text] && !slices.Contains(goOnly, e.Reason) {
			t.Errorf("annex A lacks %s", text)
		}
	}
	for text := range documented {
		if !said[text] {
			t.Errorf("annex A has %s, which the engine does not say", text)
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
