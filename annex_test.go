package tributary_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// goOnly are the reasons of methods that the HTTP API does not offer: the annex
// of the contract is about the wire.
var goOnly = []affiliate.Reason{
	affiliate.KeySpaceTooSmall, affiliate.PlanInUse, affiliate.TierInUse, affiliate.TierNotFound, affiliate.StatusNotAllowed,
	affiliate.PayoutNotFound, affiliate.NothingPayable, affiliate.RedemptionNotFound, affiliate.RedemptionRestored,
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
	for _, e := range affiliate.Refusals() {
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
