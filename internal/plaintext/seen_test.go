package plaintext_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// unseen are blanks of Unicode and characters without a look, each pasted from
// somewhere.
const unseen = "\u00a0\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u202a\u202e\u2060\u2066\u2069\u3000\u3164\u2800\ufeff \t\n\v\f\r"

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \t\n\v\f\r": "", " a b ": "a b", unseen: "", unseen + "a" + unseen: "a", "a\x00": "a\x00", "\xffa\xff": "\xffa\xff",
		"می\u200cخواهم\u200c": "می\u200cخواهم", "\U0001F469\u200d\U0001F680\ufeff": "\U0001F469\u200d\U0001F680",
		"I \u2764\ufe0f ": "I \u2764\ufe0f", "\U0001F3F4\U000E0067\U000E007F": "\U0001F3F4\U000E0067\U000E007F",
		"a\u202eb": "a\u202eb", "\u06dd1": "\u06dd1",
	} {
		if got := plaintext.Trim(in); got != want {
			t.Errorf("Trim(%q) = %q", in, got)
		}
	}
}

func TestBare(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "SAVE20": "SAVE20", "\ufeffSA\u200bVE\u00ad20\u200e ": "SAVE20", "a b": "a b", "a\u00a0b": "a\u00a0b",
		"\u200b \u2060": "", "a\x00": "a\x00", "X\ufe0f": "X", " a\u200b \u200b": "a",
	} {
		if got := plaintext.Bare(in); got != want {
			t.Errorf("Bare(%q) = %q", in, got)
		}
	}
}

func TestBlank(t *testing.T) {
	for in, want := range map[string]bool{"": true, unseen: true, "\ufe0f": true, "a": false, " a ": false, "\u200ba": false, "\xff": false} {
		if got := plaintext.Blank(in); got != want {
			t.Errorf("Blank(%q) = %v", in, got)
		}
	}
}
