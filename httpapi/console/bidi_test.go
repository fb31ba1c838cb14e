package console_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// hebrew is written from right to left, with letters that anybody may use.
const hebrew = " שלום"

// loose is where a page has a text of people that is not isolated from what stands
// beside it; empty: nowhere. The title of the window has no elements, and fields and
// choices say themselves that their text decides its direction.
func loose(t testing.TB, body string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	isolated := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "dir" && a.Value == "auto" {
					name = "bdi"
				}
			}
			open = append(open, name)
			if name == "bdi" || name == "title" {
				isolated++
			}
		case xml.EndElement:
			if last := open[len(open)-1]; last == "bdi" || last == "title" {
				isolated--
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if isolated == 0 && strings.Contains(string(e), strings.TrimSpace(hebrew)) {
				return strings.Join(open, " ") + ": " + strings.TrimSpace(string(e))
			}
		}
	}
}

// TestValuesAreIsolated: on every page and form each text of people stands in an
// element that isolates it.
func TestValuesAreIsolated(t *testing.T) {
	w := newWorld(t)
	w.fill(hebrew)
	shown := 0
	for at, page := range crawl(t, w.desk, "/") {
		if !strings.HasPrefix(page.head.Get("Content-Type"), "text/html") {
			continue
		}
		shown += strings.Count(page.body, "<bdi>")
		if where := loose(t, page.body); where != "" {
			t.Errorf("%s: in %s", at, where)
		}
	}
	if shown < 500 {
		t.Errorf("only %d texts are isolated", shown)
	}
	if where := loose(t, "<p>Edit"+hebrew+"</p>"); where == "" {
		t.Error("a loose text is not found")
	}
}
