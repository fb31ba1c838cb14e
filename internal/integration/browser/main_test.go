package browser

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// What the tests need beside the module.
var (
	chromium context.Context // of the one Chromium
	axe      string          // the source of axe-core
	scratch  string          // a folder that goes when the tests are over
)

// TestMain is console check 74.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	source, err := os.ReadFile(os.Getenv("TRIBUTARY_AXE"))
	if err != nil {
		return 0, fmt.Errorf("axe-core is read from TRIBUTARY_AXE, see .ci/browser: %w", err)
	}
	axe = string(source)
	if scratch, err = os.MkdirTemp("", "browser-*"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags()...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		return 0, fmt.Errorf("start Chromium: %w", err)
	}
	chromium = ctx
	code := m.Run()
	fmt.Printf("%d pages were opened, with %d requests\n", seen.pages.Load(), seen.requests.Load())
	return code, nil
}

// flags start Chromium without a window, without a sandbox where there is none
// (as root), and without a way to any other machine.
func flags() []chromedp.ExecAllocatorOption {
	path := os.Getenv("TRIBUTARY_CHROMIUM")
	if path == "" {
		path = "/usr/bin/chromium"
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(filepath.Join(scratch, "profile")),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP *.localhost 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("ignore-certificate-errors", true),        // those of this machine
		chromedp.Flag("test-third-party-cookie-phaseout", true), // as browsers that keep none of another site
		chromedp.Flag("lang", "en-GB"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	if os.Geteuid() == 0 {
		all = append(all, chromedp.NoSandbox)
	}
	return all
}

// TestWatch (check 49): the watch of a tab complains about what it is there for.
func TestWatch(t *testing.T) {
	t.Parallel()
	policy := "default-src 'none'; script-src 'self'; img-src data:"
	var html, headers string
	tb := unwatched(t, originOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", headers)
		write(w, html)
	})))
	for name, page := range map[string]struct{ html, policy, complaint string }{
		"quiet":      {"<h1>quiet</h1>", policy, ""},
		"console":    {"<script>console.error('broken')</script>", "", "broken"},
		"exception":  {"<script>nobody.knows()</script>", "", "exception"},
		"policy":     {"<style>h1 { color: red }</style>", policy, "securitypolicyviolation: style-src-elem inline"},
		"the log":    {"<script>1</script>", policy, "log: Executing inline script violates"},
		"dialog":     {"<script>alert('hello')</script>", "", "dialog: hello"},
		"origin":     {"<img src='http://127.0.0.1:1/x.png' alt=''>", "", "another origin: http://127.0.0.1:1/x.png"},
		"other host": {"<img src='http://tributary.example/x.png' alt=''>", "", "another origin: http://tributary.example/x.png"},
		"not there":  {"<img src='/gone.png' alt=''>", "", "404"},
		"size":       {strings.Repeat("x", maxPage), "", "over 102400 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			html, headers = page.html, page.policy
			before := len(tb.watch.complaints())
			tb.open("/")
			eval[int](tb, "1") // what came before has been seen
			got := tb.watch.complaints()[before:]
			if page.complaint == "" && len(got) > 0 || page.complaint != "" && !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, page.complaint) }) {
				t.Errorf("complaints: %q, want one of %q", got, page.complaint)
			}
		})
	}
}

// write answers with a page.
func write(w http.ResponseWriter, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html><html lang=en><title>t</title><link rel=icon href=data:,><body>" + html))
}

// A recorder is a test whose errors are another test's to read.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, strings.TrimSpace(format))
	for _, a := range args {
		if s, ok := a.(string); ok {
			r.errors = append(r.errors, s)
		}
	}
}

// TestLook (checks 47 and 48): looking at a page finds what is wrong with it.
func TestLook(t *testing.T) {
	t.Parallel()
	var html string
	rec := &recorder{TB: t}
	tb := newTab(t, originOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, html) })))
	tb.TB = rec
	for name, page := range map[string]struct{ html, want string }{
		"good":      {"<main><h1>A title</h1><p>A text.</p></main>", ""},
		"wide":      {"<main><h1>A title</h1><p style='width: 400px'>A text.</p></main>", "px wide"},
		"no title":  {"<main><p>A text.</p></main>", "0 titles"},
		"contrast":  {"<main><h1>A title</h1><p style='color: #999'>A text.</p></main>", "color-contrast"},
		"no label":  {"<main><h1>A title</h1><input></main>", "label"},
		"two small": {"<main><h1>A title</h1><p><button style='all: unset; font-size: 8px'>a</button><br><button style='all: unset; font-size: 8px'>b</button></p></main>", "target-size"},
		"dark":      {"<main><h1>A title</h1><style>@media (prefers-color-scheme: dark) { body { background: #000; color: #333 } }</style><p>A text.</p></main>", "color-contrast"},
	} {
		t.Run(name, func(t *testing.T) {
			html, rec.errors = page.html, nil
			tb.open("/")
			look(tb, 1)
			if got := strings.Join(rec.errors, "\n"); page.want == "" && got != "" || !strings.Contains(got, page.want) {
				t.Errorf("found %q, want %q", got, page.want)
			}
		})
	}
}

// maxPage is how many bytes the HTML of a page has at most.
const maxPage = 102_400

// seen counts the pages and the requests of all tabs.
var seen struct{ pages, requests atomic.Int64 }

// A document is the page of a tab, as the server answered it.
type document struct {
	request network.RequestID
	url     string
	status  int64
	bytes   int64
	headers network.Headers
}

// A watch sees what happens in a tab. It complains about errors of the console,
// violations of a policy, dialogs, requests to another origin and pages that are
// too large. It is safe for concurrent use.
type watch struct {
	origin string
	load   chan struct{} // of a page that is complete

	mu        sync.Mutex
	shown     document
	documents []network.RequestID
	found     []complaint
}

// A complaint about the answer to the request of a page is none: the tests compare
// the status of every page.
type complaint struct {
	text    string
	request network.RequestID
}

func newWatch(origin string) *watch { return &watch{origin: origin, load: make(chan struct{}, 1)} }

// see takes an event of the browser.
func (w *watch) see(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.complain("exception: %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert || e.Type == runtime.ConsoleAPICalledTypeWarning {
			w.complain("console: %s", argsOf(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			w.found = append(w.found, complaint{fmt.Sprintf("%s: log: %s", w.shown.url, e.Entry.Text), e.Entry.NetworkRequestID})
		}
	case *page.EventJavascriptDialogOpening:
		w.complain("dialog: %s", e.Message)
	case *page.EventLoadEventFired:
		seen.pages.Add(1)
		select {
		case w.load <- struct{}{}:
		default:
		}
	case *network.EventRequestWillBeSent:
		w.request(e)
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			w.shown = document{request: e.RequestID, url: e.Response.URL, status: e.Response.Status, headers: e.Response.Headers}
			w.documents = append(w.documents, e.RequestID)
		}
	case *network.EventDataReceived:
		if e.RequestID == w.shown.request {
			if w.shown.bytes += e.DataLength; w.shown.bytes > maxPage && w.shown.bytes-e.DataLength <= maxPage {
				w.complain("the page has over %d bytes", maxPage)
			}
		}
	}
}

func (w *watch) request(e *network.EventRequestWillBeSent) {
	seen.requests.Add(1)
	if url := e.Request.URL; !strings.HasPrefix(url, w.origin+"/") && !strings.HasPrefix(url, "data:") {
		w.complain("a request to another origin: %.200s", url)
	}
}

func (w *watch) complain(format string, args ...any) {
	w.found = append(w.found, complaint{w.shown.url + ": " + fmt.Sprintf(format, args...), ""})
}

func argsOf(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		all = append(all, string(a.Value)+a.Description)
	}
	return strings.Join(all, " ")
}

// complaints are those so far.
func (w *watch) complaints() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.found {
		if c.request == "" || !slices.Contains(w.documents, c.request) {
			all = append(all, c.text)
		}
	}
	return all
}

// page is the page that the tab shows.
func (w *watch) page() document {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown
}

// forget forgets that a page was complete.
func (w *watch) forget() {
	select {
	case <-w.load:
	default:
	}
}

// loaded waits for a page to be complete, and reports whether it came in time.
func (w *watch) loaded(in time.Duration) bool {
	select {
	case <-w.load:
		return true
	case <-time.After(in):
		return false
	}
}

const (
	fullKey        = "a-full-key-of-the-browser-tests"
	readKey        = "a-read-key-of-the-browser-tests"
	integrationKey = "an-integration-key-of-the-tests"
)

// server builds examples/server, once.
var server = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "server")
	build := exec.Command("go", "build", "-o", path, "./examples/server")
	build.Dir = filepath.Join("..", "..", "..")
	build.Stderr = os.Stderr
	return path, build.Run()
})

// startServer starts examples/server with a key of each scope, and
// returns its origin.
func startServer(t *testing.T) string {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("boss full "+fullKey+"\nreports read "+readKey+"\nshop integration "+integrationKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	run := exec.CommandContext(ctx, must(server())(t), "-addr", "127.0.0.1:0", "-key-file", keys)
	run.Stderr = os.Stderr
	out := must(run.StdoutPipe())(t)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = run.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if origin, ready := strings.CutPrefix(lines.Text(), "listening on "); ready {
			return origin
		}
	}
	t.Fatal("the server does not say where it listens")
	return ""
}

// TestLogin (checks 34, 45 and 47): a key opens the console as far as its scope goes,
// every other key is answered with one text, the eleventh try has to wait, and who
// signs out is out. The pages before the console can be read by everybody too.
func TestLogin(t *testing.T) {
	t.Parallel()
	for name, prepare := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := startServer(t)
			tb := newTab(t, origin)
			prepare(tb)
			tb.openAs(403, "/console/sales")
			look(tb, 1)
			tb.signIn(200, fullKey)
			if tb.path() != "/console/sales" {
				t.Errorf("after the login comes %s", tb.path())
			}
			tb.says("Sales")
			if n := tb.count("header form[method=post]"); n != 1 {
				t.Errorf("there are %d forms to sign out", n)
			}
			tb.press("Partners")
			tb.says("Add an affiliate…")
			tb.pressAs(403, "Sign out")
			tb.openAs(403, "/console/affiliates")
			tb.signIn(200, readKey)
			tb.openAs(403, "/console/affiliates/new")
			tb.open("/console/affiliates")
			if n := tb.count("main form[method=post], main a.button"); n != 0 {
				t.Errorf("a key of the scope read gets %d forms", n)
			}
			tb.pressAs(403, "Sign out")
			texts := map[string]bool{}
			for _, key := range []string{"a-wrong-key-of-the-browser-tests", "short", integrationKey, "4", "5", "6", "7", "8", "9", "10"} {
				tb.signIn(403, key)
				texts[tb.text("main")] = true
			}
			if len(texts) != 1 {
				t.Errorf("wrong keys get different texts: %v", texts)
			}
			look(tb, 1)
			tb.signIn(429, "a-wrong-key-of-the-browser-tests")
			tb.says("Too many wrong keys")
			look(tb, 1)
		})
	}
}

// signIn types a key into the form of the login.
func (tb *tab) signIn(status int64, key string) {
	tb.Helper()
	tb.fill("Key of the API", key)
	tb.pressAs(status, "Sign in")
}
