package pgstore_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pgstore"
)

// TestMigrateTogether: many processes may migrate an empty database at once,
// and each step is applied once.
func TestMigrateTogether(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "together"})
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA together CASCADE"); err != nil {
			t.Error(err)
		}
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	wg.Wait()
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate again: %v", err)
	}
	var steps, files int
	must(0, pool.QueryRow(t.Context(), "SELECT count(*) FROM together.migrations WHERE version_id > 0").Scan(&steps))
	err := fs.WalkDir(s.Migrations(), ".", func(_ string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || steps != files || files == 0 {
		t.Errorf("%d steps of %d files, error %v", steps, files, err)
	}
}

// TestMigrateCut cuts the connection of a migration after each thing that it
// sends; a short run, after every 29th. Run again, it finishes.
func TestMigrateCut(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	var cut atomic.Int64
	wired := wiredPool(t, &cut)
	step := int64(1)
	if testing.Short() {
		step = 29
	}
	for n := int64(1); ; n += step {
		schema := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
		cut.Store(n)
		err := newStore(t, wired, pgstore.Config{Schema: schema}).Migrate(t.Context())
		through := cut.Swap(0) > 0
		if err == nil && through {
			dropSchema(t, pool, schema)
			t.Attr("server", fmt.Sprintf("a migration cut after each of %d messages to the server, in steps of %d: the next one finishes it", n-step, step))
			if n < 20 {
				t.Errorf("a migration sends more than %d things", n)
			}
			return
		}
		// The process is gone, and its lock with it when its time is over: the server
		// has noticed by then.
		noBackends(t, pool, wired)
		_, _ = pool.Exec(t.Context(), fmt.Sprintf(`DELETE FROM "%s".migrations_lock`, schema))
		s := newStore(t, pool, pgstore.Config{Schema: schema})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatalf("cut %d: run again: %v", n, err)
		}
		p := newProgram(t, s, uuid.UUID{15: 1})
		hotCode(t, p)
		must(p.RecordSale(t.Context(), sale(1)))
		if err := p.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		dropSchema(t, pool, schema)
	}
}

// noBackends closes what is left of a pool, and waits until the server runs nothing
// of it, also what a connection sent before it was cut.
func noBackends(t *testing.T, pool, gone *pgxpool.Pool) {
	t.Helper()
	gone.Reset()
	name := gone.Config().ConnConfig.RuntimeParams["application_name"]
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var left int
		must(0, pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, name).Scan(&left))
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the server still has %d connections of %s", left, name)
		}
	}
}

// TestMigrateOld: tables of before the first release are refused, and stay as they are.
func TestMigrateOld(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "old"})
	exec(t, pool, "CREATE SCHEMA old; CREATE TABLE old.affiliates (program uuid, id uuid, record json NOT NULL, PRIMARY KEY (program, id))")
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA old CASCADE") })
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "before the first release") {
		t.Errorf("error %v", err)
	}
	if tables := ask(t, pool, "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'old'::regnamespace AND relkind = 'r'"); tables != "affiliates" {
		t.Errorf("the schema has %s", tables)
	}
}

// TestUnreadable: a row that no record has is an error, and never an empty record.
func TestUnreadable(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(t.Context(), sale(1)))
	for column, value := range map[string]string{"status": "'LATER'", "commissions": `'{"a":1}'`, "given_as_null": "'later'"} {
		exec(t, pool, fmt.Sprintf("BEGIN; ALTER TABLE test_%[1]s.sales ADD kept %[3]s; UPDATE test_%[1]s.sales SET kept = %[2]s, %[2]s = %[4]s; COMMIT",
			schemaID(), column, map[bool]string{true: "json", false: "text"}[column == "commissions"], value))
		_, err := s.plain.Sale(t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), "a stored record cannot be read") {
			t.Errorf("%s is %s: error %v", column, value, err)
		}
		exec(t, pool, fmt.Sprintf("UPDATE test_%[1]s.sales SET %[2]s = kept; ALTER TABLE test_%[1]s.sales DROP kept", schemaID(), column))
	}
	s.books("as before", 1)
}

// TestMigrationsByHand: the files are plain SQL and can be run again.
func TestMigrationsByHand(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "by_hand"})
	exec(t, pool, "CREATE SCHEMA by_hand")
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA by_hand CASCADE") })
	files := must(fs.Glob(s.Migrations(), "*.sql"))
	for range 2 {
		for _, name := range files {
			exec(t, pool, string(must(fs.ReadFile(s.Migrations(), name))))
		}
	}
	if err := must(tributary.New(s, tributary.Config{})).Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if plain := string(must(fs.ReadFile(pgstore.Migrations(), files[0]))); !strings.Contains(plain, " tributary.codes") {
		t.Error("the default files are not for the schema tributary")
	}
}

// TestStatements: the first parameter of every statement is the program, and no
// statement contains a value of a request.
func TestStatements(t *testing.T) {
	s := newStore(t, newPool(t, "postgres://nowhere.example/none"), pgstore.Config{Schema: "order"})
	for _, sql := range s.Statements() {
		if !strings.Contains(sql, "program = $1::uuid") && !strings.Contains(sql, "(program, ") {
			t.Errorf("no program in: %s", sql)
		}
		if !strings.Contains(sql, `"order".`) || strings.Contains(strings.ReplaceAll(sql, "'UTF8'", ""), "'") {
			t.Errorf("the schema is not quoted, or there is a literal, in: %s", sql)
		}
	}
}

// TestConfig: New refuses an invalid Config.
func TestConfig(t *testing.T) {
	pool := newPool(t, "postgres://nowhere.example/none")
	for _, cfg := range []pgstore.Config{
		{Schema: "Upper"}, {Schema: "1st"}, {Schema: "a b"}, {Schema: `a"b`}, {Schema: "a;b"}, {Schema: strings.Repeat("x", 64)},
		{Mode: 2}, {Retries: -1}, {Group: -1}, {CommitWait: -1},
	} {
		if _, err := pgstore.New(pool, cfg); err == nil {
			t.Errorf("New(%+v): no error", cfg)
		}
	}
	if _, err := pgstore.New(nil, pgstore.Config{}); err == nil {
		t.Error("New without a pool: no error")
	}
}
