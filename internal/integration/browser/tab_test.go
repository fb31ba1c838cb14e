package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long anything in the browser may take.
const patience = 20 * time.Second

// A tab is a tab of the browser, with no cookies of others. The test fails on
// whatever its watch complains about.
type tab struct {
	testing.TB
	watch *watch

	ctx    context.Context
	origin string // of the pages: nothing may be asked for elsewhere
	quiet  bool   // its pages run no scripts
	size   size   // of its window
	clicks int    // on links, buttons and fields
	typed  int    // addresses that were opened without a click
}

// newTab opens a tab for the pages of an origin, http://host:port, in a window of
// a desk.
func newTab(t testing.TB, origin string) *tab {
	t.Helper()
	tb := unwatched(t, origin)
	t.Cleanup(func() {
		_, _ = chromedp.Run(tb.ctx, chromedp.Evaluate[int]("1")) // what came before the answer has been seen
		for _, complaint := range tb.watch.complaints() {
			t.Errorf("%s", complaint)
		}
	})
	return tb
}

// unwatched opens a tab whose complaints are the test's to read.
func unwatched(t testing.TB, origin string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	tb := &tab{TB: t, ctx: ctx, origin: origin, watch: newWatch(origin)}
	tb.must(chromedp.Listen(ctx, func(event any) {
		tb.watch.see(event)
		if _, opened := event.(*page.EventJavascriptDialogOpening); opened {
			go call(tb, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}
	}))
	call(tb, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(tb, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reportViolations})
	tb.window(desk)
	return tb
}

// reportViolations makes a violation of the policy of a page an error of its
// console, also where the browser's log would not have it.
const reportViolations = `document.addEventListener("securitypolicyviolation", (e) =>
	console.error("securitypolicyviolation: " + e.violatedDirective + " " + e.blockedURI));`

func (tb *tab) must(err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// do runs steps that end soon.
func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	tb.must(chromedp.Do(ctx, steps...))
}

// call runs a command of the browser's protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) R {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if tb.ctx.Err() == nil {
		tb.must(err)
	}
	return result
}

// eval is the value of an expression in the page, also where its scripts are off.
func eval[T any](tb *tab, expression string) T {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.Fatalf("%v in %.200s", err, expression)
	}
	return value
}

// withoutScripts turns the scripts of all pages off.
func (tb *tab) withoutScripts() {
	tb.Helper()
	tb.quiet = true
	call(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// open goes to an address below the origin. Its page has to answer 200.
func (tb *tab) open(path string) {
	tb.Helper()
	tb.openAs(200, path)
}

// openAs goes to an address whose page answers with a status.
func (tb *tab) openAs(status int64, path string) {
	tb.Helper()
	tb.typed++
	tb.load(status, func() { call(tb, page.Navigate, page.NavigateParams{URL: tb.origin + path}) })
}

// load does what leads to another page, waits for it, and compares its status.
func (tb *tab) load(status int64, trigger func()) {
	tb.Helper()
	before := tb.url()
	tb.watch.forget()
	trigger()
	if !tb.watch.loaded(patience) {
		tb.Fatalf("%s leads to no other page", before)
	}
	if got := tb.watch.page(); got.status != status {
		tb.Fatalf("%s answered %d, not %d: %s", got.url, got.status, status, tb.text("body"))
	}
}

// url is the address of the page, as the address bar has it.
func (tb *tab) url() string {
	tb.Helper()
	return eval[string](tb, `location.href`)
}

// path is the address of the page below the origin.
func (tb *tab) path() string {
	tb.Helper()
	return strings.TrimPrefix(tb.url(), tb.origin)
}

// text is the text of the first element of a selector, as it is seen.
func (tb *tab) text(selector string) string {
	tb.Helper()
	return eval[string](tb, fmt.Sprintf(`(document.querySelector(%q)?.innerText ?? "").replace(/\s+/g, " ").trim()`, selector))
}

// says reports an error when the content of the page does not have a text.
func (tb *tab) says(want string) {
	tb.Helper()
	if got := tb.text("main"); !strings.Contains(got, want) {
		tb.Errorf("%s does not say %q: %.2000s", tb.path(), want, got)
	}
}

// count is how many elements a selector finds.
func (tb *tab) count(selector string) int {
	tb.Helper()
	return eval[int](tb, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// close closes the tab, with the requests that it waits for.
func (tb *tab) close() {
	tb.Helper()
	if err := chromedp.Cancel(tb.ctx); err != nil && !errors.Is(err, context.Canceled) {
		tb.Fatal(err)
	}
}
