package affiliate_test

import (
	"context"
	"encoding/binary"
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

// scaleID is the n-th id of a kind.
func scaleID(kind byte, n int) (id uuid.UUID) {
	id[0], id[6], id[8] = 1, 0x70, 0x80
	id[1] = kind
	binary.BigEndian.PutUint32(id[2:], uint32(n))
	return id
}

// crowd stores n affiliates who earned something: of one in a hundred it is
// open, of the others it was paid.
func crowd(t *testing.T, store record.Store, program uuid.UUID, n int) (due int) {
	t.Helper()
	const at = 1000
	old := affiliate.InstantOf(start)
	for from := 0; from < n; from += at {
		err := store.Update(t.Context(), program, func(tx *record.Tx) error {
			for i := from; i < min(n, from+at); i++ {
				open := i%100 == 50
				c := record.Commission{Number: 1<<40 + int64(i), AffiliateID: scaleID(1, i), Earned: sum("20"), Approval: affiliate.EnumOf(affiliate.ApprovalAccepted), CreatedAt: old, UpdatedAt: old}
				if !open {
					c.PayoutID, c.Frozen = scaleID(3, i), true
				}
				if open {
					due++
				}
				if err := crowdMember(tx, i, c, old); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return due
}

func crowdMember(tx *record.Tx, i int, c record.Commission, old affiliate.Instant) error {
	email := uuid.UUID(scaleID(1, i)).String() + "@example.org"
	aff := record.Affiliate{
		ID: scaleID(1, i), FirstName: "A", LastName: "B", Email: email, PayoutEmail: email, PaymentMethod: "PAYPAL",
		Status: affiliate.AffiliateActive, Source: "MANUAL", Revision: 1, CreatedAt: old, UpdatedAt: old,
	}
	if err := tx.Affiliates.Insert(aff); err != nil {
		return err
	}
	sale := record.Sale{
		ID: scaleID(2, i), Number: 1<<40 + int64(i), AffiliateID: aff.ID, TotalEarned: sum("100"), Rate: percent("20"),
		RateType: affiliate.EnumOf(affiliate.CommissionPercentage), Status: affiliate.EnumOf(affiliate.SaleActive),
		Commissions: []record.Commission{c}, Revision: 1, CreatedAt: old, UpdatedAt: old,
	}
	if err := tx.Sales.Insert(sale); err != nil {
		return err
	}
	return tx.Totals.Insert(record.Totals{ID: aff.ID, Sales: 1, Revenue: sum("100"), Commission: sum("20"), Books: bookOf(c, old)})
}

// bookOf are open books with one commission.
func bookOf(c record.Commission, opened affiliate.Instant) record.Books {
	if c.PayoutID != uuid.Nil {
		return record.Books{Paid: c.Earned, Number: 3, Opened: opened}
	}
	return record.Books{Payable: c.Earned, Number: 1, Opened: opened}
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
	w := newWorldOn(t, memstore.New())
	due := crowd(t, w.store, w.Config().ID, n)
	runtime.GC()
	base := heapNow()
	m := &runMeter{Store: w.store}
	seller := w.ada() // without a payment method: the run leaves it out

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
			must(w.With(w.store).RecordSale(context.Background(), affiliate.NewSale{PromoCode: seller.code.Code, TotalEarned: sum("1")}))
			waits = append(waits, time.Since(began))
		}
	})
	run := must(w.With(m).RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "all", Methods: []affiliate.PaymentMethod{"PAYPAL"}}))
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
	// more to be marked.
	if reads := m.sales.Load(); reads != int64(3*due) {
		t.Errorf("%d sales were read for %d payouts", reads, due)
	}
	if heap > 64<<20 {
		t.Errorf("the heap grew by %d MiB", heap>>20)
	}
}
