package affiliate

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// TestFamilies: each type of event is in one row, with the types of its family,
// and no field of a row is empty.
func TestFamilies(t *testing.T) {
	src, err := os.ReadFile("family.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []EventType
	for _, m := range regexp.MustCompile(`EventType = "(.*)"`).FindAllStringSubmatch(string(src), -1) {
		declared = append(declared, EventType(m[1]))
	}
	listed := EventTypes()
	if len(listed) < 15 || !slices.Equal(declared, listed) {
		t.Errorf("declared are %v, the families have %v", declared, listed)
	}
	for i := range families {
		row := &families[i]
		for f, v := range reflect.ValueOf(row).Elem().Fields() {
			if v.IsZero() {
				t.Errorf("%s: %s is not given", row.types[0], f.Name)
			}
		}
		for _, typ := range row.types {
			if found, err := familyOf(typ); err != nil || found != row {
				t.Errorf("%s is of another row: %v", typ, err)
			}
		}
		if same := slices.IndexFunc(families, func(f family) bool { return f.name() == row.name() }); same != i {
			t.Errorf("%s stands twice", row.name())
		}
	}
	for _, typ := range []EventType{"", ".", "tier.created", "promo", "promocode", "promocodes.created"} {
		f, err := familyOf(typ)
		if known := typ == "promocode"; known != (err == nil) || known != (f != nil) || typ.Known() {
			t.Errorf("%q: %v", typ, err)
		}
	}
}
