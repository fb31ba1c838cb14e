package robustness

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/pgstore"
)

// A database is the server of this test binary: that of the variable
// TRIBUTARY_TEST_DATABASE_URL, or one that pgstore's command serve starts. It
// waits for the disk at a commit; pools ask it not to.
type database struct {
	url  string
	stop func()
	err  error
}

const schema = "tributary_robustness"

var errNoServer = errors.New("no PostgreSQL server programs: install PostgreSQL 14 or later, or set TRIBUTARY_TEST_DATABASE_URL")

// server is started when the first test needs it; TestMain stops it.
var server = sync.OnceValue(func() (d database) {
	d.stop = func() {}
	if d.url = os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); d.url == "" {
		if d = startServer(); d.err != nil {
			return d
		}
	}
	d.err = migrate(d.url)
	return d
})

var serverUsed bool

func TestMain(m *testing.M) {
	if os.Getenv("TRIBUTARY_WORKER") != "" {
		if err := worker(); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	code := m.Run()
	if serverUsed {
		server().stop()
	}
	os.Exit(code)
}

func startServer() (d database) {
	cmd := exec.Command("go", "run", "github.com/tributary-go/tributary/pgstore/pgtest/serve")
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err == nil {
		var out *bufio.Reader
		if pipe, failed := cmd.StdoutPipe(); failed == nil {
			out = bufio.NewReader(pipe)
		}
		if err = cmd.Start(); err == nil {
			d.url, err = out.ReadString('\n')
		}
	}
	d.url = strings.TrimSpace(d.url)
	d.stop = func() {
		hold.Close()
		_ = cmd.Wait() // go run says what was wrong
	}
	if err != nil {
		d.stop()
		d.err = fmt.Errorf("%w (%w)", errNoServer, err)
	}
	return d
}

// migrate makes the tables anew.
func migrate(url string) error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
		return err
	}
	s, err := pgstore.New(pool, pgstore.Config{Schema: schema})
	if err != nil {
		return err
	}
	return s.Migrate(ctx)
}

// databaseURL is the connection string of the server. Without one the test is
// skipped, but not in CI, where nobody reads skips.
func databaseURL(t *testing.T) string {
	t.Helper()
	serverUsed = true
	d := server()
	if errors.Is(d.err, errNoServer) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED: ", d.err)
	}
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d.url
}

// openPool connects to a server. A commit of a hasty pool does not wait for the
// disk.
func openPool(url string, hasty bool) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 12
	if hasty {
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	return pgxpool.NewWithConfig(context.Background(), cfg)
}

func newPool(t *testing.T, url string, hasty bool) *pgxpool.Pool {
	t.Helper()
	pool, err := openPool(url, hasty)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func newStore(t *testing.T, pool *pgxpool.Pool, cfg pgstore.Config) *pgstore.Store {
	t.Helper()
	cfg.Schema = schema
	s, err := pgstore.New(pool, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
