package browser

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tributary-go/tributary/affiliate"
)

// TestKeyboard (check 38): somebody who has a keyboard alone approves an affiliate
// from the overview. The first stop is the link past the navigation, the focus is
// seen at every stop, and the stops come in the order in which the page is read.
// Scripts make no difference (check 45).
func TestKeyboard(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.open("/")
		stops := tb.tabUntil("Idle Y")
		if stops[0].Text != "Skip to the content" {
			t.Errorf("the first stop is %q", stops[0].Text)
		}
		tb.enter()
		tb.tabUntil("Approve…")
		tb.enter()
		tb.says("Idle Y")
		tb.tabUntil("Skip to the content")
		tb.do(chromedp.KeyEvent(kb.Enter)) // past the navigation
		if stops := tb.tabUntil("Approve"); len(stops) > 2 {
			t.Errorf("the form has %d stops before its button: %v", len(stops), stops)
		}
		tb.enter()
		tb.says("The status was changed.")
		if tb.count(".notice[role=status]") != 1 {
			t.Error("nothing says that it was done")
		}
		got := must(w.Affiliate(t.Context(), w.made.Idle.Email))(t)
		if got.Status != affiliate.AffiliateActive {
			t.Errorf("the affiliate is %s", got.Status)
		}
	})
}

// TestShortcuts: Esc closes a menu that lies over the page and leads back to where it was opened;
// Ctrl with K leads to the search.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	tb := newTab(t, originOf(t, sets["console"](w)))
	tb.open("/affiliates/" + w.made.Ada.ID.String())
	tb.unfold("More")
	if over := eval[string](tb, `getComputedStyle(document.querySelector(".more > .row")).position`); over != "absolute" {
		t.Errorf("the menu is %s", over)
	}
	tb.do(chromedp.KeyEvent(kb.Escape))
	if open := tb.count(".more[open]"); open != 0 {
		t.Error("Esc leaves the menu open")
	}
	if at := eval[string](tb, "document.activeElement.textContent"); at != "More" {
		t.Errorf("the focus is at %q", at)
	}
	tb.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if at := eval[string](tb, "document.activeElement.name"); at != "q" {
		t.Errorf("Ctrl and K lead to %q", at)
	}
}

// TestEveryStop (check 38): the focus is seen at every stop of the pages with most
// of them.
func TestEveryStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	tb := newTab(t, originOf(t, sets["console"](w)))
	for _, path := range []string{"/", "/affiliates", "/affiliates/" + w.made.Ada.ID.String(), "/sales?approval=ON_HOLD", "/affiliates/new", "/payouts", "/settings", "/plans/" + w.made.Plan.ID.String() + "/change"} {
		tb.open(path)
		want := tb.count("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")
		var stops []stop
		for {
			s := tb.tabOnce(stops)
			if s == nil || len(stops) > want {
				break
			}
			stops = append(stops, *s)
		}
		if hidden := tb.count("[hidden], details:not([open]) [tabindex], details:not([open]) a"); len(stops) < want-hidden {
			t.Errorf("%s has %d stops, not %d", path, len(stops), want-hidden)
		}
	}
}

// A stop is where the focus is.
type stop struct {
	Text  string
	Seen  bool // its outline, in the window and covered by nothing
	After bool // the stop before, in the order of the page, or in the same field
}

// tabOnce goes to the next stop; nil: there is none after the last.
func (tb *tab) tabOnce(before []stop) *stop {
	tb.Helper()
	tb.do(chromedp.KeyEvent(kb.Tab))
	s := eval[*stop](tb, `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return null;
	const style = getComputedStyle(e), r = e.getClientRects()[0];
	const x = Math.min(r.x + r.width / 2, innerWidth - 1), y = Math.min(r.y + Math.min(r.height, innerHeight) / 2, innerHeight - 1);
	const hit = document.elementFromPoint(x, y), inWindow = r.right > 0 && r.bottom > 0 && r.x < innerWidth && r.y < innerHeight;
	const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
	const last = window.lastStop;
	window.lastStop = e;
	return {Text: (e.textContent || e.getAttribute("aria-label") || e.name || "").replace(/\s+/g, " ").trim().slice(0, 60),
		Seen: outline && inWindow && !!hit && (e.contains(hit) || hit.contains(e) || [...e.labels ?? []].some((l) => l.contains(hit))),
		After: !last?.isConnected || last === e || !!(last.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)};
})()`)
	if s == nil {
		return nil
	}
	if !s.Seen {
		tb.Errorf("%s: the focus on %q is not seen", tb.path(), s.Text)
	}
	if !s.After {
		tb.Errorf("%s: %q comes after %q", tb.path(), s.Text, before[len(before)-1].Text)
	}
	return s
}

// tabUntil goes from stop to stop until one has a text, and returns those passed.
func (tb *tab) tabUntil(text string) (stops []stop) {
	tb.Helper()
	for range 200 {
		s := tb.tabOnce(stops)
		if s == nil {
			break
		}
		stops = append(stops, *s)
		if strings.HasPrefix(s.Text, text) {
			return stops
		}
	}
	tb.Fatalf("%s: no stop is %q: %v", tb.path(), text, stops)
	return nil
}

// enter presses Enter where the focus is, and waits for the next page.
func (tb *tab) enter() {
	tb.Helper()
	tb.load(200, func() { tb.do(chromedp.KeyEvent(kb.Enter)) })
}

// scripts are the two browsers: one that runs the scripts of pages, and one that does
// not.
var scripts = map[string]func(*tab){"scripts on": func(*tab) {}, "scripts off": (*tab).withoutScripts}

// scriptsOnAndOff runs a test in both browsers.
func scriptsOnAndOff(t *testing.T, test func(t *testing.T, open func(*world) *tab)) {
	t.Helper()
	runIn(t, scripts, test)
}

// scriptsOff runs a test where scripts are off, which is where more can be missing, and with
// TRIBUTARY_AT_LENGTH in both browsers.
func scriptsOff(t *testing.T, test func(t *testing.T, open func(*world) *tab)) {
	t.Helper()
	some := maps.Clone(scripts)
	if os.Getenv("TRIBUTARY_AT_LENGTH") == "" {
		delete(some, "scripts on")
	}
	runIn(t, some, test)
}

// runIn runs a test in browsers.
func runIn(t *testing.T, browsers map[string]func(*tab), test func(t *testing.T, open func(*world) *tab)) {
	t.Helper()
	for name, prepare := range browsers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(w *world) *tab {
				tb := newTab(t, originOf(t, sets["console"](w)))
				prepare(tb)
				return tb
			})
		})
	}
}

// A point is in pixels of the window.
type point struct{ X, Y float64 }

// pointOf is the middle of what an expression gives, which is scrolled into the
// window. The test fails where something else would be hit.
func (tb *tab) pointOf(what, expression string) point {
	tb.Helper()
	at := eval[*point](tb, fmt.Sprintf(`(() => {
	const found = %s;
	if (!found?.checkVisibility()) return null; // what is folded away cannot be clicked
	found.scrollIntoView({block: "center", behavior: "instant"});
	const r = found.getClientRects()[0];
	if (!r) return null;
	const x = r.x + r.width / 2, y = r.y + r.height / 2, hit = document.elementFromPoint(x, y);
	return hit && (found.contains(hit) || hit.contains(found)) ? {X: x, Y: y} : null;
})()`, expression))
	if at == nil {
		tb.Fatalf("%s has no %s to click: %.3000s", tb.path(), what, tb.text("body"))
	}
	return *at
}

// click clicks on what an expression gives.
func (tb *tab) click(what, expression string) {
	tb.Helper()
	at := tb.pointOf(what, expression)
	tb.clicks++
	tb.do(chromedp.MouseClickXY(at.X, at.Y))
}

// named finds a link or a button by its text, in the content before the frame.
func named(label string) string {
	return fmt.Sprintf(`["main ", ""].flatMap((s) => [...document.querySelectorAll(s + "a," + s + "button," + s + "summary")])
	.find((e) => e.checkVisibility() && e.textContent.replace(/\s+/g, " ").trim() === %q)`, label)
}

// press clicks on a link or a button and waits for the next page, which has to
// answer 200.
func (tb *tab) press(label string) {
	tb.Helper()
	tb.pressAs(200, label)
}

// pressAs is press where the next page answers with another status.
func (tb *tab) pressAs(status int64, label string) {
	tb.Helper()
	tb.load(status, func() { tb.click(label, named(label)) })
}

// unfold opens what is folded away below a text of the content.
func (tb *tab) unfold(label string) {
	tb.Helper()
	tb.click(label, fmt.Sprintf(`[...document.querySelectorAll("main summary")].findLast((e) => e.textContent.trim() === %q)`, label))
}

// labelled finds a field by the beginning of its label.
func labelled(label string) string {
	return fmt.Sprintf(`([...document.querySelectorAll("main label")]
	.find((l) => l.textContent.replace(/\s+/g, " ").trim().startsWith(%[1]q))?.control ??
	[...document.querySelectorAll("main td [aria-label]")].find((f) => f.ariaLabel === %[1]q))`, label)
}

// fill types into a field, instead of what is there.
func (tb *tab) fill(label, value string) {
	tb.Helper()
	tb.click(label, labelled(label))
	if kind := eval[string](tb, labelled(label)+".type"); kind == "date" { // its parts are typed one by one, as the place has it
		eval[string](tb, fmt.Sprintf("((f) => f.value = %q)(%s)", value, labelled(label)))
		return
	}
	eval[string](tb, labelled(label)+".select()+''")
	call(tb, input.InsertText, input.InsertTextParams{Text: value})
}

// choose chooses an option of a field by the beginning of its text.
func (tb *tab) choose(label, option string) {
	tb.Helper()
	tb.clicks++
	if !eval[bool](tb, fmt.Sprintf(`(() => {
	const field = %s, option = [...(field?.options ?? [])].find((o) => o.textContent.trim().startsWith(%q));
	if (option) field.value = option.value;
	return !!option;
})()`, labelled(label), option)) {
		tb.Fatalf("%s has no choice %s of %s: %s", tb.path(), option, label, tb.text("main"))
	}
}

// tick ticks or unticks a box by the beginning of its label.
func (tb *tab) tick(label string) {
	tb.Helper()
	tb.click(label, labelled(label))
}

// upload chooses a file of this machine.
func (tb *tab) upload(path string) {
	tb.Helper()
	tb.clicks++
	tb.do(chromedp.SetUploadFiles(chromedp.CSS("main input[type=file]"), []string{path}))
}

// address is where a link leads.
func (tb *tab) address(label string) string {
	tb.Helper()
	return eval[string](tb, "("+named(label)+")?.href ?? ''")
}

// file is what a link of the page leads to, when it is no page.
func (tb *tab) file(label string) string {
	tb.Helper()
	tb.clicks++
	answer := must(http.Get(tb.address(label)))(tb)
	defer answer.Body.Close()
	body := must(io.ReadAll(answer.Body))(tb)
	if answer.StatusCode != 200 {
		tb.Errorf("%s: %s", label, answer.Status)
	}
	return string(body)
}
