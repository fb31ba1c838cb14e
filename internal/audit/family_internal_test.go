package audit

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
)

// TestFamilies: every declared type of event is listed, the audit has a row for
// each family, and a sample of each shows an object of that family.
func TestFamilies(t *testing.T) {
	src, err := os.ReadFile("family.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []affiliate.EventType
	for _, m := range regexp.MustCompile(`EventType = "(.*)"`).FindAllStringSubmatch(string(src), -1) {
		declared = append(declared, affiliate.EventType(m[1]))
	}
	listed := affiliate.EventTypes()
	if len(listed) < 15 || !slices.Equal(declared, listed) {
		t.Errorf("declared are %v, listed %v", declared, listed)
	}
	sample := engine.SomeSample()
	for _, typ := range listed {
		family, id, number := engine.ObjectOf(sample.body(typ))
		if family != typ.Family() || id == uuid.Nil || (number != 0) != engine.IsNumbered(typ) {
			t.Errorf("the sample of %s shows %s %s, number %d", typ, family, id, number)
		}
		if !slices.ContainsFunc(auditedFamilies, func(f auditedFamily) bool { return f.name == typ.Family() }) {
			t.Errorf("the audit does not know the family of %s", typ)
		}
		if !typ.Known() {
			t.Errorf("%s is not known", typ)
		}
	}
	for i := range auditedFamilies {
		f := &auditedFamilies[i]
		if f.noun == "" || f.bodyKeys == nil || f.lives == nil || f.each == nil {
			t.Errorf("the row of %s has gaps", f.name)
		}
	}
	for _, typ := range []affiliate.EventType{"", ".", "tier.created", "promo", "promocode", "promocodes.created"} {
		if typ.Known() {
			t.Errorf("%q is known", typ)
		}
	}
}
