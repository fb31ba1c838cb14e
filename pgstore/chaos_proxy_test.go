package pgstore_test

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A relay stands between workers and the server and breaks their connections when
// a test wants.
type relay struct {
	dir   string // has the socket
	to    string // the server's socket
	mu    sync.Mutex
	conns map[*relayedConn]bool
}

// A relayedConn is one connection through a relay.
type relayedConn struct {
	client, server net.Conn
	silent         sync.RWMutex // held for writing while nothing arrives
}

// newRelay starts a relay to a server, given by its connection string.
func newRelay(t *testing.T, database string) *relay {
	t.Helper()
	backend := must(url.Parse(database))
	dir := must(os.MkdirTemp("", "relay-")) // short, because the path of a socket must be
	r := &relay{dir: dir, to: filepath.Join(backend.Query().Get("host"), ".s.PGSQL.5432"), conns: map[*relayedConn]bool{}}
	listener := must(net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")))
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { r.pass(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		r.each(func(c *relayedConn) { c.client.Close() })
		wg.Wait()
		os.RemoveAll(dir)
	})
	return r
}

// url is the connection string of the relay.
func (r *relay) url() string {
	return "postgres:///postgres?user=tributary&host=" + url.QueryEscape(r.dir)
}

// pass moves bytes both ways until one side closes.
func (r *relay) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", r.to)
	if err != nil {
		return // the server is down
	}
	defer server.Close()
	c := &relayedConn{client: client, server: server}
	r.mu.Lock()
	r.conns[c] = true
	r.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { c.move(server, client) })
	wg.Go(func() { c.move(client, server) })
	wg.Wait()
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
}

func (c *relayedConn) move(to, from net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		c.silent.RLock() // waits while the line is silent
		_, failed := to.Write(buffer[:n])
		c.silent.RUnlock()
		if err != nil || failed != nil {
			if err != io.EOF || failed != nil {
				from.Close()
			}
			to.Close()
			return
		}
	}
}

// each does something to every connection, and counts them.
func (r *relay) each(do func(*relayedConn)) int {
	r.mu.Lock()
	all := make([]*relayedConn, 0, len(r.conns))
	for c := range r.conns {
		all = append(all, c)
	}
	r.mu.Unlock()
	for _, c := range all {
		do(c)
	}
	return len(all)
}

// cut closes every connection, and counts them.
func (r *relay) cut() int {
	return r.each(func(c *relayedConn) { c.client.Close(); c.server.Close() })
}

// silence lets nothing through the present connections for a time, and then cuts
// them. It counts them.
func (r *relay) silence(d time.Duration) int {
	n := r.each(func(c *relayedConn) { c.silent.Lock() })
	<-time.After(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		if c.silent.TryRLock() { // a new connection is not silent
			c.silent.RUnlock()
			continue
		}
		c.client.Close()
		c.server.Close()
		c.silent.Unlock()
	}
	return n
}
