package affiliate

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

const (
	maxSlug  = 100 // bytes, all ASCII
	maxCode  = 100 // bytes, all ASCII
	maxEmail = 254 // bytes, all ASCII
)

// canonicalEmail returns s trimmed and in lower case, and whether it is one
// ASCII addr-spec of at most 254 bytes. The local part is a dot-atom; the
// domain is labels of letters, digits and inner hyphens, one at least. Quoted
// local parts, address literals, comments and display names are refused.
//
// Source: docs/rules.md 1.7.
func canonicalEmail(s string) (string, bool) {
	s = plaintext.Trim(s)
	if len(s) > maxEmail {
		return "", false
	}
	local, domain, _ := strings.Cut(s, "@")
	if !plaintext.Dotted(local, plaintext.Atom) || !plaintext.Dotted(domain, plaintext.Label) {
		return "", false
	}
	return plaintext.Lower(s), true
}

// validSlug reports whether s is one or more ASCII letters, digits and hyphens.
// The limit of maxSlug has a message of its own and is not checked here.
//
// Source: docs/rules.md 1.8.
func validSlug(s string) bool { return plaintext.Hyphened(s) }

// foldSlug returns the form under which a slug is unique and looked up.
func foldSlug(s string) string { return plaintext.Lower(s) }

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
func foldCode(s string) string { return plaintext.Upper(s) }
