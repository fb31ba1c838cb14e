package engine

import (
	"crypto/rand"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/delivery"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// SomeSample is what a test delivery is made of.
func SomeSample() *delivery.sample {
	p := &Program{Cfg: &Config{ID: uuid.UUID{9}}, Ids: &uuid7.Source{Rand: rand.Reader}}
	return delivery.newSample((&Op{Program: p, Now: affiliate.Instant{micros: 6e16}}))
}

// frozenSample is the event of a sale before it is encoded.
func frozenSample() *Frozen {
	s := SomeSample()
	return &Frozen{Typ: affiliate.SaleCreated, Id: uuid.UUID{1}, Program: s.Cfg.ID, OccurredAt: s.Now, Revision: 1, Body: s.saleBody()}
}

// BenchmarkRecent is why encoded payloads are cached: an event that 16 endpoints
// get, with the cache and without it.
func BenchmarkRecent(b *testing.B) {
	f := frozenSample()
	b.Run("with", func(b *testing.B) {
		r := new(recent)
		for b.Loop() {
			f.Id[15]++
			for range 16 {
				r.Encode(f.Id, record.LatePayload(f))
			}
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			f.Id[15]++
			for range 16 {
				f.Encode()
			}
		}
	})
}
