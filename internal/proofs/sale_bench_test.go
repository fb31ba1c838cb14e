package proofs_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The benchmarks of the real sale: a code, an external id of its own, and a
// customer, who is one of a thousand in turn.

const customers = 1000

// A desk records real sales, with the engine or by the floor. The texts are made
// beforehand, because the sides must not pay for them.
type desk struct {
	p                    *tributary.Program
	floor                *benchkit.Floor
	codes                []string
	names, emails        [customers]string
	orders               []string
	sold, floored, bared int
}

// newDesk makes a shop with as many codes, and texts for as many sales.
func newDesk(b *testing.B, store record.Store, codes, sales int) *desk {
	b.Helper()
	p, _ := benchkit.Shop(b, store, codes)
	t := &desk{p: p, floor: benchkit.FillFloor(codes), codes: make([]string, codes), orders: make([]string, sales)}
	for i := range t.codes {
		t.codes[i] = "CODE" + strconv.Itoa(i)
	}
	for i := range t.names {
		t.names[i], t.emails[i] = "Customer "+strconv.Itoa(i), "customer-"+strconv.Itoa(i)+"@example.com"
	}
	for i := range t.orders {
		t.orders[i] = "order-" + strconv.Itoa(i)
	}
	return t
}

// sale is the i-th sale.
func (t *desk) sale(i int) affiliate.SaleParams {
	return affiliate.SaleParams{
		PromoCode: t.codes[i%len(t.codes)], ExternalID: t.orders[i], TotalEarned: scene.SaleTotal,
		Name: t.names[i%customers], Email: t.emails[i%customers],
	}
}

// sell, sellFloor and sellBare record n sales on some goroutines.
func (t *desk) sell(workers int) func(n int) {
	return func(n int) {
		first := t.sold
		t.sold += n
		spread(workers, n, func(i int) { scene.Must(t.p.RecordSale(context.Background(), t.sale(first+i))) })
	}
}

func (t *desk) sellFloor(workers int) func(n int) {
	return func(n int) {
		first := t.floored
		t.floored += n
		spread(workers, n, func(i int) {
			s := t.sale(first + i)
			check(t.floor.Sell(s.PromoCode, s.ExternalID, s.Name, s.Email, s.TotalEarned.Scaled()))
		})
	}
}

func (t *desk) sellBare(workers int) func(n int) {
	return func(n int) {
		first := t.bared
		t.bared += n
		spread(workers, n, func(i int) {
			scene.Must(t.p.RecordSale(context.Background(), affiliate.SaleParams{PromoCode: t.codes[(first+i)%len(t.codes)], TotalEarned: scene.SaleTotal}))
		})
	}
}

// room is how many sales a comparison with turns of n makes.
func room(n int) int { return (benchkit.Rounds + 1) * (n + 1) }

// BenchmarkRealSale is P1 and P2: x-floor is the real sale over the floor that
// does the same, x-bare the real sale over the bare one, which has only a code.
func BenchmarkRealSale(b *testing.B) {
	const n = 4000
	for _, shape := range []struct {
		name  string
		codes int
	}{{"hot", 1}, {"spread", 1000}, {"coupon", 10_000}} {
		for _, workers := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("%s/workers=%d", shape.name, workers), func(b *testing.B) {
				t := newDesk(b, memstore.New(), shape.codes, room(n))
				bare := newDesk(b, memstore.New(), shape.codes, 0)
				benchkit.Compare(b, n, t.sell(workers),
					benchkit.Side{Name: "floor", Run: t.sellFloor(workers)},
					benchkit.Side{Name: "bare", Run: bare.sellBare(workers)})
				b.StopTimer()
				benchkit.Audit(b, t.p, int64(t.sold))
				benchkit.Audit(b, bare.p, int64(bare.bared))
			})
		}
	}
}

// BenchmarkRealSaleOnFullStore is P4: x-small is the real sale among 10^6 earlier
// ones over the same among 10^3.
func BenchmarkRealSaleOnFullStore(b *testing.B) {
	const n, small, big = 200, 1000, 1_000_000
	few, many := newDesk(b, memstore.New(), 1000, small+2*room(n)), newDesk(b, memstore.New(), 1000, big+2*room(n))
	few.sell(1)(small)
	many.sell(1)(big)
	b.ResetTimer()
	benchkit.Compare(b, n, many.sell(1), benchkit.Side{Name: "small", Run: few.sell(1)})
	b.StopTimer()
	benchkit.Audit(b, few.p, int64(few.sold))
	benchkit.Audit(b, many.p, int64(many.sold))
}

// BenchmarkRealSaleBytes is P13: what a real sale keeps in memory with its
// commission, ledger row, event record, indexes, totals and its texts, which
// every request brings anew; once without the frozen body of its event, and once
// with it.
func BenchmarkRealSaleBytes(b *testing.B) {
	const sales = 100_000
	for _, whole := range []bool{false, true} {
		name, store := "without-payload", record.Store(payloadlessStore{memstore.New()})
		if whole {
			name, store = "whole", memstore.New()
		}
		b.Run(name, func(b *testing.B) {
			t := newDesk(b, store, 1000, sales)
			before := scene.Heap()
			for i := range sales {
				s := t.sale(i)
				s.Name, s.Email, s.ExternalID = strings.Clone(s.Name), strings.Clone(s.Email), strings.Clone(s.ExternalID)
				scene.Must(t.p.RecordSale(context.Background(), s))
			}
			b.ReportMetric(float64(scene.Heap()-before)/sales, "B/sale")
			if whole {
				benchkit.Audit(b, t.p, sales)
			}
			runtime.KeepAlive(t)
		})
	}
}

// BenchmarkRealSaleProcs is P26: gain-2 and gain-4 are the throughput of 16
// goroutines on 2 and on 4 processors over that on one.
func BenchmarkRealSaleProcs(b *testing.B) {
	const n = 2000
	t := newDesk(b, memstore.New(), 1000, 4*room(n))
	var next atomic.Int64
	on := func(procs int) func(n int) {
		return func(n int) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			spread(16, n, func(int) {
				scene.Must(t.p.RecordSale(context.Background(), t.sale(int(next.Add(1)-1))))
			})
		}
	}
	benchkit.Warm()
	for _, procs := range []int{2, 4} {
		b.ReportMetric(1/benchkit.Stopwatch(benchkit.Wall).Ratio(n, on(1), on(procs)), "gain-"+strconv.Itoa(procs))
	}
	b.StopTimer()
	benchkit.Audit(b, t.p, next.Load())
}
