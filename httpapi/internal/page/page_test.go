package page_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// TestText (check 46): what cannot be seen is shown, and what is long is cut.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\u202eb": "aU+202Eb", "a\u200bb": "aU+200Bb", "\ufeff": "U+FEFF", "a\x00b\x1b": "aU+0000bU+001B",
		"\u2066x\u2069": "U+2066xU+2069", "\u2028": "U+2028", "\u3164": "U+3164", "a\u200db": "aU+200Db", "\u200d": "U+200D",
		"👩\u200d👩\u200d👧": "👩\u200d👩\u200d👧", "👩🏽\u200d🚀": "👩🏽\u200d🚀", "❤\ufe0f": "❤\ufe0f", "a\ufe0f": "aU+FE0F", "\xff": "\ufffd", "שלום": "שלום", "": "",
		"\U000e0041": "U+E0041",
	} {
		if got := page.Text(in, page.InList); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
	if got := page.Text("line\r\nbreak", page.InDetail); got != "line\nbreak" {
		t.Errorf("%q", got)
	}
	if got := page.Text(strings.Repeat("ü", 201), page.InList); got != strings.Repeat("ü", 200)+"… (201 characters)" {
		t.Errorf("%q", got)
	}
	if got := page.Text(strings.Repeat("ü", 200), page.InList); got != strings.Repeat("ü", 200) {
		t.Errorf("%q", got)
	}
}

// TestForms (checks 35 and 52): a token is good for 12 hours, and for what it was
// made about.
func TestForms(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	f, err := page.NewForms(key, "p")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 10, 9, 59, 59, 0, time.UTC)
	token := f.Token(at, "a", "b")
	same, _ := page.NewForms(key, "p")
	for name, c := range map[string]struct {
		ok bool
		is bool
	}{
		"now": {true, f.Valid(at, token, "a", "b")}, "the same key": {true, same.Valid(at, token, "a", "b")},
		"12 hours": {true, f.Valid(at.Add(12*time.Hour), token, "a", "b")}, "13 hours": {false, f.Valid(at.Add(13*time.Hour), token, "a", "b")},
		"before": {false, f.Valid(at.Add(-time.Hour), token, "a", "b")}, "moved": {false, f.Valid(at, token, "ab", "")}, "less": {false, f.Valid(at, token, "a")},
		"empty": {false, f.Valid(at, "", "a", "b")}, "raised hour": {false, f.Valid(at.Add(20*time.Hour), "zzzz"+token, "a", "b")}, "no number": {false, f.Valid(at, "!."+token, "a", "b")},
	} {
		if c.ok != c.is {
			t.Errorf("%s: %v", name, c.is)
		}
	}
	for i := range token {
		if f.Valid(at, token[:i]+string(token[i]^1)+token[i+1:], "a", "b") || f.Valid(at, token[:i], "a", "b") {
			t.Errorf("a token that is changed or cut at %d is taken", i)
		}
	}
	for _, purpose := range []string{"p", "q"} {
		fresh, _ := page.NewForms(nil, purpose)
		other, _ := page.NewForms(key, "q")
		if fresh.Valid(at, token, "a", "b") || other.Valid(at, token, "a", "b") {
			t.Error("a token of another key or purpose is taken")
		}
	}
}

// TestFigures: amounts, numbers and bars for people. No line ends between an amount and
// its currency.
func TestFigures(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0.00\u00a0USD", "1234.5": "1,234.50\u00a0USD", "-1234567.89": "−1,234,567.89\u00a0USD", "999": "999.00\u00a0USD",
		"-100": "−100.00\u00a0USD", "99999999999": "99,999,999,999.00\u00a0USD",
	} {
		if got := page.Money(affiliate.MustAmount(in), "USD"); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
	if got := page.Money(affiliate.MustAmount("12345"), "JPY"); got != "12,345\u00a0JPY" {
		t.Error(got)
	}
	if got := page.Count(-1234567); got != "−1,234,567" {
		t.Error(got)
	}
}

// A chart's scale ends at a round number, nothing leaves the picture, and what is above zero is seen.
func TestChart(t *testing.T) {
	draw := func(before []int64, values ...int64) *page.Chart {
		points := make([]page.Point, len(values))
		for i, v := range values {
			points[i] = page.Point{Name: fmt.Sprint("day ", i), Said: fmt.Sprint(v, " USD"), Value: v}
		}
		return page.NewChart("Revenue", points, before, func(v int64) string { return fmt.Sprint(v) })
	}
	c := draw([]int64{380, 0, 20, 5}, 0, 1, -5, 400, 200)
	for i, height := range []int64{0, 1, 0, page.ChartHeight, page.ChartHeight / 2} {
		if b := c.Bars[i]; b.Height != height || b.Y+b.Height != page.ChartHeight || b.X+b.Width > page.ChartWidth {
			t.Errorf("bar %d: %+v", i, b)
		}
	}
	if c.Scale != [3]string{"400", "200", "0"} || c.Ends != [2]string{"day 0", "day 4"} || c.Bars[1].Label != "day 1: 1 USD" || c.Before != "45,6 165,120 285,114 405,119" {
		t.Errorf("got %+v", c)
	}
	for _, nothing := range [][]int64{nil, {0, -5}} {
		if c := draw(nil, nothing...); c != nil {
			t.Errorf("of nothing: %+v", c)
		}
	}
	if c := draw([]int64{1, 2, 3}, 5); c.Before != "" || c.Scale[0] != "6" {
		t.Errorf("of one: %+v", c)
	}
	for n, want := range map[int64]string{1: "2", 3: "4", 5: "6", 7: "8", 11: "12", 81: "100", 100_001: "120000", 2_000_001: "2400000", 9e18: "9223372036854775807"} {
		if c := draw(nil, n); c.Scale[0] != want || c.Bars[0].Height > page.ChartHeight {
			t.Errorf("up to %d: %+v", n, c)
		}
	}
	if c := draw(nil, append(make([]int64, 999), 1)...); c.Bars[999].X+c.Bars[999].Width > page.ChartWidth || c.Bars[0].Width < 1 {
		t.Errorf("of many: %+v", c.Bars[999])
	}
}

// TestAssets (3): they are small, and no other name is one.
func TestAssets(t *testing.T) {
	for name, most := range map[string]int{page.Style.Name: 24_000, page.Script.Name: 6_000} {
		w := httptest.NewRecorder()
		if !page.ServeAsset(w, name) || w.Body.Len() > most || w.Body.Len() == 0 {
			t.Errorf("%s: %d bytes", name, w.Body.Len())
		}
	}
	for _, name := range []string{"", "style.css", "../style.css", "style.000000000000.css"} {
		if page.ServeAsset(httptest.NewRecorder(), name) {
			t.Errorf("%q is an asset", name)
		}
	}
}
