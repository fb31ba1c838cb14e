package plaintext

import (
	"strings"
	"unicode"
)

// Texts that people paste have blanks around them that are not ASCII, and
// characters that nobody sees: a byte order mark, direction marks, soft hyphens.

// Trim cuts blanks and what nobody sees from both ends. Inside it stays: Persian
// and emoji need joiners. What is left does not keep the memory of what was cut.
func Trim(s string) string {
	if s == "" || seenASCII(s[0]) && seenASCII(s[len(s)-1]) {
		return s
	}
	trimmed := strings.TrimFunc(s, blank)
	if len(trimmed) < len(s) {
		return strings.Clone(trimmed)
	}
	return s
}

// Bare is Trim, and drops what nobody sees inside too. It is for texts in which
// every character counts: codes, emails and slugs.
func Bare(s string) string {
	s = Trim(s)
	if printable(s) {
		return s
	}
	return Trim(strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, s))
}

// Blank reports whether s has nothing that anybody sees.
func Blank(s string) bool {
	for _, r := range s {
		if !blank(r) && !hidden(r) {
			return false
		}
	}
	return true
}

// seenASCII reports whether c is a printable character of ASCII and no space.
func seenASCII(c byte) bool { return ' ' < c && c <= '~' }

// blank reports whether r says nothing at the end of a text. Variation selectors
// and tags say how the emoji before them looks.
func blank(r rune) bool {
	tag := 0xE0020 <= r && r <= 0xE007F
	return unicode.IsSpace(r) || hidden(r) && !tag && !unicode.Is(unicode.Variation_Selector, r)
}

// hidden reports whether r has no look of its own: format characters, fillers,
// variation selectors and the blank of Braille.
func hidden(r rune) bool {
	if r < 0x80 {
		return false
	}
	return r == 0x2800 || !unicode.Is(unicode.Prepended_Concatenation_Mark, r) &&
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
