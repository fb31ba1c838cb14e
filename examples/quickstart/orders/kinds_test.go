package orders

import (
	"strings"
	"testing"
)

// TestKinds: a row can carry every value that a kind needs or takes.
func TestKinds(t *testing.T) {
	known := new(row).fields()
	for _, k := range Kinds() {
		for name := range strings.FieldsSeq(k.Needs + " " + k.Takes) {
			if known[name] == nil {
				t.Errorf("%s has the value %s, which no row can carry", k.Name, name)
			}
		}
	}
}
