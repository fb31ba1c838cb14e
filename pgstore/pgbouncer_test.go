package pgstore_test

import (
	"fmt"
	"net"
	"net/url"
	"os"
	process "os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// modes are the modes of a store, as the documentation calls them.
var modes = map[pgstore.Mode]string{pgstore.Queue: "queue", pgstore.Serializable: "serializable"}

// TestPgBouncer: the pool modes and exec modes of the README work with a real
// PgBouncer that has fewer connections to the server than there are clients.
func TestPgBouncer(t *testing.T) {
	program, err := process.LookPath("pgbouncer")
	if err != nil {
		t.Skip("SKIPPED: no pgbouncer in PATH (on Debian and Ubuntu: apt-get install pgbouncer)")
	}
	for _, tt := range []struct {
		pooling string
		mode    pgx.QueryExecMode
		conns   int32
		cfg     pgstore.Config
	}{
		{"session", pgx.QueryExecModeCacheStatement, bouncerConns, pgstore.Config{}},
		{"transaction", pgx.QueryExecModeExec, 16, pgstore.Config{Group: 4}},
		{"transaction", pgx.QueryExecModeExec, 16, pgstore.Config{Mode: pgstore.Serializable, Retries: 100}},
		{"transaction", pgx.QueryExecModeCacheDescribe, 16, pgstore.Config{}},
		{"transaction", pgx.QueryExecModeSimpleProtocol, 16, pgstore.Config{}},
	} {
		t.Run(fmt.Sprintf("%s, %v, mode %d", tt.pooling, tt.mode, tt.cfg.Mode), func(t *testing.T) {
			pool := newPool(t, bouncer(t, program, tt.pooling), func(c *pgxpool.Config) {
				c.MaxConns, c.ConnConfig.DefaultQueryExecMode = tt.conns, tt.mode
			})
			s := newShop(t, pool, tt.cfg)
			const clients, sales = 6, 8
			var wg sync.WaitGroup
			for c := range clients {
				wg.Go(func() {
					for i := range sales {
						if _, err := s.plain.RecordSale(t.Context(), sale(1+c*sales+i)); err != nil {
							t.Error(err)
						}
						if _, err := s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 3}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			t.Attr("server", fmt.Sprintf("PgBouncer, %s mode, %v, %s: %d sales over fewer connections than clients, no error", tt.pooling, tt.mode, modes[tt.cfg.Mode], clients*sales))
			options := pgx.TxOptions{}
			if tt.cfg.Mode == pgstore.Serializable {
				options.IsoLevel = pgx.Serializable
			}
			err := pgx.BeginTxFunc(t.Context(), pool, options, func(tx pgx.Tx) error {
				_, err := s.plain.With(s.store.In(tx)).RecordSale(t.Context(), sale(0))
				return err
			})
			if err != nil {
				t.Errorf("in the host's transaction: %v", err)
			}
			s.books("behind PgBouncer", clients*sales+1)
		})
	}
}

// bouncerConns is the number of PgBouncer's connections to the server.
const bouncerConns = 4

// bouncer starts a PgBouncer in front of the tests' server, as the user that
// the server runs as, and returns its connection string.
func bouncer(t *testing.T, program, pooling string) string {
	t.Helper()
	backend := must(url.Parse(server(t, false).URL()))
	socket := backend.Query().Get("host")
	free := must(net.Listen("tcp", "127.0.0.1:0"))
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	conf := filepath.Join(t.TempDir(), "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
postgres = host=%s user=tributary dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
`, socket, port, pooling, bouncerConns)
	must(0, os.WriteFile(conf, []byte(text), 0o644))
	cmd := process.Command(program, "-q", conf)
	info := must(os.Stat(socket))
	if owner := info.Sys().(*syscall.Stat_t); os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
		for dir := filepath.Dir(conf); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			_ = os.Chmod(dir, 0o755)
		}
	}
	cmd.Stderr = os.Stderr
	must(0, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := fmt.Sprintf("postgres://tributary@127.0.0.1:%d/postgres?sslmode=disable", port)
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := pgx.Connect(t.Context(), address+"&default_query_exec_mode=exec")
		if err == nil {
			_ = conn.Close(t.Context())
			return address
		}
		if time.Now().After(deadline) {
			t.Fatalf("PgBouncer does not answer: %v", err)
		}
	}
}
