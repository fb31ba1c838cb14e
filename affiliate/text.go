package affiliate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxSlug  = 100 // bytes, all ASCII
	maxCode  = 100 // bytes, all ASCII
	maxEmail = 254 // bytes, all ASCII
)

// trimSpace cuts ASCII white space from both ends. What is left does not keep
// the memory of what was cut.
func trimSpace(s string) string {
	trimmed := strings.Trim(s, " \t\n\v\f\r")
	if len(trimmed) < len(s) {
		return strings.Clone(trimmed)
	}
	return s
}

// blank reports whether s is empty or white space only, by Unicode's idea of
// white space.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// longerThan reports whether s has more than n code points. It reads no further
// than it must.
func longerThan(s string, n int) bool {
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

// validText reports whether s is valid UTF-8 without control characters (C0,
// DEL, C1); newlines allows newline and tab.
func validText(s string, newlines bool) bool {
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

// canonicalEmail returns s trimmed and in lower case, and whether it is one
// ASCII addr-spec of at most 254 bytes. The local part is a dot-atom; the
// domain is labels of letters, digits and inner hyphens, one at least. Quoted
// local parts, address literals, comments and display names are refused.
//
// Source: docs/rules.md 1.7.
func canonicalEmail(s string) (string, bool) {
	s = trimSpace(s)
	if len(s) > maxEmail {
		return "", false
	}
	local, domain, _ := strings.Cut(s, "@")
	if !dotted(local, validAtom) || !dotted(domain, validLabel) {
		return "", false
	}
	return lowerASCII(s), true
}

// dotted reports whether every part of s between its dots is valid.
func dotted(s string, valid func(string) bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !valid(part) {
			return false
		}
	}
	return true
}

// validAtom reports whether s is an atom of RFC 5322.
func validAtom(s string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// validLabel reports whether s is a label of a domain name.
func validLabel(s string) bool {
	return validSlug(s) && s[0] != '-' && s[len(s)-1] != '-'
}

// validSlug reports whether s is one or more ASCII letters, digits and hyphens.
// The limit of maxSlug has a message of its own and is not checked here.
//
// Source: docs/rules.md 1.8.
func validSlug(s string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// foldSlug returns the form under which a slug is unique and looked up.
func foldSlug(s string) string { return lowerASCII(s) }

// validCode reports whether s, trimmed already, is 1 to 100 printable ASCII
// characters without space, the first of them none that a spreadsheet takes for
// a formula.
//
// Source: docs/rules.md 1.9.
func validCode(s string) bool {
	if s == "" || len(s) > maxCode || strings.IndexByte("=+-@", s[0]) >= 0 {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// foldCode returns the form under which a code is unique and looked up.
func foldCode(s string) string { return upperASCII(s) }

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// lowerASCII folds A to Z and nothing else: strings.ToLower maps U+212A, the
// Kelvin sign, to k. It returns s itself when there is nothing to fold.
func lowerASCII(s string) string { return swapCase(s, 'A', 'Z') }

// upperASCII folds a to z and nothing else: strings.ToUpper maps U+0131 and
// U+017F to I and S. It returns s itself when there is nothing to fold.
func upperASCII(s string) string { return swapCase(s, 'a', 'z') }

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
