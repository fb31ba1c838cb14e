package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tributary-go/tributary/affiliate"
)

// A size is one of a window, in the pixels of CSS, and how many pixels of the
// screen one of them has.
type size struct {
	width, height int64
	scale         float64
}

// The windows that pages have to fit into.
var (
	phone  = size{320, 640, 1}
	tablet = size{768, 900, 1}
	desk   = size{1280, 900, 1}
	zoomed = size{640, 450, 2} // a desk at 200 %
)

// window makes the window of the tab another one.
func (tb *tab) window(s size) {
	tb.Helper()
	if tb.size == s {
		return
	}
	tb.size = s
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.width, Height: s.height, DeviceScaleFactor: s.scale})
}

// A scheme is what the reader prefers.
type scheme string

const (
	light scheme = "light"
	dark  scheme = "dark"
)

// colours makes the reader prefer a scheme.
func (tb *tab) colours(s scheme) {
	tb.Helper()
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(s)}},
	})
}

// print shows the page as it is printed for a reader who prefers a scheme, on paper as
// wide as A4 less its margins.
func (tb *tab) print(s scheme) {
	tb.Helper()
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(s)}},
	})
	tb.window(size{718, 1000, 1})
}

// fits reports what does not fit into a window: a page that scrolls sideways, what
// is wider than the window, on a telephone money that is cut or broken, a title that is not seen, and a place in the navigation that
// is not clear.
func (tb *tab) fits(s size) {
	tb.Helper()
	tb.window(s)
	for _, wrong := range eval[[]string](tb, misfits) {
		tb.Errorf("%s at %d px: %s", tb.path(), s.width, wrong)
	}
}

const misfits = `(() => {
	const wrong = [], root = document.documentElement, width = root.clientWidth;
	const name = (e) => e.tagName.toLowerCase() + (e.className && typeof e.className === "string" ? "." + e.className : "") + " " + e.textContent.trim().slice(0, 40);
	if (root.scrollWidth > width) wrong.push("the page is " + root.scrollWidth + " px wide");
	for (const e of document.body.querySelectorAll("*")) {
		const r = e.getBoundingClientRect();
		if (r.width === 0 || e.closest(".scroll, .skip, svg") && !e.matches(".scroll")) continue;
		if (r.right > width + 1 || r.left < -1) wrong.push(name(e) + " ends at " + Math.round(r.right));
	}
	if (width < 704) for (const e of document.querySelectorAll(".stack td.num, .figures b, .sum span:last-child")) {
		const r = e.getBoundingClientRect();
		if (r.width && (r.right > width + 1 || r.left < -1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || e.matches("b, span") && e.getClientRects().length > 1)) wrong.push("money is cut: " + name(e));
	}
	if (width >= 1264) for (const e of document.querySelectorAll(".scroll")) { // a desk less its scroll bar
		if (e.scrollWidth > e.clientWidth + 1) wrong.push("a table is cut off: " + e.ariaLabel + " " + e.scrollWidth + " of " + e.clientWidth);
	}
	const titles = document.querySelectorAll("h1");
	if (titles.length !== 1 || !titles[0].checkVisibility()) wrong.push(titles.length + " titles");
	const here = document.querySelectorAll("nav [aria-current=page]").length;
	if (document.querySelector("nav") && here !== 1) wrong.push(here + " places are the present one");
	return wrong.slice(0, 5);
})()`

// accessible reports what keeps somebody from using the page. Colours are all that
// another scheme changes, so in the dark only the rules about them are asked. axe is
// a script, so it sees nothing where they are off: there the page is the same.
func (tb *tab) accessible(s scheme) {
	tb.Helper()
	if tb.quiet {
		return
	}
	tb.colours(s)
	if !eval[bool](tb, `"axe" in window`) {
		eval[string](tb, axe+"; axe.version")
		eval[bool](tb, thinOut)
	}
	rules := `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`
	if s == dark {
		rules = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`
	}
	for _, wrong := range eval[[]string](tb, `axe.run(document, {runOnly: `+rules+`, resultTypes: ["violations"], preload: false}).then((found) =>
	found.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 300))))`) {
		tb.Errorf("%s in the %s: %s", tb.path(), s, wrong)
	}
}

// thinOut leaves one row of each kind in every table, by its elements and their
// classes: fifty that differ in their texts take the time of fifty.
const thinOut = `(() => {
	for (const rows of document.querySelectorAll("tbody")) {
		const known = new Set();
		for (const row of [...rows.rows]) {
			const kind = [...row.querySelectorAll("*")].map((e) => e.tagName + "." + e.className).join();
			if (known.has(kind)) row.remove();
			known.add(kind);
		}
	}
	return true;
})()`

// picture is what the window shows.
func (tb *tab) picture() []byte {
	tb.Helper()
	return call(tb, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data
}

// keep writes a picture into a folder, and checks that there is something to see.
func (tb *tab) keep(folder, name string) {
	tb.Helper()
	shot := tb.picture()
	img, err := png.Decode(bytes.NewReader(shot))
	tb.must(err)
	if n := coloursOf(img); n < enough {
		tb.Errorf("%s has %d colours", name, n)
	}
	tb.must(os.WriteFile(filepath.Join(folder, name+".png"), shot, 0o666))
}

// enough colours are seen on every page: its ground, its text, and what lies between
// them at the edges of letters.
const enough = 6

// coloursOf is how many colours a picture has; it counts no further than enough.
func coloursOf(img image.Image) int {
	all := map[color.Color]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y && len(all) < enough; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			all[img.At(x, y)] = true
		}
	}
	return len(all)
}

func (s size) String() string { return fmt.Sprint(s.width) }

// gallery are the pages of the demo whose pictures are kept, by the name of the
// picture, which begins with the set of pages.
func gallery(t testing.TB, w *world) map[string]string {
	t.Helper()
	mine := w.Partner(w.made.Ada.ID)
	sale, payout, link := must(mine.Sales(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0], must(mine.Payouts(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0], must(mine.Links(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0]
	runs := must(w.PayoutRuns(t.Context(), affiliate.Page{Limit: 1}))(t)
	return map[string]string{
		"console-overview":  "/",
		"console-reports":   "/reports?period=quarter",
		"console-owed":      "/owed?at=2025-11-30",
		"console-books":     "/books",
		"console-document":  "/affiliates/" + w.made.Ada.ID.String() + "/statements/2025-11/document",
		"console-sale":      "/sales/1288",
		"console-run":       "/payouts/run?externalId=" + runs.Items[0].ExternalID,
		"console-statement": "/affiliates/" + w.made.Ada.ID.String() + "/statements/2025-11",
		"console-affiliate": "/affiliates/" + w.made.Ada.ID.String(),
		"console-settings":  "/settings",
		"console-by-hand":   "/sales/new",
		"console-move":      "/sales/1288/move",
		"partner-overview":  "/",
		"partner-terms":     "/terms",
		"partner-links":     "/links",
		"partner-link":      "/links/" + link.ID.String(),
		"partner-codes":     "/codes",
		"partner-sales":     "/sales",
		"partner-sale":      fmt.Sprintf("/sales/%d", sale.ID),
		"partner-customers": "/customers",
		"partner-report":    "/reports/2025-12/links",
		"partner-statement": "/statements/2025-12",
		"partner-payouts":   "/payouts",
		"partner-payout":    "/payouts/" + payout.ID.String(),
		"partner-details":   "/payout-details",
		"partner-apply":     "/apply",
	}
}

// documented are the pictures of the documentation.
const documented = " console-overview console-reports console-sale console-run partner-overview "

// TestPictures (check 48): the demo fits a telephone, a tablet and a desk, in both
// schemes, and there is something to see. The pictures are kept as artefacts.
//
// With TRIBUTARY_PICTURES, those of the documentation are written into that folder.
func TestPictures(t *testing.T) {
	t.Parallel()
	w := newYear(t)
	w.made.Ada = must(w.Affiliate(t.Context(), "mara@roastnotes.example"))(t)
	tabs := map[string]*tab{}
	for set, mount := range sets {
		tabs[set] = newTab(t, originOf(t, mount(w)))
	}
	folder, documents := t.ArtifactDir(), os.Getenv("TRIBUTARY_PICTURES")
	for name, path := range gallery(t, w) {
		set, _, _ := strings.Cut(name, "-")
		tb := tabs[set]
		tb.open(path)
		for _, s := range []scheme{light, dark} {
			tb.colours(s)
			for _, window := range []size{phone, tablet, desk} {
				tb.fits(window)
				tb.keep(folder, fmt.Sprintf("%s-%d-%s", name, window.width, s))
			}
			if documents != "" && strings.Contains(documented, " "+name+" ") {
				tb.window(size{1080, 800, 1})
				tb.keep(documents, name+"-"+string(s))
			}
		}
	}
}

// TestEveryPicture keeps pictures of one page of each kind, of a telephone and a desk in both
// schemes, for somebody to look at. .ci/release asks for it.
func TestEveryPicture(t *testing.T) {
	if os.Getenv("TRIBUTARY_EVERY_PICTURE") == "" {
		t.Skip("TRIBUTARY_EVERY_PICTURE is not set: .ci/release sets it")
	}
	for set, mount := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newYear(t)
			w.made.Ada = must(w.Affiliate(t.Context(), "mara@roastnotes.example"))(t)
			tb, folder := newTab(t, originOf(t, mount(w))), t.ArtifactDir()
			crawl(tb, "/", 1, func(tb *tab, _ int) {
				name := strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-", "&", "-", "%", "-").Replace(kind(tb.path())), "-")
				for _, s := range []scheme{light, dark} {
					tb.colours(s)
					for _, window := range []size{phone, desk} {
						tb.window(window)
						tb.keep(folder, fmt.Sprintf("%s-%s-%d-%s", set, name, window.width, s))
					}
				}
			})
		})
	}
}

var pdfPage = regexp.MustCompile(`/Type\s*/Page\b`)

// TestPrint (check 48): a printed statement has every row and the whole of each, no
// navigation and no buttons, in light colours, and each month begins a page.
func TestPrint(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	for set, path := range map[string]string{"console": "/affiliates/" + w.made.Ada.ID.String() + "/statements/2026-03", "partner": "/statements/2026-03"} {
		t.Run(set, func(t *testing.T) {
			tb := newTab(t, originOf(t, sets[set](w)))
			tb.open(path)
			tb.printed()
			if set != "console" {
				return
			}
			tb.open(path + "/document")
			tb.print(light)
			if n := tb.sheets(); n != 1 {
				tb.Errorf("a document is on %d sheets", n)
			}
			if n := eval[int](tb, `[...document.querySelectorAll("header, nav, footer, form, .button, .hint")].filter((e) => e.checkVisibility() && e.getClientRects().length > 0).length`); n != 0 {
				tb.Errorf("%d parts of the frame are printed", n)
			}
		})
	}
}

// printed looks at the statement on paper.
func (tb *tab) printed() {
	tb.Helper()
	rows := tb.count("main tbody tr")
	if rows < 60 {
		tb.Errorf("only %d rows", rows)
	}
	const colours = `[...document.querySelectorAll("html, main *")].map((e) => getComputedStyle(e).color + getComputedStyle(e).backgroundColor).join()`
	tb.print(light)
	inLight := eval[string](tb, colours)
	tb.print(dark)
	if eval[string](tb, colours) != inLight {
		tb.Error("who prefers the dark gets other colours on paper")
	}
	shown := func(selector string) int {
		return eval[int](tb, `[...document.querySelectorAll("`+selector+`")].filter((e) => e.checkVisibility() && e.getClientRects().length > 0).length`)
	}
	if n := shown("header, nav, footer, form, button, .button, .skip"); n != 0 {
		tb.Errorf("%d parts of the frame are printed", n)
	}
	if n := shown("main tbody tr"); n != rows {
		tb.Errorf("%d rows of %d are printed", n, rows)
	}
	if cut := eval[[]string](tb, `[...document.querySelectorAll("main *")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").map((e) => e.className + " " + e.scrollWidth)`); len(cut) > 0 {
		tb.Errorf("the paper cuts %q", cut)
	}
	if n := tb.sheets(); n < 2 {
		tb.Errorf("%d rows on %d sheet", rows, n)
	}
	eval[int](tb, `(() => {
	const month = document.querySelector(".month");
	for (const row of [...month.querySelectorAll("tbody tr")].slice(2)) row.remove();
	month.after(month.cloneNode(true), month.cloneNode(true));
	return 0;
})()`)
	if n := tb.sheets(); n != 3 {
		tb.Errorf("three short months are on %d sheets", n)
	}
}

// sheets is how many sheets of A4 the page needs.
func (tb *tab) sheets() int {
	tb.Helper()
	pdf := call(tb, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69})
	return len(pdfPage.FindAll(pdf.Data, -1))
}

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
