package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
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
func Text(s string, most int) string { return Language{}.Text(s, most) }

// Text is the function Text, with the length in words of the language.
func (l Language) Text(s string, most int) string {
	var b strings.Builder
	shown, before := 0, rune(0)
	for i, r := range s {
		if shown == most {
			b.WriteString(l.T("… (%d characters)", utf8.RuneCountInString(s)))
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
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
		unicode.Variation_Selector) || unseen[r]
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

// Money is [Language.Amount], Count [Language.Count] and Grouped [Language.Grouped] in English.
func Money(a affiliate.Amount, c affiliate.Currency) string { return Language{}.Amount(a, c) }

func Count(n int64) string { return Language{}.Count(n) }

func Grouped(number string) string { return Language{}.Grouped(number) }

// In a title, a name stands between two characters that no shown text has, because
// [Text] writes them as U+XXXX.
const nameBegins, nameEnds = "\U000f0000", "\U000f0001"

// Named returns a text that people gave, as a part of a title.
func Named(name string) string { return nameBegins + Text(name, InList) + nameEnds }

// A Part is a part of a title. A name is isolated, so that its direction of writing
// moves nothing beside it.
type Part struct {
	Text string
	Name bool
}

// Parts returns the parts of a title.
func Parts(title string) (all []Part) {
	for title != "" {
		before, rest, found := strings.Cut(title, nameBegins)
		if before != "" {
			all = append(all, Part{Text(before, InList), false})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, nameEnds)
		all, title = append(all, Part{name, true}), after
	}
	return all
}

// Plain returns a title without its parts, for the window of the browser.
func Plain(title string) string {
	var b strings.Builder
	for _, part := range Parts(title) {
		b.WriteString(part.Text)
	}
	return b.String()
}
