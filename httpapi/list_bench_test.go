package httpapi_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/benchkit"
)

var listed = flag.Int("listed", 0, "`sales` in the lists of TestStalledReaders, BenchmarkStalledReaders and BenchmarkSaleBesideList")

// soldOut is a shop with n real sales: a code, an external id, a customer who
// comes back.
func soldOut(tb testing.TB, n int) (*tributary.Program, *httpapi.Handler) {
	tb.Helper()
	p, api, _ := shop(tb, 100)
	for i := range n {
		sell(tb, p, i)
	}
	return p, api
}

func sell(tb testing.TB, p *tributary.Program, i int) {
	tb.Helper()
	got, err := p.RecordSale(tb.Context(), affiliate.SaleParams{
		PromoCode: fmt.Sprint("CODE", i%100), ExternalID: fmt.Sprint("order-", i), TotalEarned: affiliate.MustAmount("129.50"),
		Email: fmt.Sprintf("customer-%d@example.org", i%1000), Name: "Kim Moss",
	})
	if err != nil || got.Outcome != affiliate.SaleRecorded {
		tb.Fatalf("sale %d: %s, %v", i, got.Outcome, err)
	}
}

// stalled returns the MiB that readers add who ask for all sales, read a part
// and stop reading. Their connections are pipes without buffers.
func stalled(tb testing.TB, api http.Handler, readers int) float64 {
	tb.Helper()
	l := newPipeListener()
	srv := &http.Server{Handler: api}
	go srv.Serve(l)
	before := memory()
	var conns sync.WaitGroup
	for range readers {
		conn := l.dial()
		tb.Cleanup(func() { conn.Close() })
		conns.Go(func() {
			io.WriteString(conn, "GET /api/v1/sales HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+testKey+"\r\n\r\n")
			if n, err := io.CopyN(io.Discard, conn, 512<<10); err != nil {
				tb.Errorf("the list ended after %d bytes: %v", n, err)
			}
		})
	}
	conns.Wait()
	added := float64(memory()) - float64(before)
	srv.Close()
	return added / (1 << 20)
}

// memory is what the heap and the stacks hold after a collection.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// TestStalledReaders is P18, with fewer sales: readers who stop in the middle of
// a list hold a page of it each, and never the list.
func TestStalledReaders(t *testing.T) {
	const readers = 30
	_, api := soldOut(t, max(*listed, 3000))
	added := stalled(t, api, readers)
	t.Logf("%d readers hold %.1f MiB", readers, added)
	if added > 64.0/4 {
		t.Errorf("%d readers hold %.1f MiB", readers, added)
	}
}

// BenchmarkStalledReaders is P18: 30 readers of all sales who stop reading.
// MiB-added is the gate: at most 64, better 8.
func BenchmarkStalledReaders(b *testing.B) {
	_, api := soldOut(b, max(*listed, 20_000))
	b.ReportMetric(stalled(b, api, 30), "MiB-added")
}

// BenchmarkSaleBesideList is P17 for lists: the worst wait of a sale on memstore
// while a reader gets all sales over HTTP, and beside nothing. worst-ms is the
// gate: at most 20, better 2.
func BenchmarkSaleBesideList(b *testing.B) {
	n := max(*listed, 20_000)
	p, api := soldOut(b, n)
	next := n
	sales := func(until func() bool) float64 {
		var waits []time.Duration
		for !until() {
			began := time.Now()
			sell(b, p, next)
			waits = append(waits, time.Since(began))
			next++
			time.Sleep(200 * time.Microsecond)
		}
		return float64(slices.Max(waits).Microseconds()) / 1000
	}
	end := time.Now().Add(time.Second)
	alone := sales(func() bool { return time.Now().After(end) })
	done := make(chan struct{})
	out := &sink{header: http.Header{}}
	go func() {
		defer close(done)
		api.ServeHTTP(out, request("GET", "/api/v1/sales", ""))
	}()
	worst := sales(func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	if out.status != http.StatusOK || out.size < n*1000 {
		b.Fatalf("the list: status %d, %d bytes", out.status, out.size)
	}
	b.ReportMetric(worst, "worst-ms")
	b.ReportMetric(alone, "alone-worst-ms")
	benchkit.Audit(b, p, int64(next))
}
