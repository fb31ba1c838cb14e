package browser

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

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
