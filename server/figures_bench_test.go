package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
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
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
	"github.com/tributary-go/tributary/sqlitestore"
)

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
