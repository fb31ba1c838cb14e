package mailbox

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/plaintext"
)

func TestCanonical(t *testing.T) {
	long := strings.Repeat("a", 249)
	for _, tt := range []struct {
		name, in, want string // "" is refused
	}{
		{"Plain", "a@b.co", "a@b.co"},
		{"TrimmedAndLowered", " A@B.co ", "a@b.co"},
		{"TrimmedLines", "\r\n\ta@b.co\v\f\n", "a@b.co"},
		{"OneLabel", "a@localhost", "a@localhost"},
		{"Dots", "a.b.c@d.e.f", "a.b.c@d.e.f"},
		{"EveryAtomCharacter", "!#$%&'*+-/=?^_`{|}~@b.co", "!#$%&'*+-/=?^_`{|}~@b.co"},
		{"Pluses", "+++@b.co", "+++@b.co"},
		{"Punycode", "a@xn--bcher-kva.example", "a@xn--bcher-kva.example"},
		{"DigitLabels", "a@1.2", "a@1.2"},
		{"Bytes254", long + "@b.co", long + "@b.co"},
		{"Bytes254Padded", "  " + long + "@b.co", long + "@b.co"},

		{"Bytes255", "a" + long + "@b.co", ""},
		{"Empty", "", ""},
		{"Blank", "  ", ""},
		{"NoAt", "a", ""},
		{"NoDomain", "a@", ""},
		{"NoLocal", "@b.co", ""},
		{"AtOnly", "@", ""},
		{"TwoDots", "a@b..co", ""},
		{"TwoDotsLocal", "a..b@b.co", ""},
		{"DotFirst", ".a@b.co", ""},
		{"DotLast", "a.@b.co", ""},
		{"DomainDotFirst", "a@.b.co", ""},
		{"DomainDotLast", "a@b.co.", ""},
		{"SpaceInside", "a b@c.co", ""},
		{"TwoAts", "a@@b.co", ""},
		{"TwoAddresses", "a@b.co, c@d.co", ""},
		{"TwoDomains", "a@b@c.co", ""},
		{"DisplayName", "Bob <a@b.co>", ""},
		{"Brackets", "<a@b.co>", ""},
		{"Comment", "a@b.co (x)", ""},
		{"CommentInside", "a(x)@b.co", ""},
		{"Header", "a@b.co\r\nBcc: x@y.z", ""},
		{"Literal", "a@[127.0.0.1]", ""},
		{"Quoted", `"a b"@c.co`, ""},
		{"QuotedPlain", `"a"@c.co`, ""},
		{"Umlaut", "ä@b.co", ""},
		{"UmlautDomain", "a@Bücher.example", "a@xn--bcher-kva.example"},
		{"ALabel", "a@XN--bcher-kva.example", "a@xn--bcher-kva.example"},
		{"Unseen", "\ufeffa@b\u200b.c\u00ado\u200e", "a@b.co"},
		{"EmojiDomain", "a@😀.example", ""},
		{"LongInASCII", "a@" + strings.Repeat("ü.", 100) + "co", ""},
		{"Kelvin", "\u212A@b.co", ""},
		{"WideSpace", "\u00a0a@b.co", "a@b.co"},
		{"HyphenFirst", "a@-b.co", ""},
		{"HyphenLast", "a@b-.co", ""},
		{"Underscore", "a@b_c.co", ""},
		{"NUL", "a\x00@b.co", ""},
		{"DEL", "a\x7f@b.co", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Canonical(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != (tt.want != "") {
				t.Errorf("%v %s", ok, diff)
			}
		})
	}
}

// An email that is plain is not copied.
func TestAllocations(t *testing.T) {
	if got := testing.AllocsPerRun(100, func() { Canonical("a@b.co") }); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		"a@b.co", " A@B.co ", "a@", "@b", "a@@b", "a@b..co", ".a@b", "a@-b", "Bob <a@b.co>", `"a b"@c.co`,
		"a@[127.0.0.1]", "ä@b.co", "a@b.co\r\nBcc: x@y.z", "\u212A@b.co", "a@localhost",
	} {
		f.Add(s, "a@b.co")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got, ok := Canonical(a)
		if !ok {
			if got != "" {
				t.Fatalf("%q is refused and %q", a, got)
			}
			return
		}
		if again, ok := Canonical(got); !ok || again != got {
			t.Fatalf("%q becomes %q, which becomes %q, %v", a, got, again, ok)
		}
		if at := strings.IndexByte(got, '@'); at < 1 || at == len(got)-1 || strings.Count(got, "@") != 1 || len(got) > 254 {
			t.Fatalf("%q is accepted", got)
		}
		if strings.Trim(got, "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-/=?^_`{|}~.@") != "" {
			t.Fatalf("%q holds other characters", got)
		}
		other, ok := Canonical(b)
		if ok && (got == other) != sameASCII(plaintext.Trim(a), plaintext.Trim(b)) {
			t.Fatalf("%q and %q become %q and %q", a, b, got, other)
		}
	})
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
