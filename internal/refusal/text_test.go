package refusal

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
)

func TestValidSlug(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     bool
	}{
		{"Plain", "mara-lindqvist", true},
		{"EveryKind", "aZ09-", true},
		{"Hyphen", "-", true},
		{"Digits", "7", true},
		{"LengthIsNotItsMatter", strings.Repeat("a", MaxSlug+1), true},
		{"Empty", "", false},
		{"Space", "my slug", false},
		{"Underscore", "a_b", false},
		{"Umlaut", "ü", false},
		{"Cyrillic", "а", false},
		{"Slash", "a/b", false},
		{"Escape", "a%2Fb", false},
		{"Path", "../x", false},
		{"ArabicDigit", "٣", false},
		{"Dot", "a.", false},
		{"Newline", "a\n", false},
		{"BeforeDigits", "a,", false},
		{"AfterDigits", "a:", false},
		{"BeforeUpper", "a@", false},
		{"AfterUpper", "a[", false},
		{"BeforeLower", "a`", false},
		{"AfterLower", "a{", false},
		{"Emoji", "-\U0001F600", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ValidSlug(tt.in); got != tt.want {
				t.Errorf("validSlug(%q) = %v", tt.in, got)
			}
		})
	}
}

func TestValidCode(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     bool
	}{
		{"Plain", "SUMMER20", true},
		{"Quote", `A"B`, true},
		{"Tag", "A<B", true},
		{"Comma", "A,B", true},
		{"Slash", "A/B", true},
		{"Escape", "A%41", true},
		{"FirstPrintable", "!", true},
		{"LastPrintable", "~", true},
		{"FormulaInside", "A=+-@", true},
		{"Longest", strings.Repeat("A", 100), true},
		{"TooLong", strings.Repeat("A", 101), false},
		{"Empty", "", false},
		{"Space", "SUM MER", false},
		{"Tab", "SUM\tMER", false},
		{"Accent", "SUMMÉR", false},
		{"Cyrillic", "ЅUMMER", false},
		{"FullWidth", "ＳＵＭ", false},
		{"Joiner", "SUM\u200dMER", false},
		{"NUL", "SUM\x00MER", false},
		{"Lines", "SUM\r\nMER", false},
		{"DEL", "SUM\x7fMER", false},
		{"Equals", "=A", false},
		{"Plus", "+A", false},
		{"Minus", "-A", false},
		{"At", "@A", false},
		{"DotlessI", "wınter", false},
		{"LongS", "ſummer", false},
		{"Kelvin", "\u212Aey", false},
		{"BadUTF8", "A\xff", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ValidCode(tt.in); got != tt.want {
				t.Errorf("validCode(%q) = %v", tt.in, got)
			}
		})
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		name, in, slug, code string
	}{
		{"Empty", "", "", ""},
		{"Mixed", "Mara-20", "mara-20", "MARA-20"},
		{"Ends", "azAZ", "azaz", "AZAZ"},
		{"AroundLetters", "@[`{", "@[`{", "@[`{"},
		{"DotlessI", "ıa", "ıa", "ıA"},
		{"LongS", "ſa", "ſa", "ſA"},
		{"Kelvin", "\u212AA", "\u212Aa", "\u212AA"},
		{"BadUTF8", "\xffa", "\xffa", "\xffA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{record.FoldSlug(tt.in), record.FoldCode(tt.in)}
			if diff := cmp.Diff([]string{tt.slug, tt.code}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextAllocations(t *testing.T) {
	for name, call := range map[string]func(){
		"FoldSlug": func() { record.FoldSlug("mara-lindqvist") },
		"FoldCode": func() { record.FoldCode("MARA20") },
	} {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, call); got != 0 {
				t.Errorf("%v allocations, want 0", got)
			}
		})
	}
}

// sameASCII compares two ASCII texts letter by letter, without letter case.
func sameASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if unicode.ToLower(rune(a[i])) != unicode.ToLower(rune(b[i])) {
			return false
		}
	}
	return true
}

func FuzzSlug(f *testing.F) {
	f.Add("mara-lindqvist", "MARA-Lindqvist")
	f.Add("a_b", "a.b")
	f.Add("\u212A", "k")
	f.Fuzz(func(t *testing.T, a, b string) {
		valid := a != "" && strings.Trim(a, alphabet+strings.ToUpper(alphabet)+"0123456789-") == "" && !hasOther(a, "-")
		if ValidSlug(a) != valid {
			t.Fatalf("validSlug(%q) = %v", a, !valid)
		}
		checkFold(t, record.FoldSlug, a, b)
		if valid && strings.ToLower(a) != record.FoldSlug(a) {
			t.Fatalf("%q folds to %q", a, record.FoldSlug(a))
		}
		if valid && ValidSlug(b) && (record.FoldSlug(a) == record.FoldSlug(b)) != sameASCII(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

func FuzzCode(f *testing.F) {
	f.Add("SUMMER20", "summer20")
	f.Add("=A", " A")
	f.Add("wınter", "WINTER")
	f.Add("A\"B<C,D/E%41~", "!")
	f.Fuzz(func(t *testing.T, a, b string) {
		valid := 1 <= len(a) && len(a) <= 100 && !strings.ContainsAny(a[:1], "=+-@")
		for _, r := range a {
			valid = valid && '!' <= r && r <= '~'
		}
		if ValidCode(a) != valid {
			t.Fatalf("validCode(%q) = %v", a, !valid)
		}
		checkFold(t, record.FoldCode, a, b)
		if valid && strings.ToUpper(a) != record.FoldCode(a) {
			t.Fatalf("%q folds to %q", a, record.FoldCode(a))
		}
		if valid && ValidCode(b) && (record.FoldCode(a) == record.FoldCode(b)) != sameASCII(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// hasOther reports whether s has a character that is neither alphanumeric ASCII
// nor in more.
func hasOther(s, more string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune(alphabet+strings.ToUpper(alphabet)+"0123456789"+more, r)
	})
}

// checkFold checks the promises of every fold for any text: it is idempotent,
// keeps the length, and keeps all bytes that are not ASCII letters.
func checkFold(t *testing.T, fold func(string) string, a, b string) {
	t.Helper()
	got := fold(a)
	if fold(got) != got || len(got) != len(a) {
		t.Fatalf("%q folds to %q, which folds to %q", a, got, fold(got))
	}
	for i := range len(a) {
		if got[i] != a[i] && (!plaintext.Alphanumeric(a[i]) || got[i]^a[i] != 'a'-'A') {
			t.Fatalf("%q folds to %q", a, got)
		}
	}
	if fold(a+b) != got+fold(b) {
		t.Fatalf("%q and %q fold differently together", a, b)
	}
}
