package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// A moodyStore fails, or waits for the end of its context, when it is told to.
type moodyStore struct {
	record.Store
	err  error
	hang bool
	full bool // it refuses writes
}

func (s *moodyStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.full {
		return errors.New("disk full")
	}
	return s.Store.Update(ctx, id, fn)
}

func (s *moodyStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.err != nil {
		return s.err
	}
	return s.Store.View(ctx, id, fn)
}

type readiness struct {
	Ready, Stopping bool
	Checks          []struct {
		Name   string
		OK     bool
		TookMS int64
	}
	DeliveryLagMS int64
}

// Check 72: ready as long as the store answers in time and nobody stops the
// server; alive throughout.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &moodyStore{Store: memstore.New()}
		program := must(tributary.New(store, tributary.Config{}))
		stopping := make(chan struct{})
		health := serve.Health{Programs: []*tributary.Program{program}, Stopping: stopping, Store: store}
		probe := func(what string, want int) readiness {
			t.Helper()
			alive := httptest.NewRecorder()
			health.ServeHTTP(alive, httptest.NewRequest("GET", "/healthz", nil))
			if alive.Code != 200 || alive.Body.String() != "ok\n" {
				t.Errorf("%s: /healthz answers %d %q", what, alive.Code, alive.Body)
			}
			w := httptest.NewRecorder()
			health.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
			var now readiness
			must(0, json.Unmarshal(w.Body.Bytes(), &now))
			if w.Code != want || now.Ready != (want == 200) || len(now.Checks) != 1 {
				t.Errorf("%s: /readyz answers %d %s, want %d", what, w.Code, w.Body, want)
			}
			return now
		}
		probe("at first", 200)
		store.err = errors.New("connection refused: db.internal:5432")
		probe("the store is down", 503)
		store.err = nil
		probe("it is back", 200)
		store.hang = true
		if now := probe("it hangs", 503); now.Checks[0].TookMS != 1000 {
			t.Errorf("it was asked for %d ms", now.Checks[0].TookMS)
		}
		store.hang = false
		_, err := program.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://hooks.example/x", Events: []affiliate.EventType{affiliate.AffiliateCreated}})
		_, err2 := program.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org"})
		must(0, errors.Join(err, err2))
		store.full = true
		probe("it refuses writes", 503)
		store.full = false
		probe("it takes them again", 200)
		if err := program.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		left := 0
		if err := store.View(t.Context(), program.Config().ID, func(tx *record.Tx) error {
			left = 0
			for range tx.Receipts.List(record.Query{}) {
				left++
			}
			return nil
		}); err != nil || left != 0 {
			t.Errorf("probes left %d records, error %v", left, err)
		}
		time.Sleep(90 * time.Second)
		if now := probe("deliveries are late", 200); now.DeliveryLagMS < 80_000 {
			t.Errorf("the lag is %d ms", now.DeliveryLagMS)
		}
		close(stopping)
		if now := probe("it stops", 503); !now.Stopping {
			t.Error("it does not say that it stops")
		}
	})
}

// Check 72: from the signal on the server says that it is not ready, as long as
// requests are under way, and answers these.
func TestNotReadyWhileItEnds(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, signal := context.WithCancel(t.Context())
	begun, finish := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-finish
		_, _ = io.WriteString(w, "done")
	})
	site := serve.Site{Page: slow, Health: serve.Health{Stopping: ctx.Done()}}
	ended := make(chan error, 1)
	go func() { ended <- serve.Until(ctx, serve.New(site, slog.New(slog.DiscardHandler)), listener) }()
	get := func(path string) (int, string) {
		res, err := http.Get("http://" + listener.Addr().String() + path)
		if err != nil {
			return 0, err.Error()
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	if status, body := get("/readyz"); status != 200 {
		t.Fatalf("before: %d %s", status, body)
	}
	answer := make(chan string, 1)
	go func() {
		_, body := get("/")
		answer <- body
	}()
	<-begun
	signal()
	if status, body := get("/readyz"); status != 503 {
		t.Errorf("while it ends: %d %s, want 503", status, body)
	}
	if status, body := get("/healthz"); status != 200 {
		t.Errorf("while it ends, /healthz: %d %s", status, body)
	}
	close(finish)
	if diff := cmp.Diff("done", <-answer); diff != "" {
		t.Errorf("the request under way (-want +got):\n%s", diff)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if status, _ := get("/healthz"); status != 0 {
		t.Errorf("afterwards: %d", status)
	}
}

// ask sends a request on a connection of its own: 0 when it is not taken.
func (l *pipes) ask() (status int) {
	mine, theirs := net.Pipe()
	defer mine.Close()
	select {
	case l.conns <- theirs:
	case <-l.closed:
		return 0
	}
	if _, err := io.WriteString(mine, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		return -1
	}
	res, err := http.ReadResponse(bufio.NewReader(mine), nil)
	if err != nil {
		return -1
	}
	return res.StatusCode
}

// A server that is ending under steady traffic, where a request is always under
// way, stops to take new ones after its DrainTime and answers those that it took.
func TestEndsUnderTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(8 * time.Second) })
		listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, signal := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- serve.Until(ctx, serve.New(slow, slog.New(slog.DiscardHandler)), listener) }()
		answered := make(chan int, 100)
		for i := range 60 {
			time.AfterFunc(time.Duration(i)*time.Second, func() { answered <- listener.ask() })
		}
		time.Sleep(10*time.Second + time.Millisecond)
		signal()
		start := time.Now()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(start); took > serve.DrainTime+9*time.Second {
			t.Errorf("it ended after %v", took)
		}
		time.Sleep(time.Minute)
		count := map[int]int{}
		for range 60 {
			count[<-answered]++
		}
		if diff := cmp.Diff(map[int]int{200: 16, 0: 44}, count); diff != "" {
			t.Errorf("requests by their status (-want +got):\n%s", diff)
		}
	})
}
