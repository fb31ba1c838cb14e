package robustness

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/memstore"
)

const apiKey = "trib_live_0123456789abcdefghijklmnopqrstuvwxyz"

// overHTTP is a target whose clients call a server on loopback. A line between
// them may lose answers; a client that repeats its calls is to get them all
// the same.
func overHTTP(name string, l *line, repeats int) target {
	return target{name: name, loses: l.every > 0 && repeats < 0, open: func(t *testing.T, pl plant, stopped bool) world {
		clean, late := memstore.New(), newLate()
		change := func(c *tributary.Config) { c.Now = clock(stopped, 0) }
		p := newProgram(t, clean, change)
		served := newProgram(t, pl.inStore(crowdedStore{clean}, late), change, func(c *tributary.Config) { c.ID = p.Config().ID })
		h, err := httpapi.New(served, httpapi.Config{APIKeys: []string{apiKey}})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(h)
		transport := &http.Transport{MaxIdleConnsPerHost: 16}
		ops := pl.inClient(api.Of(newClient(t, srv.URL, apiKey, l.over(transport), repeats)), p, clean, late)
		return world{p, func(int) api.Operations { return ops }, func() {
			late.wait()
			transport.CloseIdleConnections()
			srv.Close()
		}, false}
	}}
}

func newClient(t *testing.T, url, key string, transport http.RoundTripper, repeats int) *client.Client {
	t.Helper()
	c, err := client.New(url, key, client.Config{
		HTTP: &http.Client{Transport: transport}, MaxRetries: repeats, MinWait: time.Microsecond, MaxWait: time.Millisecond, Timeout: 30 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A line carries requests, and loses the answer of each one of so many. 0: none.
type line struct {
	every int64
	sent  atomic.Int64
	lost  [len(methods)]atomic.Int64 // by method
}

// methods are those whose answers are lost.
var methods = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// lines are how many answers each method lost.
func (l *line) losses() map[string]int64 {
	all := map[string]int64{}
	for i, m := range methods {
		all[m] = l.lost[i].Load()
	}
	return all
}

func (l *line) over(next http.RoundTripper) http.RoundTripper { return lossyTransport{l, next} }

type lossyTransport struct {
	line *line
	next http.RoundTripper
}

// RoundTrip sends a request. Losing an answer goes by turns: it was never sent,
// nothing comes back, its body is cut, a proxy answers instead, or the time is
// up.
func (l lossyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	turn := l.line.sent.Add(1)
	if l.line.every == 0 || turn%l.line.every != 0 {
		return l.next.RoundTrip(r)
	}
	for i, m := range methods {
		if m == r.Method {
			l.line.lost[i].Add(1)
		}
	}
	kind := turn / l.line.every % 5
	if kind == 0 {
		return nil, &connRefusal{}
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	switch {
	case err != nil:
		return nil, err
	case kind == 1:
		return nil, io.ErrUnexpectedEOF
	case kind == 2:
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(raw[:len(raw)/2]), bodyBreak{}))
	case kind == 3:
		resp.StatusCode, resp.ContentLength, resp.Body = http.StatusBadGateway, -1, io.NopCloser(strings.NewReader("<html>"))
		resp.Header = http.Header{"Content-Type": {"text/html"}}
	default:
		return nil, os.ErrDeadlineExceeded
	}
	return resp, nil
}

// connRefusal is the error of a connection that was never made.
type connRefusal struct{}

func (*connRefusal) Error() string { return "connection refused" }

// bodyBreak is the end of a body whose connection broke.
type bodyBreak struct{}

func (bodyBreak) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestHistoriesOverHTTP is G02, and G04 with every kind of lost answer.
func TestHistoriesOverHTTP(t *testing.T) {
	histories(t, goal{target: overHTTP("HTTP", &line{}, -1), short: 10, long: 350, clients: 8, calls: 100})
	for name, repeats := range map[string]int{"HTTP, lost answers": -1, "HTTP, lost answers, repeated": 4} {
		l := &line{every: 50}
		histories(t, goal{target: overHTTP(name, l, repeats), short: 6, long: 200, clients: 8, calls: 80})
		t.Logf("%s: %v", name, l.losses())
		for m, n := range l.losses() {
			if n == 0 {
				t.Errorf("%s: no answer of a %s was lost", name, m)
			}
		}
	}
}
