package client_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

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
