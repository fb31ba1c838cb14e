package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestSeenByServer: a handler sees the same request in process as over TCP.
func TestSeenByServer(t *testing.T) {
	type seenRequest struct {
		Method, RequestURI, Path, Query, Host, URLHost, Proto, Body string
		Length                                                      int64
		Header                                                      http.Header
		NoRemote, NoGetBody                                         bool
	}
	var got seenRequest
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Header.Del("Content-Length")
		r.Header.Del("Accept-Encoding")
		got = seenRequest{
			r.Method, r.RequestURI, r.URL.Path, r.URL.RawQuery, "", r.URL.Host, r.Proto, string(body),
			r.ContentLength, r.Header, r.RemoteAddr == "", r.GetBody == nil,
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Sale-Outcome", "unattributed")
		w.WriteHeader(http.StatusOK)
		w.Header().Set("Sale-Outcome", "too late")
		io.WriteString(w, "null")
	})
	srv := httptest.NewServer(h)
	defer srv.Close()
	tcp := must(client.New(srv.URL+"/a%2Fb", testKey, client.Config{}))
	defer tcp.CloseIdleConnections()
	local := must(client.New(srv.URL+"/a%2Fb", testKey, client.Config{Handler: h}))
	for name, call := range map[string]func(c *client.Client) error{
		"GET": func(c *client.Client) error { return errOf(c.Affiliate(t.Context(), "a b/c")) },
		"POST": func(c *client.Client) error {
			return errOf(c.RecordSale(t.Context(), affiliate.SaleParams{Once: affiliate.Once{Key: "k"}, Email: "a@b.org"}))
		},
		"DELETE": func(c *client.Client) error { return c.Keyed(affiliate.Once{Key: "k"}).DeleteSale(t.Context(), 7) },
	} {
		errTCP := call(tcp)
		want := got
		if !strings.HasPrefix(want.RequestURI, "/a%2Fb/api/v1/") {
			t.Errorf("%s asks for %s", name, want.RequestURI)
		}
		errLocal := call(local)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-TCP +in process):\n%s", name, diff)
		}
		if (errTCP == nil) != (errLocal == nil) || errTCP != nil && errTCP.Error() != errLocal.Error() {
			t.Errorf("%s: %v over TCP, %v in process", name, errTCP, errLocal)
		}
	}
	if out := must(local.RecordSale(t.Context(), affiliate.SaleParams{})); out.Outcome != affiliate.SaleUnattributed {
		t.Errorf("outcome %q: a header that was set after the status counts", out.Outcome)
	}
}

// TestHandlers: the use of the ResponseWriter has the same result in process as
// over TCP.
func TestHandlers(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"nothing":      func(http.ResponseWriter, *http.Request) {},
		"no type":      func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"id":7}`) },
		"html":         func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `<html>`) },
		"error":        func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) },
		"early hints":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); http.Error(w, `{"error":"x"}`, 400) },
		"status twice": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); w.WriteHeader(401) },
		"flush": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			w.WriteHeader(500)
			io.WriteString(w, `{"id":7}`)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) },
		"too long": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.Copy(w, io.LimitReader(zeros{}, 1<<16))
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(h)
			srv.Config.ErrorLog = discard()
			srv.Start()
			defer srv.Close()
			tcp := must(client.New(srv.URL, testKey, client.Config{MaxBody: 1 << 10}))
			defer tcp.CloseIdleConnections()
			local := must(client.New(srv.URL, testKey, client.Config{Handler: h, MaxBody: 1 << 10}))
			want, errWant := tcp.Sale(t.Context(), 7)
			got, errGot := local.Sale(t.Context(), 7)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-TCP +in process):\n%s", diff)
			}
			if (errWant == nil) != (errGot == nil) || errWant != nil && errWant.Error() != errGot.Error() {
				t.Errorf("%v over TCP, %v in process", errWant, errGot)
			}
		})
	}
}

// TestHandlerPanics: an aborted answer is a lost answer. Any other panic
// reaches the caller.
func TestHandlerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := failure(t, errOf(handling(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).Sale(t.Context(), 7)))
		if e.Attempts != 3 || !errors.Is(e, io.ErrUnexpectedEOF) {
			t.Errorf("aborted: %v", e)
		}
	})
	defer func() {
		if recover() != "bug" {
			t.Error("the panic is gone")
		}
	}()
	_, _ = handling(t, func(http.ResponseWriter, *http.Request) { panic("bug") }).Sale(t.Context(), 7)
}

// TestHandlerContext: the handler has the context of the attempt, and an answer
// that comes after its end does not count.
func TestHandlerContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting := func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"id":7}`)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begin := time.Now()
		err := errOf(handling(t, waiting).Sale(ctx, 7))
		if took := time.Since(begin); took != 3*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v after %v", err, took)
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if err := errOf(must(client.New(testBase, testKey, client.Config{
			Handler:   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") }),
			OnRequest: func(r *http.Request) { *r = *r.WithContext(ctx) }, MaxRetries: -1,
		})).Sale(t.Context(), 7)); !errors.Is(err, context.Canceled) {
			t.Errorf("ended before the handler: %v", err)
		}
		begin = time.Now()
		e := failure(t, errOf(handling(t, waiting).Sale(t.Context(), 7)))
		if took := time.Since(begin); e.Attempts != 3 || took < 30*time.Second || took > 32*time.Second {
			t.Errorf("%v after %v", e, took)
		}
	})
}

// TestNoGoroutine: no goroutine is left after a call in process, nor after a
// call over TCP once the idle connections are closed.
func TestNoGoroutine(t *testing.T) {
	_, h := newEngine(t)
	local := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	before := stacks()
	for range 20 {
		must(local.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
		must(local.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "nobody", TotalEarned: affiliate.MustAmount("1")}))
	}
	if n := stacks(); n > before {
		t.Errorf("%d goroutines after calls in process, %d before", n, before)
	}
	srv := httptest.NewServer(h)
	tcp := must(client.New(srv.URL, testKey, client.Config{}))
	for range 20 {
		must(tcp.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
	}
	tcp.CloseIdleConnections()
	srv.Close()
	for i := 0; stacks() > 0; i++ { // connections take some time to end
		if i == 1e6 {
			t.Fatalf("%d goroutines after the last call", stacks())
		}
		runtime.Gosched()
	}
}

// stacks counts the goroutines in package client or net/http.
func stacks() int {
	buf := make([]byte, 1<<20)
	n := 0
	for stack := range bytes.SplitSeq(buf[:runtime.Stack(buf, true)], []byte("\n\n")) {
		if s := string(stack); strings.Contains(s, "net/http.") && !strings.Contains(s, "stacks") {
			n++
		}
	}
	return n
}

// FuzzDecode: for any answer of a server, every method returns an answer, a
// miss or an *Error. It never panics and never needs more memory than the limit
// allows.
func FuzzDecode(f *testing.F) {
	f.Add(200, "application/json", `<?cursor=a>; rel="next"`, "recorded", []byte(`{"id":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01","createdAt":"2026-02-03T08:15:00.120Z"}`))
	f.Add(200, "application/json; charset=utf-8", `<`, "", []byte(`[{"id":5107,"totalEarned":129.5,"metadata":{"a":[null]},"referral":null}]`))
	f.Add(200, "", "", "", []byte(`null`))
	f.Add(200, "text/html", `,`, "", []byte(`<html>`))
	f.Add(204, "", "", "", []byte(``))
	f.Add(302, "", "", "", []byte(``))
	f.Add(400, "application/json", "", "slug_taken", []byte(`{"error":"This link already exists for this affiliate program","reason":"x"}`))
	f.Add(404, "application/json", "", "", []byte(`{"error":5}`))
	f.Add(429, "application/json", "", "1", []byte(`{"error":"Too many requests. Please slow down."}`))
	f.Add(999, "", `<a>;rel=";,next"`, "99999999999999999999", bytes.Repeat([]byte(`[`), 20_000))
	methods := invocations()
	f.Fuzz(func(t *testing.T, status int, kind, link, word string, body []byte) {
		if status < 100 || status > 999 {
			return
		}
		w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(body)),
				Header: http.Header{
					"Content-Type": {kind}, "Link": {link}, "Sale-Outcome": {word}, "Error-Code": {word},
					"Error-Field": {word}, "Retry-After": {word}, "Location": {link},
				},
			}, nil
		}}
		c := w.client(t, func(cfg *client.Config) { cfg.MinWait, cfg.MaxWait, cfg.MaxBody = 1, 1, 1<<12 })
		for _, inv := range methods {
			w.seen = nil
			err := inv.call(t.Context(), c)
			if err == nil || err == affiliate.ErrNotFound {
				if status/100 != 2 || len(w.seen) != 1 || len(body) > 1<<12 {
					t.Fatalf("%s took %d, %d bytes, for an answer", inv.name, status, len(body))
				}
				continue
			}
			e, ok := errors.AsType[*client.Error](err)
			if !ok || e.Status != status || e.Attempts != len(w.seen) || e.Attempts > 3 || len(e.Body) > 64<<10 || err.Error() == "" {
				t.Fatalf("%s: %v", inv.name, err)
			}
		}
	})
}
