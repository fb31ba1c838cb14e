package httpapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
)

// callers are keep-alive connections to a server over loopback. They use little
// time themselves, so that the server is measured.
type callers struct {
	conns []*caller
	real  bool         // they send real sales, each with a key
	sent  atomic.Int64 // real sales
}

type caller struct {
	net.Conn
	r *bufio.Reader
}

// dial starts a server and connects to it.
func dial(tb testing.TB, h http.Handler, conns int) *callers {
	tb.Helper()
	srv := httptest.NewServer(h)
	c := &callers{}
	for range conns {
		conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
		c.conns = append(c.conns, &caller{conn, bufio.NewReader(conn)})
	}
	tb.Cleanup(func() {
		for _, conn := range c.conns {
			conn.Close()
		}
		srv.Close()
	})
	return c
}

// run sends n sales over all connections at once and returns how many were
// answered. Any status but 200 fails the test.
func (c *callers) run(tb testing.TB, n int) int64 {
	tb.Helper()
	var wg sync.WaitGroup
	var answered atomic.Int64
	for w, conn := range c.conns {
		wg.Go(func() {
			for i := w; i < n; i += len(c.conns) {
				headers, body := "", saleBody(i%1000)
				if c.real {
					n := c.sent.Add(1)
					headers, body = "Idempotency-Key: key-"+strconv.FormatInt(n, 10)+"\r\n", string(appendRealSale(nil, n))
				}
				if err := conn.sell(headers, body); err != nil {
					tb.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	wg.Wait()
	return answered.Load()
}

// sell posts a sale and reads past the answer.
func (c *caller) sell(headers, body string) error {
	_, err := io.WriteString(c, "POST /api/v1/sales HTTP/1.1\r\n"+rawKey+headers+"Content-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"+body)
	if err != nil {
		return err
	}
	status, err := c.r.ReadString('\n')
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return fmt.Errorf("status line %q", status)
	}
	_, err = c.r.Discard(length)
	return err
}

// stopwatch times fn by the clock and by the processor.
func stopwatch(fn func()) (wall, cpu time.Duration) {
	used := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begin, before := time.Now(), used()
	fn()
	return time.Since(begin), used() - before
}

// TestLoad is a small version of goal G13: 64 connections send sales at once.
// Every answer is 200, and counters, sales and events agree with what the
// callers counted.
func TestLoad(t *testing.T) {
	p, api, _ := shop(t, 1000)
	c := dial(t, api, 64)
	n, rounds := 5_000, 4
	if testing.Short() || !atlength.On() {
		n, rounds = 1_000, 1
	}
	var sold int64
	for range rounds {
		sold += c.run(t, n)
	}
	if sold != int64(n*rounds) {
		t.Errorf("%d of %d sales", sold, n*rounds)
	}
	benchkit.Audit(t, p, sold)
	var events int64
	for page := (affiliate.Page{Limit: 1000}); ; {
		list := must(p.Events(t.Context(), affiliate.EventQuery{}, page))
		for _, e := range list.Items {
			if e.Type == affiliate.SaleCreated {
				events++
			}
		}
		if page.Cursor = list.Next; page.Cursor == "" {
			break
		}
	}
	if events != sold {
		t.Errorf("%d events of %d sales", events, sold)
	}
}

// floorMarshal encodes a value n times.
func floorMarshal(v any) func(n int) {
	return func(n int) {
		for range n {
			must(json.Marshal(v))
		}
	}
}
