package affiliate

import (
	"crypto/rand"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/uuid7"
)

// frozenSample is the event of a sale before it is encoded.
func frozenSample() *frozen {
	p := &Program{cfg: &Config{ID: uuid.UUID{9}}, ids: &uuid7.Source{Rand: rand.Reader}}
	o := &op{Program: p, now: Instant{6e16}}
	return &frozen{typ: SaleCreated, id: uuid.UUID{1}, program: p.cfg.ID, occurredAt: o.now, revision: 1, body: o.newSample().saleBody()}
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
				r.encode(f.id, Payload{frozen: f})
			}
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			f.id[15]++
			for range 16 {
				f.encode()
			}
		}
	})
}
