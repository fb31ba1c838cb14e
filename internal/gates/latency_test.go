package main

import (
	"strconv"
	"testing"

	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

// BenchmarkLatency is how long a real sale takes on memstore with 10^3, 10^5 and
// 10^6 earlier sales, alone and beside long jobs. It is no gate: P17 is.
func BenchmarkLatency(b *testing.B) {
	for _, size := range []int{1_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			const codes = 1000
			p, _ := benchkit.Shop(b, memstore.New(), codes)
			saleOf, made := benchkit.RealSale(codes), 0
			sell := func() {
				if _, err := p.RecordSale(b.Context(), saleOf(made)); err != nil {
					b.Error(err)
				}
				made++
			}
			for range size {
				sell()
			}
			benchkit.Latency(b, p, sell)
			benchkit.Audit(b, p, int64(made))
		})
	}
}
