// Package plaintext checks and folds texts.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longer reports whether s has more than n code points. It reads no further
// than it must.
func Longer(s string, n int) bool {
	if len(s) <= n {
		return false
	}
	for range s {
		n--
		if n < 0 {
			return true
		}
	}
	return false
}

// Valid reports whether s is valid UTF-8 without control characters (C0,
// DEL, C1); newlines allows newline and tab.
func Valid(s string, newlines bool) bool {
	if printable(s) {
		return true
	}
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if newlines && (r == '\n' || r == '\t') {
			continue
		}
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// printable reports whether s is printable ASCII, as most texts are.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Dotted reports whether every part of s between its dots is valid.
func Dotted(s string, valid func(string) bool) bool {
	for more := true; more; {
		var part string
		if part, s, more = strings.Cut(s, "."); !valid(part) {
			return false
		}
	}
	return true
}

// Atom reports whether s is an atom of RFC 5322.
func Atom(s string) bool {
	for i := range len(s) {
		if !Alphanumeric(s[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// Label reports whether s is a label of a domain name.
func Label(s string) bool {
	return Hyphened(s) && s[0] != '-' && s[len(s)-1] != '-'
}

// Hyphened reports whether s is one or more ASCII letters, digits and hyphens.
func Hyphened(s string) bool {
	for i := range len(s) {
		if !Alphanumeric(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// Alphanumeric reports whether c is an ASCII letter or digit.
func Alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Lower folds A to Z and nothing else: strings.ToLower maps U+212A, the
// Kelvin sign, to k. It returns s itself when there is nothing to fold.
func Lower(s string) string { return swapCase(s, 'A', 'Z') }

// Upper folds a to z and nothing else: strings.ToUpper maps U+0131 and
// U+017F to I and S. It returns s itself when there is nothing to fold.
func Upper(s string) string { return swapCase(s, 'a', 'z') }

// swapCase changes the case of the letters from first to last.
func swapCase(s string, first, last byte) string {
	i := 0
	for i < len(s) && (s[i] < first || s[i] > last) {
		i++
	}
	if i == len(s) {
		return s
	}
	const caseBit = 'a' - 'A'
	b := []byte(s)
	for ; i < len(b); i++ {
		if first <= b[i] && b[i] <= last {
			b[i] ^= caseBit
		}
	}
	return string(b)
}

// HeaderName returns a valid name as HTTP libraries write it: each part begins with
// a capital. net/http has the same, and brings a server along.
func HeaderName(name string) string {
	parts := strings.Split(strings.ToLower(name), "-")
	for i, part := range parts {
		if part != "" {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "-")
}
