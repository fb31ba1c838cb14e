package affiliate_test

import (
	"encoding/json"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestPayloadEmpty: an empty payload is nil again after a store has written it
// as JSON and read it.
func TestPayloadEmpty(t *testing.T) {
	var again affiliate.Payload
	must(0, json.Unmarshal(must(json.Marshal(affiliate.Payload{})), &again))
	for name, p := range map[string]affiliate.Payload{"stored": again, "of no bytes": affiliate.PayloadOf([]byte{})} {
		if raw := p.Bytes(); raw != nil || !p.IsZero() {
			t.Errorf("%s: Bytes is %q and not nil, IsZero %v", name, raw, p.IsZero())
		}
	}
}
