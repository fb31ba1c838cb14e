package pgstore_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// BenchmarkSaleBytes states the bytes on disk that a real sale takes, with its
// row of the ledger, its receipt and all indexes, after ordinary inserts. A real
// sale has a code, an external id, a customer who was there before and an
// idempotency key. The event is beside it, and each table by itself.
func BenchmarkSaleBytes(b *testing.B) {
	const warm, sales = 1000, 4000
	for range b.N {
		pool := newPool(b, databaseURL(b))
		schema := newSchema(b, pool)
		p := newProgram(b, newStore(b, pool, pgstore.Config{Schema: schema, Group: 64}), uuid.Must(uuid.NewV7()))
		hotCode(b, p)
		sellReal(b, p, 0, warm)
		before := tableBytes(b, pool, schema)
		sellReal(b, p, warm, sales)
		after := tableBytes(b, pool, schema)
		var sum, event float64
		for _, table := range slices.Sorted(maps.Keys(after)) {
			each := float64(after[table]-before[table]) / sales
			switch table {
			case "events":
				event = each
			case "deliveries", "queue":
			default:
				sum += each
			}
			if each >= 1 {
				b.ReportMetric(each, "B-"+table)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(sum, "B/sale")
		b.ReportMetric(event, "B/event")
		if err := p.Verify(b.Context()); err != nil {
			b.Error(err)
		}
	}
}

// sellReal records so many real sales, of a thousand customers in turn.
func sellReal(tb testing.TB, p *tributary.Program, from, n int) {
	tb.Helper()
	const clients = 8
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for i := from + client; i < from+n; i += clients {
				sale := realSale(int64(i))
				sale.Once.Key = uuid.NewSHA1(uuid.NameSpaceURL, []byte(sale.ExternalID)).String() // as long as most keys are
				got, err := p.RecordSale(context.Background(), sale)
				if err != nil || got.Outcome != affiliate.SaleRecorded {
					tb.Errorf("sale %d: %s, error %v", i, got.Outcome, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
