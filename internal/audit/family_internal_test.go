package audit

import (
	"slices"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestFamilies: the audit has a whole row for each family of events.
func TestFamilies(t *testing.T) {
	for _, typ := range affiliate.EventTypes() {
		if !slices.ContainsFunc(auditedFamilies, func(f auditedFamily) bool { return f.name == typ.Family() }) {
			t.Errorf("the audit does not know the family of %s", typ)
		}
	}
	for i := range auditedFamilies {
		f := &auditedFamilies[i]
		if f.noun == "" || f.bodyKeys == nil || f.lives == nil || f.each == nil {
			t.Errorf("the row of %s has gaps", f.name)
		}
	}
}
