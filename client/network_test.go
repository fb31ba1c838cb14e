package client_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// accepting starts a server that calls fn with each connection.
func accepting(t *testing.T, fn func(net.Conn)) string {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go fn(conn)
		}
	}()
	return l.Addr().String()
}

// TestSwitchedProtocols: the body of a 101 is the connection itself, and a read
// of it would end neither at the timeout nor with the context.
func TestSwitchedProtocols(t *testing.T) {
	gone := make(chan error, 1)
	addr := accepting(t, func(conn net.Conn) {
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		conn.Read(make([]byte, 1<<12))
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_, err := io.Copy(io.Discard, conn)
		gone <- err
	})
	c := must(client.New("http://"+addr, testKey, client.Config{}))
	e := failure(t, errOf(c.Sale(t.Context(), 1)))
	if e.Status != 101 || e.Attempts != 1 || e.Err.Kind != affiliate.KindInternal {
		t.Errorf("got %v after %d attempts", e, e.Attempts)
	}
	if err := <-gone; err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
}

// TestStuckHandshake: the client gives up a server that accepts connections and
// sends nothing, although net/http continues to dial after a request has ended.
func TestStuckHandshake(t *testing.T) {
	gone := make(chan error, 1)
	addr := accepting(t, func(conn net.Conn) {
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, err := io.Copy(io.Discard, conn)
		gone <- err
	})
	c := must(client.New("https://"+addr, testKey, client.Config{Timeout: 50 * time.Millisecond, MaxRetries: -1}))
	if e := failure(t, errOf(c.Sale(t.Context(), 1))); e.Status != 0 || e.Attempts != 1 {
		t.Errorf("got %v", e)
	}
	if err := <-gone; err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection stays open: %v", err)
	}
}

// TestOddTransports: a transport that breaks its rules causes an error, not a
// panic.
func TestOddTransports(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer *http.Response
		status int
		text   string
	}{
		{"neither answer nor error", nil, 0, "GET /api/v1/sales: no answer: the transport gave neither answer nor error"},
		{"no body", &http.Response{StatusCode: 200}, 200, "GET /api/v1/sales: 200: the answer cannot be read: unexpected end of JSON input"},
		{"error without body", &http.Response{StatusCode: 500}, 500, "GET /api/v1/sales: 500: Internal Server Error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &wire{answer: func(int, *http.Request) (*http.Response, error) { return row.answer, nil }}
			e := failure(t, errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Sale(t.Context(), 1)))
			if e.Status != row.status || e.Error() != row.text {
				t.Errorf("got %d %q, want %d %q", e.Status, e, row.status, row.text)
			}
		})
	}
}

// TestNestedClient: when a transport wraps another http.Client, its error shows
// no query.
func TestNestedClient(t *testing.T) {
	w := &wire{answer: func(_ int, r *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: &url.Error{Op: "Get", URL: r.URL.String(), Err: syscall.ECONNRESET}}
	}}
	err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Affiliate(t.Context(), "ada@example.com"))
	if strings.Contains(err.Error(), "ada") || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
}

// TestCookiesOfAttempts: each attempt has the current cookies of the jar, and
// not those of the attempt before.
func TestCookiesOfAttempts(t *testing.T) {
	jar := must(cookiejar.New(nil))
	w := &wire{answer: func(n int, _ *http.Request) (*http.Response, error) {
		return reply(503, "", "Set-Cookie", "node="+strconv.Itoa(n)), nil
	}}
	c := must(client.New(testBase, testKey, client.Config{HTTP: &http.Client{Transport: w, Jar: jar}, MinWait: 1, MaxWait: 1}))
	_ = errOf(c.Sale(t.Context(), 1))
	var got []string
	for _, s := range w.seen {
		got = append(got, s.Header.Get("Cookie"))
	}
	if want := []string{"", "node=1", "node=2"}; !slices.Equal(got, want) {
		t.Errorf("cookies %q, want %q", got, want)
	}
}

// TestHookKeepsKey: when a hook changes the idempotency key, repeats still have
// no second effect.
func TestHookKeepsKey(t *testing.T) {
	for name, hook := range map[string]func(*http.Request){
		"another": func(r *http.Request) { r.Header.Set("Idempotency-Key", time.Now().String()) },
		"none":    func(r *http.Request) { r.Header.Del("Idempotency-Key") },
	} {
		w := always(503, "")
		c := w.client(t, func(cfg *client.Config) { cfg.MinWait, cfg.MaxWait, cfg.OnRequest = 1, 1, hook })
		_ = errOf(c.RecordSale(t.Context(), affiliate.SaleParams{Once: affiliate.Once{Key: "mine"}}))
		for i, s := range w.seen {
			if got := s.Header["Idempotency-Key"]; !slices.Equal(got, []string{"mine"}) {
				t.Errorf("%s: attempt %d has key %q", name, i+1, got)
			}
		}
	}
}
