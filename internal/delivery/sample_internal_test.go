package delivery

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// TestSamples: a sample of each type of event shows an object of its family.
func TestSamples(t *testing.T) {
	p := &engine.Program{Cfg: &engine.Config{ID: uuid.UUID{9}}, IDs: &uuid7.Source{Rand: rand.Reader}}
	made := newSample(&engine.Op{Program: p, Now: affiliate.InstantOf(time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC))})
	for _, typ := range affiliate.EventTypes() {
		family, id, number := engine.ObjectOf(made.body(typ))
		if family != typ.Family() || id == uuid.Nil || (number != 0) != engine.IsNumbered(typ) {
			t.Errorf("the sample of %s shows %s %s, number %d", typ, family, id, number)
		}
	}
}
