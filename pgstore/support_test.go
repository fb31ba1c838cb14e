package pgstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// clusters are the servers of this test binary: one that does not wait for the
// disk, and one that does.
type clusters struct {
	mu      sync.Mutex
	started [2]*pgtest.Cluster
	errs    [2]error
}

// servers are shared by the tests of a binary; TestMain stops them.
var servers clusters

func TestMain(m *testing.M) {
	if os.Getenv("TRIBUTARY_WORKER") != "" {
		worker()
	}
	flag.Parse()
	code := m.Run()
	for _, c := range servers.started {
		if c == nil {
			continue
		}
		if err := c.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop cluster:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// server returns the test binary's own server.
func server(tb testing.TB, durable bool) *pgtest.Cluster {
	tb.Helper()
	servers.mu.Lock()
	defer servers.mu.Unlock()
	i := 0
	if durable {
		i = 1
	}
	if servers.started[i] == nil && servers.errs[i] == nil {
		servers.started[i], servers.errs[i] = pgtest.Start(context.Background(), durable)
	}
	if err := servers.errs[i]; err != nil {
		absent(tb, err)
	}
	return servers.started[i]
}

// absent skips a test that has no server. In CI it fails the test, because
// nobody reads skips there.
func absent(tb testing.TB, err error) {
	tb.Helper()
	if pgtest.Missing(err, os.Getenv("CI")) {
		tb.Skip("SKIPPED: ", err)
	}
	tb.Fatal(err)
}

// databaseURL returns the connection string of the named database, or else of
// the test binary's own server.
func databaseURL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); url != "" {
		return url
	}
	return server(tb, false).URL()
}

// newPool returns a pool that is closed when the test ends.
func newPool(tb testing.TB, url string, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	tb.Helper()
	cfg := must(pgxpool.ParseConfig(url))
	cfg.MaxConns = 16
	for _, c := range change {
		c(cfg)
	}
	pool := must(pgxpool.NewWithConfig(context.Background(), cfg))
	tb.Cleanup(pool.Close)
	return pool
}

// schemas is how many schemas were made; each gets a new name from it.
var schemas atomic.Int64

// newSchema makes a schema with the tables, and drops it when the test ends.
func newSchema(tb testing.TB, pool *pgxpool.Pool) string {
	tb.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	s := newStore(tb, pool, pgstore.Config{Schema: name})
	if err := s.Migrate(tb.Context()); err != nil {
		tb.Fatalf("Migrate: %v", err)
	}
	tb.Cleanup(func() { dropSchema(tb, pool, name) })
	return name
}

// dropSchema drops a schema. A session whose connection a test has cut may
// still write to it, so the drop may lose a deadlock; then it is repeated.
func dropSchema(tb testing.TB, pool *pgxpool.Pool, name string) {
	for {
		_, err := pool.Exec(context.Background(), `DROP SCHEMA "`+name+`" CASCADE`)
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "40P01" {
			continue
		}
		if err != nil {
			tb.Errorf("drop schema: %v", err)
		}
		return
	}
}

func newStore(tb testing.TB, pool *pgxpool.Pool, cfg pgstore.Config) *pgstore.Store {
	tb.Helper()
	s, err := pgstore.New(pool, cfg)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return s
}

// empty deletes every record of a schema.
func empty(tb testing.TB, pool *pgxpool.Pool, schema string) {
	tb.Helper()
	var sql strings.Builder
	for _, t := range append(record.Schema(), record.TableSchema{Name: "programs"}) {
		fmt.Fprintf(&sql, `DELETE FROM "%s".%s;`, schema, t.Name)
	}
	if _, err := pool.Exec(context.Background(), sql.String()); err != nil {
		tb.Fatalf("empty: %v", err)
	}
}

// foreignPlan stores a plan that the store did not write.
func foreignPlan(tb testing.TB, pool *pgxpool.Pool, schema string, program, id uuid.UUID) {
	tb.Helper()
	exec(tb, pool, "INSERT INTO "+schema+`.plans (program, id, name, commission_type, commission_rate, number_of_payments, number_of_months, hold_days,
		months_from, max_per_sale, max_per_customer, payment_trigger, hold_rewards, created_at, updated_at)
		VALUES ($1, $2, 'theirs', 'PERCENTAGE', 50000, 0, 0, 0, '', 0, 0, 'PURCHASE', false, now(), now())`, [16]byte(program), [16]byte(id))
}

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// schemaID returns the number of the last schema.
func schemaID() string { return fmt.Sprintf("%d_%d", os.Getpid(), schemas.Load()) }

// TestNamedDatabase: the tests use the database that the environment names.
func TestNamedDatabase(t *testing.T) {
	own := newPool(t, server(t, false).URL())
	exec(t, own, "CREATE DATABASE named")
	t.Cleanup(func() { exec(t, own, "DROP DATABASE named") })
	t.Setenv("TRIBUTARY_TEST_DATABASE_URL", strings.Replace(server(t, false).URL(), "/postgres?", "/named?", 1))
	pool := newPool(t, databaseURL(t))
	newSchema(t, pool)
	var name string
	if err := pool.QueryRow(t.Context(), "SELECT current_database()").Scan(&name); err != nil || name != "named" {
		t.Errorf("the tests are in database %q, error %v", name, err)
	}
}

// tableBytes is how much the disk holds of each table, with its indexes.
func tableBytes(tb testing.TB, pool *pgxpool.Pool, schema string) map[string]int64 {
	tb.Helper()
	rows := must(pool.Query(tb.Context(), `SELECT relname, pg_total_relation_size(c.oid) FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`, schema))
	bytes := map[string]int64{}
	for rows.Next() {
		var name string
		var n int64
		must(0, rows.Scan(&name, &n))
		bytes[name] = n
	}
	return bytes
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	must(0, os.WriteFile(file, data, 0o600))
}
