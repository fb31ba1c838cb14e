package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestCopy: programs that every call was made on are the same in a file, and again in
// memory.
func TestCopy(t *testing.T) {
	one, two := memstore.New(), memstore.New()
	file := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
	for _, p := range twins.All(t, one, &now) {
		id := p.Config().ID
		for _, way := range []struct{ from, to record.Store }{{one, file}, {file, two}} {
			n := must(router.Copy(t.Context(), way.from, way.to, id))
			if same, err := router.Compare(t.Context(), one, way.to, id); same != n || n < 50 || err != nil {
				t.Errorf("%d records, %d are the same, error %v", n, same, err)
			}
		}
		if err := p.With(two).Verify(t.Context()); err != nil {
			t.Errorf("Verify: %v", err)
		}
	}
}

// moverFolder has the folder of files for a process that records sales in a program,
// which it moves from file to file all the time, until it is killed.
const moverFolder = "TRIBUTARY_MOVER_FOLDER"

var files = []string{"a.db", "b.db", "c.db"}

// openAll opens the files of a folder behind a router.
func openAll(folder string, stores func(path string) (*sqlitestore.Store, error)) (*router.Store, error) {
	cfg := router.Config{Patience: 500 * time.Millisecond}
	for _, name := range files {
		store, err := stores(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		cfg.Stores = append(cfg.Stores, router.NamedStore{Name: name, Store: store})
	}
	return router.New(cfg)
}

func moveForever(folder string) error {
	ctx := context.Background()
	r, err := openAll(folder, func(path string) (*sqlitestore.Store, error) {
		return sqlitestore.Open(ctx, path, sqlitestore.Config{Sync: sqlitestore.Normal})
	})
	if err != nil {
		return err
	}
	go func() {
		for n := 0; ; n++ {
			if err := r.Move(ctx, programID, files[n%len(files)]); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	return sellOn(ctx, r)
}

// TestKillMover: a process that moves a program from file to file is killed. Another one
// goes on; no sale is lost or doubled, and the program is in one file.
// TRIBUTARY_KILLS is the number of times; a release has 500.
func TestKillMover(t *testing.T) {
	folder := t.TempDir()
	var stores []record.Store
	r := must(openAll(folder, func(path string) (*sqlitestore.Store, error) {
		store := open(t, path, sqlitestore.Config{Sync: sqlitestore.Normal})
		stores = append(stores, store)
		return store, nil
	}))
	p := newProgram(t, r)
	furnish(t, p)
	kills, recorded := number("TRIBUTARY_KILLS", 5), 0
	homes := map[string]int{}
	for i := range kills {
		orders := start(t, moverFolder, folder).kill(t, 1+7*i%60)
		recorded += len(orders)
		homes[must(r.Home(t.Context(), programID))]++
		books(t, p, orders)
		must(0, r.Move(t.Context(), programID, must(r.Home(t.Context(), programID))))
		full := 0
		for _, store := range stores {
			if records(t, store) > 0 {
				full++
			}
		}
		if full != 1 {
			t.Errorf("%d files have the program", full)
		}
	}
	t.Logf("%d kills, %d sales, found in %v", kills, recorded, homes)
}

// records counts the records of the program.
func records(t *testing.T, store record.Store) (n int) {
	t.Helper()
	err := store.View(t.Context(), programID, func(tx *record.Tx) error {
		n = 0
		for _, table := range record.Schema() {
			for _, err := range table.In(tx).List(record.Query{}) {
				if n++; err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
