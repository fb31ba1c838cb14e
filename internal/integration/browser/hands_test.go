package browser

import (
	"fmt"
	"io"
	"net/http"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

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
