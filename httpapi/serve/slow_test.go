package serve_test

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/httpapi/serve"
)

var slowClients = flag.Int("slow", 0, "`connections` of TestManySlowClients")

// cutMargin is how much later than its limit a connection may be closed.
const cutMargin = time.Second

// TestSlowClients: the server cuts off clients that are too slow, and answers
// the others.
func TestSlowClients(t *testing.T) {
	const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
	for _, tt := range []struct {
		name, first string
		trickle     string        // goes on every half second
		reads       bool          // takes what the server sends
		after       time.Duration // the cut
	}{
		{"Silent", "", "", true, serve.ReadHeaderTimeout},
		{"HalfLine", "GET / HT", "", true, serve.ReadHeaderTimeout},
		{"HeaderByByte", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "x", true, serve.ReadHeaderTimeout},
		{"BodyByByte", post, "x", true, serve.ReadTimeout},
		{"Idle", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", true, serve.IdleTimeout},
		{"DoesNotRead", "GET /long HTTP/1.1\r\nHost: x\r\n\r\n", "", false, serve.WriteTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := servePipes(t)
				began := time.Now()
				var wg sync.WaitGroup
				for range 50 {
					conn := l.dial()
					wg.Go(func() { trickle(conn, tt.first, tt.trickle) })
					wg.Go(func() {
						if !tt.reads {
							time.Sleep(tt.after + cutMargin)
						}
						io.Copy(io.Discard, conn)
						if took := time.Since(began); took < tt.after || took > tt.after+cutMargin {
							t.Errorf("cut after %v, want %v", took, tt.after)
						}
						conn.Close()
					})
				}
				time.Sleep(tt.after / 2)
				quick := l.dial()
				go io.WriteString(quick, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
				if got, err := io.ReadAll(quick); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200 OK\r\n") {
					t.Errorf("the quick client got %q, %v", got, err)
				}
				wg.Wait()
			})
		})
	}
}

// trickle sends a text at once and then another one every half second until the
// connection is closed.
func trickle(conn net.Conn, first, then string) {
	_, err := io.WriteString(conn, first)
	for err == nil && then != "" {
		time.Sleep(time.Second / 2)
		_, err = io.WriteString(conn, then)
	}
}

// pipes is a listener for connections in memory, which use the clock of the
// bubble.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) dial() net.Conn {
	near, far := net.Pipe()
	l.conns <- far
	return near
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// servePipes runs a server on pipes.
func servePipes(t *testing.T) *pipes {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	run(t, l)
	return l
}

// run runs a server until the test ends. Its page reads the body and answers; at
// /long it answers with more than a connection buffers.
func run(t *testing.T, l net.Listener) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/long" {
			w.Write(make([]byte, 1<<20))
		}
	})
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve.Until(ctx, serve.New(handler, slog.New(slog.DiscardHandler)), l) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// TestManySlowClients opens as many TCP connections as -slow says, each of which
// sends a byte every half second. All are closed in time. Meanwhile other
// clients are served at least at half their rate, and the process, clients included,
// holds less than 256 MiB.
func TestManySlowClients(t *testing.T) {
	if *slowClients == 0 {
		t.Skip("SKIPPED: run with -slow 3000 (and enough file descriptors)")
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	run(t, l)
	address := l.Addr().String()
	calm := rate(t, address, 2*time.Second)
	var wg sync.WaitGroup
	var late, latest atomic.Int64
	for range *slowClients {
		conn := must(net.Dial("tcp", address))
		began := time.Now()
		wg.Go(func() { trickle(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "x") })
		wg.Go(func() {
			defer conn.Close()
			io.Copy(io.Discard, conn)
			took := time.Since(began)
			if took > serve.ReadHeaderTimeout+cutMargin {
				late.Add(1)
			}
			for was := latest.Load(); int64(took) > was && !latest.CompareAndSwap(was, int64(took)); was = latest.Load() {
			}
		})
	}
	busy := rate(t, address, 2*time.Second)
	wg.Wait()
	t.Logf("%d connections, the last cut after %v; %.0f requests/s before, %.0f meanwhile; peak memory %d MiB",
		*slowClients, time.Duration(latest.Load()).Round(time.Millisecond), calm, busy, peakMemory())
	if n := late.Load(); n > 0 {
		t.Errorf("%d connections were cut too late", n)
	}
	if peak := peakMemory(); peak >= 256 {
		t.Errorf("the process held %d MiB", peak)
	}
	if busy < calm/2 {
		t.Errorf("%.0f requests/s fell to %.0f", calm, busy)
	}
}

// rate returns how many requests of one client are answered in a second.
func rate(t *testing.T, address string, span time.Duration) float64 {
	t.Helper()
	n := 0
	for end := time.Now().Add(span); time.Now().Before(end); n++ {
		res := must(http.Get("http://" + address))
		if res.Body.Close(); res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	return float64(n) / span.Seconds()
}

// peakMemory returns the most memory that this process, clients included, has held, in
// MiB; 0 where the system does not say.
func peakMemory() int {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	kib := 0
	if match := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(raw); match != nil {
		kib, _ = strconv.Atoi(string(match[1]))
	}
	return kib >> 10
}
