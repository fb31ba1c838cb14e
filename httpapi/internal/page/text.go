package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The numbers of characters that are shown of a text.
const (
	InList   = 200
	InDetail = 10_000
)

// Text returns a text in its shown form: control characters, zero-width
// characters and those that change the direction of writing become U+XXXX, and
// a text longer than most characters is cut, with its length. Joiners inside an
// emoji sequence stay.
func Text(s string, most int) string {
	var b strings.Builder
	shown, before := 0, rune(0)
	for i, r := range s {
		if shown == most {
			fmt.Fprintf(&b, "… (%d characters)", utf8.RuneCountInString(s))
			break
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		switch {
		case r == '\r' && after == '\n': // a line break of a form
		case r == '\n' && most == InDetail, !hidden(r), joins(before, r, after), r == selector && picture(before):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "U+%04X", r)
		}
		shown, before = shown+1, r
	}
	return b.String()
}

// hidden reports whether a character cannot be seen, or moves others.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector) || unseen[r]
}

// unseen are letters and marks that have no visible form.
var unseen = map[rune]bool{
	'\u034f': true, '\u115f': true, '\u1160': true, '\u17b4': true, '\u17b5': true, '\u3164': true, '\uffa0': true,
}

const (
	joiner   = '\u200d' // of two pictures
	selector = '\ufe0f' // in colour
)

// joins reports whether a character is a joiner between two pictures.
func joins(before, r, after rune) bool {
	return r == joiner && (picture(before) || before == selector) && picture(after)
}

// picture reports whether a character is a picture of an emoji sequence.
func picture(r rune) bool {
	return r >= '\u2000' && unicode.Is(unicode.So, r) || '\U0001f3fb' <= r && r <= '\U0001f3ff'
}
