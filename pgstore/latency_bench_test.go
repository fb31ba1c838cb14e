package pgstore_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/pgstore"
)

// BenchmarkLatency is how long a real sale takes among 100,000 earlier ones,
// alone and beside long jobs; with -short among 2,000. It is no gate.
func BenchmarkLatency(b *testing.B) {
	size := 100_000
	if testing.Short() {
		size = 2_000
	}
	b.Run(strconv.Itoa(size), func(b *testing.B) {
		const codes, sellers = 1000, 64
		y := newYard(b, 1, pgstore.Config{Group: 64})
		p, _ := benchkit.Shop(b, y.store, codes)
		saleOf := benchkit.RealSale(codes)
		sell := func(i int) {
			got, err := p.RecordSale(b.Context(), saleOf(i))
			if err != nil || got.Outcome != affiliate.SaleRecorded {
				b.Errorf("sale %d: outcome %q, error %v", i, got.Outcome, err)
			}
		}
		var wg sync.WaitGroup
		for seller := range sellers {
			wg.Go(func() {
				for i := seller; i < size; i += sellers {
					sell(i)
				}
			})
		}
		wg.Wait()
		exec(b, y.pool, "VACUUM ANALYZE")
		made := size
		benchkit.Latency(b, p, func() {
			sell(made)
			made++
		})
		benchkit.Audit(b, p, int64(made))
	})
}
