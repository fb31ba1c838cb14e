package page_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// TestTitle: a name in a title is a part of its own, whatever is in it.
func TestTitle(t *testing.T) {
	for _, name := range []string{"Ada", "שלום", "a\U000f0001b\U000f0000c", "\u202e", ""} {
		title := "Is " + page.Named(name) + " active?"
		want := []page.Part{{Text: "Is "}, {Text: page.Text(name, page.InList), Name: true}, {Text: " active?"}}
		if diff := cmp.Diff(want, page.Parts(title)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		if got, want := page.Plain(title), "Is "+page.Text(name, page.InList)+" active?"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := page.Parts("Sales"); len(got) != 1 || got[0].Name {
		t.Errorf("%v", got)
	}
}

// TestOneLine: a line of a log has one line, and nothing in it moves or hides the rest.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"ada": "ada", "a\nb\r": "ab", "a\u202eb\u2066": "ab", "a\u200b\x1b[2K": "a[2K", "\u0085\u2028\xff": "", "שלום": "שלום"} {
		if got := page.OneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
