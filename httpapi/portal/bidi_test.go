package portal_test

import (
	"regexp"
	"strings"
	"testing"
)

var isolated = regexp.MustCompile(`(?s)<bdi>.*?</bdi>|<title>.*?</title>|<textarea.*?</textarea>`)

// TestValuesAreIsolated: on every page each text of people stands in an element that
// isolates it.
func TestValuesAreIsolated(t *testing.T) {
	const hebrew = "שלום"
	w := newWorld(t, " "+hebrew)
	shown := 0
	check := func(at, body string) {
		shown += strings.Count(body, hebrew)
		if rest := tags.ReplaceAllString(isolated.ReplaceAllString(body, ""), ""); strings.Contains(rest, hebrew) {
			t.Errorf("%s: %s", at, strings.Join(strings.Fields(rest), " "))
		}
	}
	cookie := w.enter(w.ada.ID)
	for at, page := range w.crawl(w.pages, cookie) {
		check(at, page.body)
	}
	check("choose", ask(w.pages, "GET", "/partner/enter?token="+must(w.pages.Token(w.bob.ID, 0)), "", "Cookie", cookie).body)
	if shown < 10 {
		t.Errorf("only %d texts", shown)
	}
}
