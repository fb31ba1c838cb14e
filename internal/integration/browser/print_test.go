package browser

import (
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
)

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
