package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pgstore"
)

// A shop is a program with the code HOT20 and an endpoint, on a store in which
// a test makes faults.
type shop struct {
	t     *testing.T
	pool  *pgxpool.Pool
	store *pgstore.Store
	plain *tributary.Program // without faults
}

func newShop(t *testing.T, pool *pgxpool.Pool, cfg pgstore.Config) *shop {
	t.Helper()
	if cfg.Schema == "" {
		cfg.Schema = newSchema(t, pool)
	}
	s := &shop{t: t, pool: pool, store: newStore(t, pool, cfg)}
	s.plain = newProgram(t, s.store, uuid.Must(uuid.NewV7()))
	hotCode(t, s.plain)
	must(s.plain.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://hooks.example/a", Events: affiliate.EventTypes()}))
	return s
}

// books fails the test unless Verify passes and there are exactly so many
// sales.
func (s *shop) books(what string, sales int) {
	s.t.Helper()
	if err := s.plain.Verify(s.t.Context()); err != nil {
		s.t.Errorf("%s: Verify: %v", what, err)
	}
	if n := s.sales(); n != sales {
		s.t.Errorf("%s: %d sales are stored, want %d", what, n, sales)
	}
}

func (s *shop) sales() int {
	s.t.Helper()
	return len(must(s.plain.Sales(s.t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items)
}

// sale returns a sale by code to a new customer, which uses most tables.
func sale(i int) affiliate.SaleParams {
	return affiliate.SaleParams{
		PromoCode: "HOT20", Email: fmt.Sprintf("c%d@example.net", i), Name: "C", TotalEarned: affiliate.MustAmount("100"),
		ExternalID: fmt.Sprint("order-", i), Once: affiliate.Once{Key: fmt.Sprint("key-", i)},
	}
}

// TestFaults makes every table call of a sale fail, panic and be cancelled, and
// verifies the program after each.
func TestFaults(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Group: 4}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			s := newShop(t, pool, cfg)
			must(s.plain.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{ // the first movement reads once more
				AffiliateID: must(s.plain.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items[0].ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1"), Reason: "r",
			}))
			must(s.plain.RecordSale(t.Context(), sale(-1))) // and so does the first sale, of which money is looked for
			counter := conformance.Count(s.store)
			must(s.plain.With(counter).RecordSale(t.Context(), sale(0)))
			t.Logf("%d calls", counter.Most())
			for n := 1; n <= counter.Most(); n++ {
				_, err := s.plain.With(conformance.FailAt(s.store, n)).RecordSale(t.Context(), sale(n))
				if !errors.Is(err, conformance.ErrInjected) {
					t.Errorf("call %d fails: error %v", n, err)
				}
				panicked := func() (r any) {
					defer func() { r = recover() }()
					_, _ = s.plain.With(conformance.PanicAt(s.store, n)).RecordSale(t.Context(), sale(n))
					return nil
				}()
				if panicked != any(conformance.ErrInjected) {
					t.Errorf("call %d panics: recovered %v", n, panicked)
				}
				_, err = s.plain.With(conformance.CancelAt(s.store, n)).RecordSale(t.Context(), sale(n))
				if !errors.Is(err, context.Canceled) {
					t.Errorf("call %d is cancelled: error %v", n, err)
				}
				s.books(fmt.Sprint("call ", n), 2)
			}
			must(s.plain.RecordSale(t.Context(), sale(1)))
			s.books("after all", 3)
		})
	}
}

// A wire is a connection that a test cuts.
type wire struct {
	net.Conn
	cut *atomic.Int64 // the number of writes until the cut; 0: no cut
}

// Write sends, and cuts the connection when it was the last write.
func (w wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if w.cut.Load() > 0 && w.cut.Add(-1) == 0 {
		w.Conn.Close()
	}
	return n, err
}

// wiredPool returns a pool whose connections are cut after cut more writes.
func wiredPool(t *testing.T, cut *atomic.Int64) *pgxpool.Pool {
	return newPool(t, databaseURL(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["application_name"] = t.Name()
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return wire{conn, cut}, err
		}
	})
}

// TestCut cuts the connection after each thing that a sale sends. After the
// commit the outcome is unknown, and a repeat with the same key settles it;
// before the commit nothing was stored.
func TestCut(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	var cut atomic.Int64
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			s := newShop(t, pool, cfg)
			cfg.Schema = "test_" + schemaID()
			cutting := newStore(t, wiredPool(t, &cut), cfg)
			unknown, sold, rounds := 0, 0, 1
			for n := 1; ; n++ {
				must(s.plain.With(cutting).Coupons(t.Context(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Limit: 1})) // opens a connection
				cut.Store(int64(n))
				_, err := s.plain.With(cutting).RecordSale(t.Context(), sale(sold+1))
				left := cut.Swap(0)
				if errors.Is(err, pgstore.ErrOutcomeUnknown) {
					unknown++
				} else if err != nil && s.sales() != sold {
					t.Errorf("write %d: error %v, and yet a sale is stored", n, err)
				}
				got, err := s.plain.RecordSale(t.Context(), sale(sold+1)) // the same key
				if err != nil || got.Outcome != affiliate.SaleRecorded {
					t.Errorf("write %d: the repeated sale: %s, error %v", n, got.Outcome, err)
				}
				sold++
				s.books(fmt.Sprint("write ", n), sold)
				if left > 0 && (unknown > 0 || rounds == 5) {
					break
				}
				if left > 0 { // what the pool sent besides, under load, was counted too
					n, rounds = 0, rounds+1
				}
			}
			if unknown == 0 {
				t.Error("no outcome was unknown")
			}
			t.Logf("%d sales, the outcome of %d was unknown", sold, unknown)
		})
	}
}

// A killer ends the server's session before a statement.
type killer struct {
	pool *pgxpool.Pool // its own
	at   atomic.Int64
}

func (k *killer) strike(ctx context.Context, conn *pgx.Conn) context.Context {
	if k.at.Load() > 0 && k.at.Add(-1) == 0 {
		_, _ = k.pool.Exec(context.Background(), "SELECT pg_terminate_backend($1, 5000)", int32(conn.PgConn().PID()))
	}
	return ctx
}

func (k *killer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return k.strike(ctx, conn)
}

func (k *killer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (k *killer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return k.strike(ctx, conn)
}

func (k *killer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (k *killer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestTerminated ends the session before each statement of a sale.
func TestTerminated(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			s := newShop(t, pool, cfg)
			cfg.Schema = "test_" + schemaID()
			k := &killer{pool: pool}
			struck := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = k })
			program := s.plain.With(newStore(t, struck, cfg))
			sold := 0
			for n := 1; ; n++ {
				k.at.Store(int64(n))
				_, err := program.RecordSale(t.Context(), sale(n))
				left := k.at.Swap(0)
				if err == nil {
					sold++
				}
				if (err == nil) != (left > 0) {
					t.Errorf("message %d: error %v", n, err)
				}
				if !errors.Is(err, pgstore.ErrOutcomeUnknown) {
					s.books(fmt.Sprint("message ", n), sold)
				}
				if left > 0 {
					break
				}
			}
			s.books("after all", sold)
		})
	}
}

// TestTexts: an error's text does not contain the server's message, and
// errors.As finds the server's error.
func TestTexts(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: "not_there"})
	err := must(tributary.New(store, tributary.Config{})).Ping(t.Context())
	if err == nil {
		t.Fatal("Ping of a database without tables: no error")
	}
	const want = "pgstore: read: the tables are missing or of another version, run Migrate (SQLSTATE 42P01)"
	if !strings.HasSuffix(err.Error(), ": "+want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
