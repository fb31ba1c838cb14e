package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkLatency is how long a real sale takes in one file and on PostgreSQL, among
// many earlier ones, alone and beside long jobs; then how long a store takes to open and
// to answer its first sale, how long Verify takes and what memory it needs at most. 10^6 sales in the file
// take 6 GB of the disk.
func BenchmarkLatency(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint("file/", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "program.db")
			filled := inFile(b, path, sqlitestore.Normal)
			p := fill(b, filled, size)
			if err := filled.Close(); err != nil {
				b.Fatal(err)
			}
			latency(b, p.With(inFile(b, path, sqlitestore.Full)), size, func() (record.Store, func()) {
				again := inFile(b, path, sqlitestore.Full)
				return again, func() { _ = again.Close() } // closed again at the end
			})
		})
		b.Run(fmt.Sprint("PostgreSQL/", size), func(b *testing.B) {
			store, pool := inDatabase(b)
			p := fill(b, store, size)
			if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
				b.Fatal(err)
			}
			latency(b, p, size, func() (record.Store, func()) {
				again, pool := connect(b, pool.Config())
				return again, pool.Close
			})
		})
	}
}

// codes are those of the program whose sales are measured.
const codes = 1000

// fill makes a program with so many sales in memory, and copies it.
func fill(b *testing.B, store record.Store, size int) *tributary.Program {
	b.Helper()
	memory := memstore.New()
	p, _ := benchkit.Shop(b, memory, codes)
	saleOf := benchkit.RealSale(codes)
	for i := range size {
		if _, err := p.RecordSale(b.Context(), saleOf(i)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := router.Copy(b.Context(), memory, store, p.Config().ID); err != nil {
		b.Fatal(err)
	}
	return p.With(store)
}

// latency measures a program that has so many sales, on its store and on others that
// open makes of the same records.
func latency(b *testing.B, p *tributary.Program, made int, open func() (again record.Store, done func())) {
	b.Helper()
	saleOf := benchkit.RealSale(codes)
	sell := func(p *tributary.Program) {
		got, err := p.RecordSale(b.Context(), saleOf(made))
		if err != nil || got.Outcome != affiliate.SaleRecorded {
			b.Errorf("sale %d: outcome %q, error %v", made, got.Outcome, err)
		}
		made++
	}
	benchkit.Latency(b, p, func() { sell(p) })
	b.Run("open", func(b *testing.B) {
		var opened, sold []float64
		for range 9 {
			began := time.Now()
			since := func() float64 { return float64(time.Since(began).Microseconds()) / 1000 }
			again, done := open()
			opened = append(opened, since())
			sell(p.With(again))
			sold = append(sold, since())
			done()
		}
		b.ReportMetric(benchkit.Median(opened), "ms-open")
		b.ReportMetric(benchkit.Median(sold), "ms-first-sale")
	})
	b.Run("audit", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(peak(b, func() error { return p.Verify(b.Context()) }), "MiB")
		}
	})
	benchkit.Audit(b, p, int64(made))
}

// peak runs a job and returns by how many MiB of memory the process grows meanwhile,
// whoever has them.
func peak(b *testing.B, job func() error) float64 {
	b.Helper()
	resident := func() (pages int64) {
		var all int64
		raw, err := os.ReadFile("/proc/self/statm")
		if err == nil {
			_, err = fmt.Sscan(string(raw), &all, &pages)
		}
		if err != nil {
			b.Skip(err)
		}
		return pages
	}
	debug.FreeOSMemory()
	least, most := resident(), int64(0)
	ctx, stop := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			most = max(most, resident())
			time.Sleep(5 * time.Millisecond)
		}
	})
	err := job()
	stop()
	wg.Wait()
	if err != nil {
		b.Fatal(err)
	}
	return float64((most-least)*int64(os.Getpagesize())) / (1 << 20)
}
