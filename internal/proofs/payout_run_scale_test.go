package proofs_test

import (
	"context"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A runMeter is a store that counts the sales that are read, and watches the
// heap.
type runMeter struct {
	record.Store
	sales atomic.Int64
	heap  atomic.Uint64 // the largest
}

func (m *runMeter) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return m.Store.View(ctx, id, m.watched(fn))
}

func (m *runMeter) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return m.Store.Update(ctx, id, m.watched(fn))
}

func (m *runMeter) watched(fn func(*record.Tx) error) func(*record.Tx) error {
	return func(tx *record.Tx) error {
		metered := *tx
		metered.Sales = meteredSales{tx.Sales, m}
		err := fn(&metered)
		m.heap.Store(max(m.heap.Load(), heapNow()))
		return err
	}
}

func heapNow() uint64 {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return mem.HeapAlloc
}

type meteredSales struct {
	record.Table[record.Sale]
	m *runMeter
}

func (s meteredSales) Get(id uuid.UUID) (record.Sale, error) {
	s.m.sales.Add(1)
	return s.Table.Get(id)
}

func (s meteredSales) Find(key record.Key) (record.Sale, error) {
	s.m.sales.Add(1)
	return s.Table.Find(key)
}

func (s meteredSales) List(q record.Query) iter.Seq2[record.Sale, error] {
	return func(yield func(record.Sale, error) bool) {
		for rec, err := range s.Table.List(q) {
			s.m.sales.Add(1)
			if !yield(rec, err) {
				return
			}
		}
	}
}

// docs/money.md, Q3: a run over many affiliates of whom one in a hundred is paid
// reads no sale of the others and keeps nothing about them in memory, and no sale
// waits for it.
func TestPayoutRunScale(t *testing.T) {
	n := 10_000
	if atlength.On() {
		n = 100_000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is not mostly garbage
	w := scene.NewOn(t, memstore.New())
	due := scene.Crowd(t, w.Store, w.Config().ID, n)
	runtime.GC()
	base := heapNow()
	m := &runMeter{Store: w.Store}
	seller := w.Ada() // without a payment method: the run leaves it out

	stop, waits, wg := make(chan struct{}), []time.Duration{}, sync.WaitGroup{}
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			began := time.Now()
			scene.Must(w.With(w.Store).RecordSale(context.Background(), affiliate.SaleParams{PromoCode: seller.ADA20.Code, TotalEarned: scene.Sum("1")}))
			waits = append(waits, time.Since(began))
		}
	})
	run := scene.Must(w.With(m).RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "all", Methods: []affiliate.PaymentMethod{"PAYPAL"}}))
	close(stop)
	wg.Wait()
	if int(run.Created) != due || run.Skipped != 0 {
		t.Errorf("run %+v, want %d payouts", run, due)
	}
	slices.Sort(waits)
	heap := int64(m.heap.Load()) - int64(base)
	t.Logf("%d affiliates, %d paid: %d sales read, heap %+d KiB, %d sales meanwhile waited %v at most, half of them at most %v",
		n, due, m.sales.Load(), heap>>10, len(waits), waits[len(waits)-1], waits[len(waits)/2])
	// A sale that is due is read by the snapshot, by the transaction, and once
	// more to be marked. The first transaction on a store looks whether there is money.
	if reads := m.sales.Load(); reads != int64(3*due)+1 {
		t.Errorf("%d sales were read for %d payouts", reads, due)
	}
	if heap > 64<<20 {
		t.Errorf("the heap grew by %d MiB", heap>>20)
	}
}
