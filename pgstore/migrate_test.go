package pgstore_test

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"

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
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM together.migrations WHERE version_id > 0").Scan(&steps); err != nil {
		t.Fatal(err)
	}
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
