package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
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

// A booth sells: the figures of the README are what booths sell in a second.
type booth struct {
	name    string
	clients int
	program *tributary.Program
	sell    func(ctx context.Context, sale affiliate.SaleParams) error
	turn    atomic.Int64
	rates   []float64
	waits   []time.Duration
}

// round sells for a time, and notes how much and how long each sale took.
func (o *booth) round(b *testing.B, for_ time.Duration) {
	b.Helper()
	saleOf := benchkit.RealSale(1)
	waits := make([][]time.Duration, o.clients)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range waits {
		wg.Go(func() {
			for time.Since(start) < for_ {
				n := int(o.turn.Add(1))
				sale, began := saleOf(n), time.Now()
				sale.Once = affiliate.Once{Key: "key-" + strconv.Itoa(n)}
				if err := o.sell(b.Context(), sale); err != nil {
					b.Error(err)
					return
				}
				waits[i] = append(waits[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(waits...)
	o.rates = append(o.rates, float64(len(all))/time.Since(start).Seconds())
	o.waits = append(o.waits, all...)
}

// inFile opens a file until the benchmark ends.
func inFile(b *testing.B, path string, sync sqlitestore.Sync) *sqlitestore.Store {
	b.Helper()
	store, err := sqlitestore.Open(b.Context(), path, sqlitestore.Config{Sync: sync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return store
}

// inDatabase starts a server that waits for the disk, until the benchmark ends.
func inDatabase(b *testing.B) (*pgstore.Store, *pgxpool.Pool) {
	b.Helper()
	server, err := pgtest.Start(b.Context(), true)
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = server.Stop() })
	cfg, err := pgxpool.ParseConfig(server.URL())
	if err != nil {
		b.Fatal(err)
	}
	cfg.MaxConns = 64
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off" // as the README of pgstore recommends
	return connect(b, cfg)
}

// connect makes a store with a pool of its own, as a process that starts does, until the
// benchmark ends.
func connect(b *testing.B, cfg *pgxpool.Config) (*pgstore.Store, *pgxpool.Pool) {
	b.Helper()
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	store, err := pgstore.New(pool, pgstore.Config{Group: 64})
	if err == nil {
		err = store.Migrate(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return store, pool
}

// BenchmarkFigures measures the figures of docs/comparison.md in one run, in turns: real sales,
// each with a key, of one program on each store, by one and by more clients.
func BenchmarkFigures(b *testing.B) {
	const rounds = 5
	path := filepath.Join(b.TempDir(), "program.db")
	memory, full, normal := memstore.New(), inFile(b, path, sqlitestore.Full), inFile(b, path+".normal", sqlitestore.Normal)
	database, _ := inDatabase(b)
	var booths []*booth
	add := func(name string, store record.Store, clients int, wire bool) {
		p, _ := benchkit.ShopOf(b, store, 1, func(cfg *tributary.Config) { cfg.ID = uuid.Must(uuid.NewV7()) })
		o := &booth{name: fmt.Sprintf("%s, %d", name, clients), clients: clients, program: p}
		o.sell = func(ctx context.Context, sale affiliate.SaleParams) error {
			_, err := p.RecordSale(ctx, sale)
			return err
		}
		if wire {
			o.sell = overHTTP(b, p, clients)
		}
		booths = append(booths, o)
	}
	for _, clients := range []int{1, 16} {
		add("memory", memory, clients, false)
		add("file", full, clients, false)
	}
	add("file, NORMAL", normal, 16, false)
	for _, clients := range []int{1, 16, 64} {
		add("PostgreSQL", database, clients, false)
	}
	add("HTTP, memory", memory, 32, true)
	add("HTTP, file", full, 32, true)
	add("HTTP, PostgreSQL", database, 32, true)
	for b.Loop() {
		for range rounds {
			for _, o := range booths {
				o.round(b, 400*time.Millisecond)
			}
		}
	}
	for _, o := range booths {
		slices.Sort(o.waits)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		fmt.Printf("| %s | %.0f | %.2f | %.2f |\n", o.name, benchkit.Median(o.rates), ms(o.waits[len(o.waits)/2]), ms(o.waits[len(o.waits)*99/100]))
		benchkit.Audit(b, o.program, o.turn.Load())
	}
}

// overHTTP sells by the typed client over loopback.
func overHTTP(b *testing.B, p *tributary.Program, clients int) func(ctx context.Context, sale affiliate.SaleParams) error {
	b.Helper()
	api, err := httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(api)
	b.Cleanup(server.Close)
	c, err := client.New(server.URL, testKey, client.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return func(ctx context.Context, sale affiliate.SaleParams) error {
		_, err := c.RecordSale(ctx, sale)
		return err
	}
}
