package robustness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A proxy stands between pgstore and the server. It breaks each connection
// after some bytes, also in the middle of a message.
type proxy struct {
	dir      string
	network  string
	to       string
	mu       sync.Mutex
	open     map[net.Conn]bool
	database *url.URL
	broken   atomic.Int64
}

// leastBytes and moreBytes are how much a connection carries before it breaks.
const leastBytes, moreBytes = 20_000, 400_000

func newProxy(t *testing.T, database string) *proxy {
	t.Helper()
	cfg, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "proxy-") // short, because the path of a socket must be
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{dir: dir, open: map[net.Conn]bool{}, database: u}
	p.network, p.to = pgNetwork(cfg.Host, cfg.Port)
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.carry(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.mu.Lock()
		for conn := range p.open {
			conn.Close()
		}
		p.mu.Unlock()
		wg.Wait()
		os.RemoveAll(dir)
	})
	return p
}

// pgNetwork is where a server listens.
func pgNetwork(host string, port uint16) (network, address string) {
	if filepath.IsAbs(host) {
		return "unix", filepath.Join(host, fmt.Sprint(".s.PGSQL.", port))
	}
	return "tcp", net.JoinHostPort(host, fmt.Sprint(port))
}

// url is the connection string of the proxy.
func (p *proxy) url() string {
	u := *p.database
	u.Host = ""
	q := u.Query()
	q.Set("host", p.dir)
	q.Set("port", "5432")
	u.RawQuery = q.Encode()
	return u.String()
}

// carry moves bytes both ways until it breaks the connection, or one side ends
// it.
func (p *proxy) carry(client net.Conn) {
	server, err := net.Dial(p.network, p.to)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	var left atomic.Int64
	left.Store(leastBytes + rand.Int64N(moreBytes))
	var wg sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{client: server, server: client} {
		wg.Go(func() {
			defer client.Close()
			defer server.Close()
			buffer := make([]byte, 4<<10)
			for {
				n, err := from.Read(buffer)
				rest := left.Add(-int64(n))
				if rest <= 0 {
					_, _ = to.Write(buffer[:max(0, int64(n)+rest)])
					p.broken.Add(1)
					return
				}
				if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}
