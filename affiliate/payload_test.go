package affiliate_test

import (
	"encoding/json"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPayloadEmpty: an empty payload is nil again after a store has written it
// as JSON and read it.
func TestPayloadEmpty(t *testing.T) {
	var again record.Payload
	scene.Must(0, json.Unmarshal(scene.Must(json.Marshal(record.Payload{})), &again))
	for name, p := range map[string]record.Payload{"stored": again, "of no bytes": record.PayloadOf([]byte{})} {
		if raw := p.Bytes(); raw != nil || !p.IsZero() {
			t.Errorf("%s: Bytes is %q and not nil, IsZero %v", name, raw, p.IsZero())
		}
	}
}
