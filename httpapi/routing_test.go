package httpapi_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/httpapi"
)

// strayPaths are unknown paths at or below /api/v1.
var strayPaths = []string{
	"/api/v1", "/api/v1/", "/api/v1/nope", "/api/v1/coupons/", "/api/v1/coupons/0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01",
	"/api/v1/Coupons", "/api/v1/COUPONS", "/API/V1/coupons", "/api/v2/coupons", "/api/v1/coupon", "/api/v1/couponss",
	"/api%2Fv1/coupons", "/api/v1%2Fcoupons", "/api/v1/c%6Fupons", "/api/v1/coupons%20", "/api/v1/coupons%00", "/api/v1/%63oupons",
	"//api/v1//coupons", "//api/v1/coupons", "/api/v1//coupons", "/api/v1/x/../coupons", "/api/v1/./coupons", "/api/v1/coupons/..",
	"/api/v1/coupons/.", "/../api/v1/coupons", "/api/v1/%2e/coupons", "/api/v1/x/%2e%2e/coupons", "/api/v1/coupons;v=1", "/api/v1/coupons.json",
	"/api/v1/webhooks/", "/api/v1/webhooks/nope", "/api/v1/promotional-codes/validate/", "/api/v1/promotional_codes", "/", "/coupons", "/v1/coupons",
	`/api/v1\coupons`, "/api/v1/coupon?s", "*",
}

// TestStrayPaths: an unknown path is 404 for every method, with or without a
// key, and is never redirected.
func TestStrayPaths(t *testing.T) {
	w := newWorld(t)
	for _, path := range strayPaths {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			for _, key := range []string{"Authorization:", "Authorization: Bearer " + testKey} {
				got := w.do(method, path, "", key)
				if got.refusal() != "404 not_found: Not found" || got.header.Get("Allow") != "" {
					t.Errorf("%s %s: %s", method, path, got.refusal())
				}
			}
		}
	}
}

// mountings are the ways in which a host may mount the handler, with the prefix
// that callers then put before a path.
func mountings(api *httpapi.Handler) map[string]struct {
	prefix string
	host   http.Handler
} {
	host := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	beside := func(patterns ...string) http.Handler {
		mux := http.NewServeMux()
		for _, p := range patterns {
			mux.Handle(p, host)
		}
		api.Register(mux)
		return mux
	}
	subtree := http.NewServeMux()
	subtree.Handle("/api/v1/", api)
	subtree.Handle("/", host)
	partners := http.NewServeMux()
	partners.Handle("/partners/", http.StripPrefix("/partners", api))
	return map[string]struct {
		prefix string
		host   http.Handler
	}{
		"the server's own handler":     {"", api},
		"subtree of a mux":             {"", subtree},
		"StripPrefix":                  {"/partners", partners},
		"wildcard of a router":         {"", wildcards{"/api/": api, "/": host}},
		"Register alone":               {"", beside()},
		"Register beside GET /":        {"", beside("GET /")},
		"Register beside /":            {"", beside("/")},
		"Register beside GET /{p...}":  {"", beside("GET /{p...}")},
		"Register beside /api/":        {"", beside("/api/")},
		"Register beside /api/v1/":     {"", beside("/api/v1/")},
		"Register beside /api/v1/{r}":  {"", beside("/api/v1/{r}")},
		"Register beside GET /{a}/...": {"", beside("GET /{a}/{b}/{c}")},
		"Register beside {v}":          {"", beside("/api/{v}/coupons", "GET /api/{v}/links")},
		"Register beside many":         {"", beside("GET /", "POST /api/", "GET /api/v1/{r}", "OPTIONS /")},
	}
}

// wildcards is a router that strips nothing from a path: the longest prefix
// wins.
type wildcards map[string]http.Handler

func (m wildcards) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	best := ""
	for prefix := range m {
		if strings.HasPrefix(r.URL.Path, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	m[best].ServeHTTP(w, r)
}

// TestMountings: however it is mounted, the API answers every operation, and
// its own 405 for every other method of its paths.
func TestMountings(t *testing.T) {
	for name := range mountings(newWorld(t).api) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.fill()
			m := mountings(w.api)[name]
			for _, op := range s.operations() {
				if got := w.doWith(m.host, op.method, m.prefix+op.target, op.body); got.status != 200 {
					t.Errorf("%s: %s", op, got.refusal())
				}
			}
			for path, allow := range httpapi.Paths() {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
					if slices.Contains(strings.Split(allow, ", "), method) {
						continue
					}
					got := w.doWith(m.host, method, m.prefix+path, "")
					if got.status != 405 || got.header.Get("Allow") != allow {
						t.Errorf("%s %s: %d, Allow %q", method, path, got.status, got.header.Get("Allow"))
					}
				}
			}
		})
	}
}

// TestBeforeMux: a ServeMux treats a path as the package documentation says
// before the handler sees it, when the handler is mounted and when it is
// registered. A handler before the mux answers 404.
func TestBeforeMux(t *testing.T) {
	w := newWorld(t)
	mounted, registered := http.NewServeMux(), http.NewServeMux()
	mounted.Handle("/api/v1/", w.api)
	w.api.Register(registered)
	before := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/") {
			w.api.ServeHTTP(rw, r)
			return
		}
		mounted.ServeHTTP(rw, r)
	})
	for path, location := range map[string]string{
		"/api/v1//coupons": "/api/v1/coupons", "/api/v1/./coupons": "/api/v1/coupons", "/api/v1/x/../coupons": "/api/v1/coupons",
		"/api/v1/..//v1/coupons?id=x": "/api/v1/coupons?id=x",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			for name, mux := range map[string]http.Handler{"mounted": mounted, "registered": registered} {
				if got := goesTo(mux, method, path); got != location {
					t.Errorf("%s: %s %s goes to %q", name, method, path, got)
				}
			}
			if got := w.doWith(before, method, path, ""); got.refusal() != "404 not_found: Not found" {
				t.Errorf("before the mux: %s %s: %s", method, path, got.refusal())
			}
		}
	}
	if got := goesTo(mounted, "GET", "/api/v1"); got != "/api/v1/" {
		t.Errorf("/api/v1 goes to %q", got)
	}
}

// goesTo is the path to which a handler redirects a request with its body;
// empty when it does not.
func goesTo(h http.Handler, method, path string) string {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, request(method, path, ""))
	if rec.Code != http.StatusTemporaryRedirect {
		return ""
	}
	return rec.Header().Get("Location")
}

// TestRegisterClash: Register panics when a pattern is registered already. A
// pattern with a host name wins.
func TestRegisterClash(t *testing.T) {
	w := newWorld(t)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/coupons", func(http.ResponseWriter, *http.Request) {})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic for a pattern that is there already")
			}
		}()
		w.api.Register(mux)
	}()

	mux = http.NewServeMux()
	mux.HandleFunc("example.com/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	w.api.Register(mux)
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, request("GET", "/api/v1/coupons", "")) // httptest asks example.com
	if rec.Code != http.StatusTeapot {
		t.Errorf("a pattern with a host name gave %d", rec.Code)
	}
}

// TestNoGoroutines: a handler starts none, neither when it is made nor when it
// is registered nor when it serves.
func TestNoGoroutines(t *testing.T) {
	w := newWorld(t)
	ops := w.fill().operations()
	before := runtime.NumGoroutine()
	for range 100 {
		api := must(httpapi.New(w.Program, httpapi.Config{APIKeys: []string{testKey}}))
		api.Register(http.NewServeMux())
	}
	for _, op := range ops {
		w.ok(op.method, op.target, op.body)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// serve starts a server whose own handler is the API.
func (w *world) serve(change ...func(*http.Server)) *httptest.Server {
	w.t.Helper()
	srv := httptest.NewUnstartedServer(w.api)
	srv.Config.MaxHeaderBytes = 8 << 10
	for _, c := range change {
		c(srv.Config)
	}
	srv.Start()
	w.t.Cleanup(srv.Close)
	return srv
}

// raw sends bytes as they are and reads one answer; nil: the connection was
// closed without one.
func raw(t testing.TB, srv *httptest.Server, text string) *answer {
	t.Helper()
	conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
	defer conn.Close()
	go io.WriteString(conn, text) // a request that is refused early is never read to its end
	return readAnswer(t, bufio.NewReader(conn), text)
}

func readAnswer(t testing.TB, r *bufio.Reader, text string) *answer {
	t.Helper()
	method, _, _ := strings.Cut(text, " ")
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%.60q: the answer breaks off: %v", text, err)
	}
	got := &answer{resp.StatusCode, resp.Header, string(body)}
	if strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		got.check(t, text[:min(len(text), 60)])
	}
	return got
}

const rawKey = "Host: x\r\nAuthorization: Bearer " + testKey + "\r\n"

// TestHTTP: some requests are refused by net/http in plain text before the
// handler is called, the others reach the handler (bad-input corpus 3.A).
func TestHTTP(t *testing.T) {
	w := newWorld(t)
	srv := w.serve()
	before := w.dump()
	const get = "GET /api/v1/coupons HTTP/1.1\r\n"
	const post = "POST /api/v1/coupons HTTP/1.1\r\n" + rawKey + "Content-Type: application/json\r\n"
	for _, c := range []struct {
		name, text string
		want       string // "net" and a status: net/http answers
	}{
		{"B001 no Host", get + "Authorization: Bearer " + testKey + "\r\n\r\n", "net 400"},
		{"B002 bad Host", get + "Host: a b\r\n\r\n", "net 400"},
		{"B003 NUL in a header", get + rawKey + "X-A: a\x00b\r\n\r\n", "net 400"},
		{"B004 space before the colon", get + rawKey + "X-A : b\r\n\r\n", "net 400"},
		{"B005 20 KiB of headers", get + rawKey + "X-A: " + strings.Repeat("a", 20<<10) + "\r\n\r\n", "net 431"},
		{"B006 two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "net 400"},
		{"B007 negative length", post + "Content-Length: -1\r\n\r\n{}", "net 400"},
		{"B008 unknown coding", post + "Transfer-Encoding: gzip\r\n\r\n{}", "net 501"},
		{"B009 HTTP/0.9", "GET /api/v1/coupons\r\n\r\n", "net 400"},
		{"length and chunked", post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "400 missing_field: Name is required [name]"},
		{"bad chunk", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "400 invalid_json: Invalid JSON body"},
		{"empty chunked body", post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 body_required: Request body is required"},
		{"empty chunked body of another type", strings.Replace(post, "application/json", "text/plain", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"400 body_required: Request body is required"},
		{"chunked body of another type", strings.Replace(post, "application/json", "text/plain", 1) + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
			"415 unsupported_media_type: Content-Type must be application/json"},
		{"bad chunk of another type", strings.Replace(post, "application/json", "text/plain", 1) + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
			"415 unsupported_media_type: Content-Type must be application/json"},
		{"B015 encoded slash", "GET /api%2Fv1/coupons HTTP/1.1\r\n" + rawKey + "\r\n", "404 not_found: Not found"},
		{"B016 double slashes", "DELETE //api/v1//coupons HTTP/1.1\r\n" + rawKey + "\r\n", "404 not_found: Not found"},
		{"absolute target", "GET http://x/api/v1/coupons HTTP/1.1\r\n" + rawKey + "\r\n", "200"},
		{"target without a path", "GET http://x HTTP/1.1\r\n" + rawKey + "\r\n", "404 not_found: Not found"},
		{"asterisk", "OPTIONS * HTTP/1.1\r\n" + rawKey + "\r\n", "net 200"},
		{"B020 CONNECT", "CONNECT /api/v1/coupons HTTP/1.1\r\n" + rawKey + "\r\n", "405 method_not_allowed: Method not allowed"},
		{"CONNECT to a host", "CONNECT x:443 HTTP/1.1\r\n" + rawKey + "\r\n", "404 not_found: Not found"},
		{"B020 TRACE", "TRACE /api/v1/coupons HTTP/1.1\r\n" + rawKey + "\r\n", "405 method_not_allowed: Method not allowed"},
		{"B067 chunked body over the limit", post + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat(" ", 1<<16)+"\r\n", 17),
			"413 body_too_large: Request body too large"},
		{"B115 GET with a body", get + rawKey + "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc", "200"},
		{"HTTP/1.0", "GET /api/v1/coupons HTTP/1.0\r\n" + rawKey + "\r\n", "200"},
	} {
		got := raw(t, srv, c.text)
		if got == nil {
			t.Errorf("%s: no answer", c.name)
			continue
		}
		line := got.refusal()
		if !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
			line = "net " + line[:3]
		}
		if line != c.want {
			t.Errorf("%s: %s, want %s", c.name, line, c.want)
		}
	}
	equal(t, before, w.dump())
}

// TestExpectContinue: when the headers are refused, the server does not ask for
// the body.
func TestExpectContinue(t *testing.T) {
	w := newWorld(t)
	srv := w.serve()
	const head = "POST /api/v1/coupons HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		headers string
		status  int
	}{
		"no key":    {"Content-Length: 5\r\n", 401},
		"too large": {"Authorization: Bearer " + testKey + "\r\nContent-Length: 1048577\r\n", 413},
	} {
		got := raw(t, srv, head+c.headers+"\r\n")
		if got == nil || got.status != c.status {
			t.Errorf("%s: %+v, want %d and no 100 before it", name, got, c.status)
		}
	}
}

// TestSlowCallers: callers who never finish are cut off by the timeouts of the
// server and change nothing (B010, B011). The clock is the bubble's.
func TestSlowCallers(t *testing.T) {
	const post = "POST /api/v1/coupons HTTP/1.1\r\n" + rawKey + "Content-Type: application/json\r\n"
	for name, c := range map[string]struct {
		text, drip string
		wait       time.Duration
	}{
		"B010 headers":       {"GET /api/v1/coupons HTTP/1.1\r\nX-A: ", "x", 5 * time.Second},
		"B010 silence":       {"", "", 5 * time.Second},
		"B011 body":          {post + "Content-Length: 500\r\n\r\n{\"name\":", "x", 15 * time.Second},
		"B011 chunked body":  {post + "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"name\":\r\n", "", 15 * time.Second},
		"body of other type": {strings.Replace(post, "application/json", "a/b", 1) + "Transfer-Encoding: chunked\r\n\r\n", "", 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				before := w.dump()
				lis := newPipeListener()
				srv := &http.Server{Handler: w.api, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second}
				go srv.Serve(lis)
				defer srv.Close()
				conn := lis.dial()
				begin := time.Now()
				go func() {
					_, err := io.WriteString(conn, c.text)
					for err == nil && c.drip != "" {
						time.Sleep(500 * time.Millisecond) // of the bubble
						_, err = io.WriteString(conn, c.drip)
					}
				}()
				io.Copy(io.Discard, conn) // until the server closes
				conn.Close()
				defer time.Sleep(time.Second) // the last drip finds out
				if took := time.Since(begin); took < c.wait || took > c.wait+2*time.Second {
					t.Errorf("cut off after %v, want %v", took, c.wait)
				}
				if diff := cmp.Diff(before, w.dump()); diff != "" {
					t.Errorf("changed (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// TestBrokenBody: a body that breaks off changes nothing.
func TestBrokenBody(t *testing.T) {
	w := newWorld(t)
	srv := w.serve()
	before := w.dump()
	conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
	defer conn.Close()
	text := "POST /api/v1/coupons HTTP/1.1\r\n" + rawKey +
		"Content-Type: application/json\r\nContent-Length: 500\r\n\r\n" + `{"name":"a","percentOff":10}`
	io.WriteString(conn, text)
	conn.(*net.TCPConn).CloseWrite()
	got := readAnswer(t, bufio.NewReader(conn), text)
	if got == nil || got.refusal() != "400 invalid_json: Invalid JSON body" {
		t.Errorf("answer %+v", got)
	}
	equal(t, before, w.dump())
}

// A pipeListener accepts connections in memory.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// Accept returns the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is a fixed address that nobody can dial.
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
