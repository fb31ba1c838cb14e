package pgstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/conformance/servertest"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
)

// A way is a way to run the store.
type way struct {
	name string
	open func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store
}

// ways are: the store by itself, two processes that share a schema,
// transactions of the host, and every closure run twice.
func ways() []way {
	one := func(cfg pgstore.Config) func(testing.TB, *pgxpool.Pool, string) record.Store {
		return func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			cfg.Schema = schema
			return newStore(tb, pool, cfg)
		}
	}
	by := func(mode pgx.QueryExecMode) func(testing.TB, *pgxpool.Pool, string) record.Store {
		return func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			other := newPool(tb, pool.Config().ConnString(), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
			return newStore(tb, other, pgstore.Config{Schema: schema})
		}
	}
	return []way{
		{"Queue", one(pgstore.Config{})},
		{"Queue, grouped", one(pgstore.Config{Group: 32})},
		{"Serializable", one(pgstore.Config{Mode: pgstore.Serializable})},
		{"Serializable, grouped", one(pgstore.Config{Mode: pgstore.Serializable, Group: 32})},
		{"two processes", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			grouped := newStore(tb, pool, pgstore.Config{Schema: schema, Group: 8})
			return &turnabout{stores: [2]record.Store{newStore(tb, pool, pgstore.Config{Schema: schema}), grouped}}
		}},
		{"inside the host's transaction", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			return hostTx{newStore(tb, pool, pgstore.Config{Schema: schema}), pool, pgx.ReadCommitted}
		}},
		{"rerun", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			return conformance.Rerun(newStore(tb, pool, pgstore.Config{Schema: schema}))
		}},
		{"without prepared statements", by(pgx.QueryExecModeExec)},
		{"simple protocol", by(pgx.QueryExecModeSimpleProtocol)},
	}
}

// short are the ways that a short run covers.
const short = 3

func TestStore(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for i, way := range ways() {
		if testing.Short() && i >= short {
			break
		}
		t.Run(way.name, func(t *testing.T) {
			schema := newSchema(t, pool)
			conformance.TestStore(t, func(tb testing.TB) record.Store {
				empty(tb, pool, schema)
				return way.open(tb, pool, schema)
			})
		})
	}
}

// A turnabout passes calls to two stores in turn, as two processes do.
type turnabout struct {
	stores [2]record.Store
	turn   atomic.Int64
}

func (s *turnabout) next() record.Store { return s.stores[s.turn.Add(1)%2] }

func (s *turnabout) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.next().View(ctx, program, fn)
}

func (s *turnabout) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.next().Update(ctx, program, fn)
}

// A hostTx gives every call a transaction of the host.
type hostTx struct {
	store *pgstore.Store
	pool  *pgxpool.Pool
	level pgx.TxIsoLevel
}

func (s hostTx) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.begin(ctx, func(in record.Store) error { return in.View(ctx, program, fn) })
}

func (s hostTx) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.begin(ctx, func(in record.Store) error { return in.Update(ctx, program, fn) })
}

func (s hostTx) begin(ctx context.Context, fn func(in record.Store) error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("host: %w", ctx.Err())
	}
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: s.level}, func(tx pgx.Tx) error { return fn(s.store.In(tx)) })
}

// TestDifferential makes the same random calls on memstore and on pgstore. It
// compares every answer and, at the end, every record, byte by byte.
func TestDifferential(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Group: 4}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			cfg.Schema = newSchema(t, pool)
			rapid.Check(t, func(rt *rapid.T) {
				empty(t, pool, cfg.Schema)
				twins.Play(rt, t, memstore.New(), newStore(t, pool, cfg))
			})
		})
	}
}

// TestEngineSuite runs the tests of the engine and of its API on PostgreSQL:
//
//	TRIBUTARY_ENGINE_SUITE=. go test -run EngineSuite -v -timeout 60m .
//
// It leaves out the tests of [onlyInMemory].
func TestEngineSuite(t *testing.T) {
	twins.Suite(t, onlyInMemory, func(t *testing.T) string { return "TRIBUTARY_ENGINE_DATABASE_URL=" + databaseURL(t) })
}

// onlyInMemory are the tests that cannot be run on PostgreSQL. Two make
// corruptions that only memory can hold: an event whose time changes by a
// microsecond, or whose number changes, while its encoded payload does not. One
// measures what events take in memory. Two run in a bubble of testing/synctest,
// which a connection cannot cross.
const onlyInMemory = "TestVerifyEvents/(I47_number_of_a_coupon|I49_event_at_another_time)|TestEventMemory|TestFollowWaits|TestSlowCall"

// TestWire runs the wire contract, the administration and the scenarios of
// package servertest on PostgreSQL, and then Verify.
func TestWire(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := must(tributary.New(store, tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	api := must(httpapi.New(program, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}}))
	srv := httptest.NewServer(api)
	defer srv.Close()
	servertest.TestServer(t, servertest.Server{URL: srv.URL, Key: "test-key-of-this-suite"})
	if err := program.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPageOfSales is P21: a page of 50 sales of many affiliates and customers
// takes at most 6 statements, the beginning and the end of the transaction
// included, and shows what the sales show one by one.
func TestPageOfSales(t *testing.T) {
	const page, most = 50, 6
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	s := newShop(t, pool, pgstore.Config{})
	for i := range 4 {
		must(s.plain.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i), AffiliateLink: fmt.Sprint("slug", i)}))
	}
	for i := range page + 5 {
		in := sale(i % 40) // some come back
		in.ExternalID, in.Once = fmt.Sprint("order-", i), affiliate.Once{}
		if i%2 == 0 {
			in.PromoCode, in.ReferralID = "", fmt.Sprint("slug", i%4)
		}
		must(s.plain.RecordSale(t.Context(), in))
	}
	wire.statements.Store(0)
	got := must(s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: page})).Items
	n := wire.statements.Load()
	t.Logf("%d statements/page", n)
	if n > most || len(got) != page {
		t.Errorf("%d statements for %d sales, want at most %d for %d", n, len(got), most, page)
	}
	for _, sale := range got {
		if d := cmp.Diff(string(must(json.Marshal(must(s.plain.Sale(t.Context(), sale.ID))))), string(must(json.Marshal(sale)))); d != "" {
			t.Fatalf("sale %d (-by itself +on the page):\n%s", sale.ID, d)
		}
	}
}

// Verify keeps what it compares, not all that a program has stored: the bytes of
// events and of the answers to repeats would be four times as much.
func TestVerifyMemory(t *testing.T) {
	const sales, limit = 3000, 4000 // it does not grow with them: with all sales of a day it is less each; all of the records would be 8,000
	pool := newPool(t, databaseURL(t))
	p := newProgram(t, newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 64}), uuid.Must(uuid.NewV7()))
	hotCode(t, p)
	sellReal(t, p, 0, sales)

	defer debug.SetGCPercent(debug.SetGCPercent(5)) // so that the heap is what is in use
	runtime.GC()
	before := heap()
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var highest uint64
		for {
			select {
			case <-done:
				most <- highest
				return
			case <-time.After(time.Millisecond):
				highest = max(highest, heap())
			}
		}
	}()
	progress, err := p.Step(t.Context(), affiliate.VerifyJob{}, affiliate.Step{})
	report := progress.Verification
	close(done)
	each := int64(<-most-before) / sales
	if err != nil || !report.Holds || report.Records < 5*sales {
		t.Fatalf("%d records, breaches %v, error %v", report.Records, report.Breaches, err)
	}
	t.Logf("%d bytes a sale", each)
	if each > limit {
		t.Errorf("Verify took %d bytes a sale, more than %d", each, limit)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
