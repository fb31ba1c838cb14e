package proofs_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// manySales is a program with n sales by code, of a customer each third.
func manySales(tb testing.TB, n int) (*tributary.Program, record.Store) {
	tb.Helper()
	store := memstore.New()
	p, _ := benchkit.Shop(tb, store, 100)
	for i := range n {
		scene.Must(p.RecordSale(context.Background(), affiliate.SaleParams{
			PromoCode: fmt.Sprint("CODE", i%100), Email: fmt.Sprintf("c%d@example.net", i/3), Name: "C", TotalEarned: affiliate.MustAmount("129.5"), ExternalID: fmt.Sprint("order-", i),
		}))
	}
	return p, store
}

// BenchmarkVerifySales is Verify on a program with so many sales, and the most memory that
// it needs beside the store.
func BenchmarkVerifySales(b *testing.B) {
	for _, n := range []int{100_000, 300_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, store := manySales(b, n)
			runtime.GC()
			for b.Loop() {
				scene.Must(0, p.Verify(b.Context()))
			}
			b.StopTimer()
			w := &weighingStore{Store: store, each: 4 * n / 20}
			scene.Must(0, p.With(w).Verify(b.Context()))
			b.ReportMetric(float64(w.most-w.least)/(1<<20), "MiB")
		})
	}
}

// TestVerifyMemory: the audit needs no more memory for more sales, neither where
// it sifts alone nor where it has to look closely at every sale.
func TestVerifyMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes many sales")
	}
	most := 60_000
	if atlength.On() {
		most = 120_000
	}
	for name, ages := range map[string]bool{"in order": false, "of before movements": true} {
		if ages && !atlength.On() {
			continue
		}
		var needs [2]int64
		for i, n := range []int{30_000, most} {
			p, store := manySales(t, n)
			if ages {
				w := &scene.World{Program: p, Store: store, T: t}
				w.Ages()
			}
			w := &weighingStore{Store: store, each: 4 * n / 20}
			scene.Must(0, p.With(w).Verify(t.Context()))
			needs[i] = int64(w.most - w.least)
			t.Logf("%s, %d sales: %d KiB, weighed %d times", name, n, needs[i]>>10, w.times)
			if w.times < 20 {
				t.Errorf("weighed %d times", w.times)
			}
		}
		if bound := int64(64 << 20); needs[0] > bound || needs[1] > bound || needs[1] > needs[0]+8<<20 {
			t.Errorf("%s: %d bytes, with more sales %d", name, needs[0], needs[1])
		}
	}
}

// A weighingStore is a store that weighs the heap while its lists are walked.
type weighingStore struct {
	record.Store
	each, reads, times int
	least, most        uint64
}

func (w *weighingStore) weigh() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if w.times++; w.least == 0 {
		w.least = m.HeapAlloc
	}
	if w.times%20 == 0 {
		w.each *= 4 // it goes on for long
	}
	w.most = max(w.most, m.HeapAlloc)
}

func (w *weighingStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	w.weigh()
	return w.Store.View(ctx, id, func(tx *record.Tx) error {
		heavy := *tx
		for _, table := range record.Schema() {
			table.Set(&heavy, weighingTable{table.In(tx), w})
		}
		return fn(&heavy)
	})
}

type weighingTable struct {
	record.Table[record.AnyRecord]
	w *weighingStore
}

func (t weighingTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		for rec, err := range t.Table.List(q) {
			if t.w.reads++; t.w.reads%t.w.each == 0 {
				t.w.weigh()
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
