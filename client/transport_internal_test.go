package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A pipeNet is a network in memory. Its first connection dies silently: writes
// are lost and nothing can be read, as behind a middlebox that has forgotten
// the connection.
type pipeNet struct {
	net.Listener
	accept chan net.Conn
	dials  int
	dead   chan struct{}
	once   sync.Once
}

func (n *pipeNet) Accept() (net.Conn, error) {
	conn, ok := <-n.accept
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (n *pipeNet) Close() error   { n.once.Do(func() { close(n.accept) }); return nil }
func (n *pipeNet) Addr() net.Addr { return &net.TCPAddr{} }

func (n *pipeNet) dial(context.Context, string, string) (net.Conn, error) {
	n.dials++
	here, there := net.Pipe()
	n.accept <- there
	if n.dials == 1 {
		return &mortalConn{here, n.dead}, nil
	}
	return here, nil
}

type mortalConn struct {
	net.Conn
	dead chan struct{}
}

func (m *mortalConn) Write(p []byte) (int, error) {
	select {
	case <-m.dead:
		return len(p), nil
	default:
		return m.Conn.Write(p)
	}
}

// TestDeadConnection: an HTTP/2 connection that died silently is given up.
// Otherwise one call after another would try it until the kernel notices.
func TestDeadConnection(t *testing.T) {
	cert := httptest.NewUnstartedServer(nil)
	cert.StartTLS() // outside the bubble: for its certificate
	defer cert.Close()

	synctest.Test(t, func(t *testing.T) {
		n := &pipeNet{accept: make(chan net.Conn, 9), dead: make(chan struct{})}
		srv := &http.Server{
			TLSConfig: &tls.Config{Certificates: cert.TLS.Certificates, NextProtos: []string{"h2"}},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte("[]"))
			}),
		}
		go srv.ServeTLS(n, "", "")
		defer srv.Close()
		tr := newTransport(10 * time.Second)
		defer tr.CloseIdleConnections()
		tr.DialContext = n.dial
		tr.TLSClientConfig = cert.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		c, err := New("https://example.com", "key", Config{HTTP: &http.Client{Transport: tr}, MaxRetries: -1})
		if err != nil {
			t.Fatal(err)
		}
		ask := func() error { _, err := c.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{}); return err }

		if err := ask(); err != nil {
			t.Fatal(err)
		}
		close(n.dead)
		begin := time.Now()
		failed := 0
		for ask() != nil {
			if failed++; failed == 20 {
				break
			}
		}
		if took := time.Since(begin); took > 30*time.Second || n.dials != 2 {
			t.Errorf("%d calls failed in %v, %d connections", failed, took, n.dials)
		}
	})
}
