package affiliate

import (
	"crypto/rand"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// someSample is what a test delivery is made of.
func someSample() *sample {
	p := &Program{cfg: &Config{ID: uuid.UUID{9}}, ids: &uuid7.Source{Rand: rand.Reader}}
	return (&op{Program: p, now: Instant{6e16}}).newSample()
}

// frozenSample is the event of a sale before it is encoded.
func frozenSample() *frozen {
	s := someSample()
	return &frozen{typ: SaleCreated, id: uuid.UUID{1}, program: s.cfg.ID, occurredAt: s.now, revision: 1, body: s.saleBody()}
}

// BenchmarkRecent is why encoded payloads are cached: an event that 16 endpoints
// get, with the cache and without it.
func BenchmarkRecent(b *testing.B) {
	f := frozenSample()
	b.Run("with", func(b *testing.B) {
		r := new(recent)
		for b.Loop() {
			f.id[15]++
			for range 16 {
				r.encode(f.id, latePayload(f))
			}
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			f.id[15]++
			for range 16 {
				f.Encode()
			}
		}
	})
}
