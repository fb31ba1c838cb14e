package engine_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// frozenSample is the event of a sale before it is encoded.
func frozenSample() *engine.Frozen {
	rec := record.Sale{
		ID: uuid.UUID{2}, Number: 5107, TotalEarned: affiliate.MustAmount("29"), Email: "tomas@example.net", Name: "Tomas Ruiz",
		Commissions: []record.Commission{{Number: 1, Earned: affiliate.MustAmount("5.8")}},
	}
	return &engine.Frozen{
		Typ: affiliate.SaleCreated, ID: uuid.UUID{1}, Program: uuid.UUID{9}, OccurredAt: affiliate.InstantOf(time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)),
		Revision: 1, Body: &engine.SaleBody{Rec: rec},
	}
}

// BenchmarkRecent is why encoded payloads are cached: an event that 16 endpoints
// get, with the cache and without it.
func BenchmarkRecent(b *testing.B) {
	f := frozenSample()
	b.Run("with", func(b *testing.B) {
		r := new(engine.PayloadCache)
		for b.Loop() {
			f.ID[15]++
			for range 16 {
				r.Encode(f.ID, record.LatePayload(f))
			}
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			f.ID[15]++
			for range 16 {
				f.Encode()
			}
		}
	})
}
