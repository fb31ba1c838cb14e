package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

func TestAllocations(t *testing.T) {
	long := strings.Repeat("x", 60_000)
	for name, call := range map[string]func(){
		"Valid":  func() { plaintext.Valid("Mara", false) },
		"Longer": func() { _ = plaintext.Longer(long, 255) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, call); got != 0 {
				t.Errorf("%v allocations, want 0", got)
			}
		})
	}
}

func TestValid(t *testing.T) {
	for _, tt := range []struct {
		name, in    string
		line, notes bool
	}{
		{"Empty", "", true, true},
		{"Plain", "Mara", true, true},
		{"Formula", `=HYPERLINK(...)<script>' OR 1=1 --%`, true, true},
		{"Persian", "می\u200cخواهم", true, true},
		{"Emoji", "\U0001F469\u200d\U0001F680", true, true},
		{"Combining", "e\u0301", true, true},
		{"LineSeparator", "a\u2028b", true, true},
		{"ReplacementCharacter", "\ufffd", true, true},
		{"Newline", "a\nb", false, true},
		{"Tab", "a\tb", false, true},
		{"Return", "a\r\nb", false, false},
		{"NUL", "a\x00b", false, false},
		{"DEL", "a\x7fb", false, false},
		{"C1", "a\u0085b", false, false},
		{"BadUTF8", "a\xffb", false, false},
		{"Overlong", "\xc0\xaf", false, false},
		{"EncodedSurrogate", "\xed\xa0\x80", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := []bool{plaintext.Valid(tt.in, false), plaintext.Valid(tt.in, true)}
			if diff := cmp.Diff([]bool{tt.line, tt.notes}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n := rapid.IntRange(0, 40).Draw(t, "n")
		if got, want := plaintext.Longer(s, n), utf8.RuneCountInString(s) > n; got != want {
			t.Fatalf("Longer(%q, %d) = %v", s, n, got)
		}
	})
}

func TestFold(t *testing.T) {
	for in, want := range map[string][2]string{
		"": {"", ""}, "azAZ@[`{": {"azaz@[`{", "AZAZ@[`{"}, "ıſ\u212Aa": {"ıſ\u212Aa", "ıſ\u212AA"}, "\xffa": {"\xffa", "\xffA"},
	} {
		if got := [2]string{plaintext.Lower(in), plaintext.Upper(in)}; got != want {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}

func TestParts(t *testing.T) {
	for in, want := range map[string][3]bool{ // atom, label, hyphened
		"": {}, "a": {true, true, true}, "a-1": {true, true, true}, "-a": {true, false, true}, "a-": {true, false, true},
		"a+b": {true, false, false}, "a.b": {}, "a b": {}, "ä": {}, "a_b": {true, false, false},
	} {
		if got := [3]bool{plaintext.Atom(in), plaintext.Label(in), plaintext.Hyphened(in)}; got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
	if !plaintext.Dotted("a.b", plaintext.Atom) || plaintext.Dotted("a..b", plaintext.Atom) || plaintext.Dotted("", plaintext.Atom) {
		t.Error("an empty part between dots")
	}
}
