package affiliate_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestEventTypes: every declared type of event is listed and known, and nothing else is.
func TestEventTypes(t *testing.T) {
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
	for _, typ := range listed {
		if !typ.Known() {
			t.Errorf("%s is not known", typ)
		}
	}
	for _, typ := range []affiliate.EventType{"", ".", "tier.created", "promo", "promocode", "promocodes.created"} {
		if typ.Known() {
			t.Errorf("%q is known", typ)
		}
	}
}
