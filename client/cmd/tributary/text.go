package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// acts reports whether a character does something to a terminal instead of being
// shown: control characters, and those that reverse the direction of a text.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// inert returns a text in which such characters are shown, as \x1b.
func inert(s string) string {
	if !strings.ContainsFunc(s, acts) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch _, size := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case acts(r) && r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape returns a JSON text in which such characters are escaped. They can only be
// in its strings; space between its values stays.
func escape(body []byte) []byte {
	if !bytes.ContainsFunc(body, func(r rune) bool { return acts(r) && r > ' ' || r == utf8.RuneError }) {
		return body
	}
	var out []byte
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if acts(r) && r > ' ' || r == utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, body[i:i+size]...)
		}
		i += size
	}
	return out
}

// cut shortens a text to a number of places.
func cut(s string, places int) string {
	if len(s) <= places {
		return s
	}
	used, end := 0, 0 // end: where the text is cut if it must be
	for i, r := range s {
		if used <= places-1 {
			end = i
		}
		if used += places1(r); used > places {
			return s[:end] + "…"
		}
	}
	return s
}

// width returns how many places a text takes on a terminal.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += places1(r)
	}
	return n
}

// places1 returns how many places a character takes: two in the scripts of East Asia
// and for pictures, none for marks that are put on the character before.
func places1(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
		return 2
	}
	return 1
}

// pad fills a text up with spaces.
func pad(s string, places int, right bool) string {
	space := strings.Repeat(" ", max(places-width(s), 0))
	if right {
		return space + s
	}
	return s + space
}
