package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestContext: the context limits the whole call, waits included.
func TestContext(t *testing.T) {
	reason := errors.New("shop closed")
	for _, row := range []struct {
		name     string
		answer   func(int, *http.Request) (*http.Response, error)
		ctx      func(context.Context) (context.Context, context.CancelFunc)
		attempts int
		status   int
		took     time.Duration
		is       []error
	}{
		{"ErrBefore", nil, canceledAfter(0, nil), 0, 0, 0, []error{context.Canceled}},
		{"ErrDuringAttempt", silent, canceledAfter(time.Second, nil), 1, 0, time.Second, []error{context.Canceled}},
		{"ErrDuringAttemptForAReason", silent, canceledAfter(time.Second, reason), 1, 0, time.Second, []error{context.Canceled, reason}},
		{"ErrDuringWait", answering(503, ""), canceledAfter(100*time.Millisecond, nil), 1, 503, 100 * time.Millisecond, []error{context.Canceled}},
		{"ErrDuringSecondAttempt", failing(io.EOF), canceledAfter(10*time.Millisecond, nil), 1, 0, 10 * time.Millisecond, []error{context.Canceled}},
		{"ErrDeadlineInAttempt", silent, deadlineAfter(3 * time.Second), 1, 0, 3 * time.Second, []error{context.DeadlineExceeded}},
		{"ErrDeadlineBeforeWaitEnds", failing(syscall.ECONNRESET), deadlineAfter(100 * time.Millisecond), 1, 0, 0, []error{context.DeadlineExceeded}},
		{"ErrDeadlineBeforeRetryAfter", answering(429, `{"error":"Too many requests. Please slow down."}`, "Retry-After", "2"), deadlineAfter(1500 * time.Millisecond), 1, 429, 0, []error{context.DeadlineExceeded, affiliate.RateLimited}},
		{"ErrAnswerBeforeDeadline", answering(400, `{"error":"Name is required"}`), deadlineAfter(time.Second), 1, 400, 0, []error{affiliate.MissingField}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answer: row.answer}
				c := w.client(t)
				begin := time.Now()
				ctx, cancel := row.ctx(t.Context())
				defer cancel()
				err := errOf(c.RecordSale(ctx, affiliate.SaleParams{}))
				e := failure(t, err)
				if len(w.seen) != row.attempts || e.Attempts != row.attempts || e.Status != row.status {
					t.Errorf("%d attempts seen, %d told, status %d; want %d, status %d", len(w.seen), e.Attempts, e.Status, row.attempts, row.status)
				}
				if took := time.Since(begin); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
				for _, target := range row.is {
					if !errors.Is(err, target) {
						t.Errorf("error %q is not %v", err, target)
					}
				}
			})
		})
	}
}

func canceledAfter(d time.Duration, reason error) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		if d == 0 {
			cancel(reason)
		} else {
			time.AfterFunc(d, func() { cancel(reason) })
		}
		return ctx, func() { cancel(nil) }
	}
}

func deadlineAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

// TestAnswerWins: a complete answer counts, even when the context ends at the
// same time.
func TestAnswerWins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		cancel()
		return reply(200, `{"count":1}`), nil
	}}
	n, err := w.client(t).UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: anID}, affiliate.AffiliateUpdate{})
	if n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

// TestWaits: waits are random, begin between MinWait and its double, and end at
// MaxWait.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		firsts := map[time.Duration]bool{}
		for range 30 {
			w := always(429, "")
			err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = 8 }).Affiliate(t.Context(), "ada"))
			if n := failure(t, err).Attempts; n != 9 || len(w.seen) != 9 {
				t.Fatalf("%d attempts, want 9", n)
			}
			for i := range 8 {
				wait, most := w.seen[i+1].at.Sub(w.seen[i].at), min(2*time.Second, 400*time.Millisecond<<i)
				if wait < 200*time.Millisecond || wait > most {
					t.Errorf("wait %d is %v, want 200ms to %v", i+1, wait, most)
				}
				if i == 0 {
					firsts[wait] = true
				}
			}
		}
		if len(firsts) < 20 {
			t.Errorf("30 first waits have %d lengths", len(firsts))
		}
	})
}

// TestRetryAfterDate: a Retry-After with a date is honoured. Dates have whole
// seconds.
func TestRetryAfterDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		w.answer = func(n int, _ *http.Request) (*http.Response, error) {
			if n > 1 {
				return reply(200, "[]"), nil
			}
			return reply(503, "", "Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat)), nil
		}
		must(w.client(t).Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
		if gap := w.seen[1].at.Sub(w.seen[0].at); gap != 2*time.Second {
			t.Errorf("came back after %v, want 2s", gap)
		}
	})
}

// TestLastAttempt: when no attempt is left, the error is not the deadline.
func TestLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: failing(syscall.ECONNRESET)}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Sale(ctx, 1))
		if !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRetries: MaxRetries counts repeats; negative is none.
func TestRetries(t *testing.T) {
	for retries, want := range map[int]int{0: 3, 1: 2, 5: 6, -1: 1} {
		synctest.Test(t, func(t *testing.T) {
			w := always(429, "")
			err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = retries }).Sale(t.Context(), 1))
			if n := failure(t, err).Attempts; n != want || len(w.seen) != want {
				t.Errorf("MaxRetries %d: %d attempts, want %d", retries, n, want)
			}
		})
	}
}

// TestIdleConnections: a failed call does not close connections that the host
// uses elsewhere.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := always(503, "")
		c := w.client(t)
		_ = errOf(c.Sale(t.Context(), 1))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_ = errOf(c.Sale(ctx, 1))
		if w.closed != 0 {
			t.Errorf("a failed call closed idle connections %d times", w.closed)
		}
		c.CloseIdleConnections()
		if w.closed != 1 {
			t.Error("CloseIdleConnections closed nothing")
		}
	})
}

// TestPatience: a test delivery has a longer timeout than other calls.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: func(_ int, r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(16 * time.Second):
				return reply(200, `{"delivered":false,"error":"timeout"}`), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}}
		got, err := w.client(t).Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: anID, Event: affiliate.SaleCreated})
		if err != nil || got.Error.Or("") != "timeout" || len(w.seen) != 1 {
			t.Errorf("got %v, %v after %d attempts", got, err, len(w.seen))
		}
	})
}

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

// startHTTP2 starts an HTTP/2 server, and returns an http.Client that trusts
// it.
func startHTTP2(t *testing.T, h http.HandlerFunc, change ...func(*http.Server)) (string, *http.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2, srv.Config.ErrorLog = true, discard()
	for _, c := range change {
		c(srv.Config)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv.URL, srv.Client()
}

// connKey finds the connection of a request in its context.
type connKey struct{}

// TestHTTP2Faults: how often a request arrives when its stream or its
// connection fails. Both the client and net/http may send it again.
func TestHTTP2Faults(t *testing.T) {
	part := affiliate.Refund{SaleID: 7, Amount: affiliate.Set(affiliate.MustAmount("1"))}
	calls := []struct {
		name     string
		noRepeat bool
		arrivals int64
		call     func(context.Context, *client.Client) error
	}{
		{"POST", false, 3, func(x context.Context, c *client.Client) error { return errOf(c.RecordSale(x, affiliate.SaleParams{})) }},
		{"POST under NoRepeat", true, 1, func(x context.Context, c *client.Client) error {
			return errOf(c.RecordSale(x, affiliate.SaleParams{}))
		}},
		{"PUT", false, 3, func(x context.Context, c *client.Client) error {
			return errOf(c.UpdateSale(x, 7, affiliate.SaleUpdate{}))
		}},
		{"PUT under NoRepeat", true, 1, func(x context.Context, c *client.Client) error {
			return errOf(c.UpdateSale(x, 7, affiliate.SaleUpdate{}))
		}},
		{"PATCH", false, 3, func(x context.Context, c *client.Client) error { return errOf(c.RefundSale(x, part)) }},
		{"PATCH under NoRepeat", true, 1, func(x context.Context, c *client.Client) error { return errOf(c.RefundSale(x, part)) }},
		{"DELETE under NoRepeat", true, 1, func(x context.Context, c *client.Client) error { return c.DeleteSale(x, 7) }},
	}
	for name, fault := range map[string]func(w http.ResponseWriter){
		"stream reset before headers": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"stream reset inside body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"id":`)
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"connection lost": func(w http.ResponseWriter) {}, // see below
	} {
		for _, row := range calls {
			t.Run(name+"/"+row.name, func(t *testing.T) {
				var arrived atomic.Int64
				url, hc := startHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					if r.ProtoMajor != 2 {
						t.Errorf("%s", r.Proto)
					}
					if r.Method == http.MethodGet { // opens the connection
						io.WriteString(w, "null")
						return
					}
					arrived.Add(1)
					if name == "connection lost" {
						r.Context().Value(connKey{}).(net.Conn).Close() // the next attempt has a new connection
						<-r.Context().Done()
					}
					fault(w)
				}, func(s *http.Server) {
					s.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
						return context.WithValue(ctx, connKey{}, conn)
					}
				})
				c := must(client.New(url, testKey, client.Config{HTTP: hc, MinWait: 1, MaxWait: 1, NoRepeat: row.noRepeat}))
				_, _ = c.Sale(t.Context(), 1)
				e := failure(t, row.call(t.Context(), c))
				if arrived.Load() != row.arrivals || int64(e.Attempts) != row.arrivals || e.Status != 0 {
					t.Errorf("%d arrived in %d attempts, want %d: %v", arrived.Load(), e.Attempts, row.arrivals, e)
				}
			})
		}
	}
}

// TestShared uses one client with hooks, jar and repeats from many goroutines
// at once, for the race detector.
func TestShared(t *testing.T) {
	var n atomic.Int64
	url, hc := startHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if n.Add(1)%3 == 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"id":7,"count":1}`)
	})
	c := must(client.New(url, testKey, client.Config{
		HTTP: hc, MinWait: 1, MaxWait: 1, MaxRetries: 50,
		OnRequest:  func(r *http.Request) { r.Header.Set("Traceparent", "00") },
		OnResponse: func(r *http.Response) { r.Header.Set("X", "y"); io.Copy(io.Discard, r.Body) },
	}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if _, err := c.RecordSale(t.Context(), affiliate.SaleParams{}); err != nil {
					t.Error(err)
				}
				if _, err := c.Sale(t.Context(), 7); err != nil {
					t.Error(err)
				}
				if err := c.DeleteSale(t.Context(), 7); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
