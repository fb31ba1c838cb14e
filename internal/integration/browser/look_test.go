package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
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
