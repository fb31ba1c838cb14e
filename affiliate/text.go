package affiliate

import (
	"strings"

	"github.com/tributary-go/tributary/internal/idn"
	"github.com/tributary-go/tributary/internal/plaintext"
)

const (
	maxSlug  = 100 // bytes, all ASCII
	maxCode  = 100 // bytes, all ASCII
	maxEmail = 254 // bytes, all ASCII
)

// canonicalEmail returns s in lower case without blanks around it and without
// what nobody sees, its domain in ASCII, and whether it then is one ASCII
// addr-spec of at most 254 bytes. The local part is a dot-atom; the domain is
// labels of letters, digits and inner hyphens, one at least. Quoted local parts,
// address literals, comments and display names are refused.
//
// Source: docs/rules.md 1.7.
func canonicalEmail(s string) (string, bool) {
	s = plaintext.Bare(s)
	if len(s) > 4*maxEmail { // no domain is so much shorter in ASCII
		return "", false
	}
	local, domain, _ := strings.Cut(s, "@")
	ascii, ok := idn.ASCII(domain)
	if !ok || !plaintext.Dotted(local, plaintext.Atom) || !plaintext.Dotted(ascii, plaintext.Label) {
		return "", false
	}
	if ascii != domain {
		s = local + "@" + ascii
	}
	if len(s) > maxEmail {
		return "", false
	}
	return plaintext.Lower(s), true
}

// SameEmail reports whether two texts are the same email: without blanks around
// them and what nobody sees in them, in any letter case, and with a domain in its
// own letters or in ASCII. Texts that are no emails are never the same.
//
// Source: docs/rules.md 1.7.
func SameEmail(a, b string) bool {
	canonical, ok := canonicalEmail(a)
	return ok && sameEmail(b, canonical)
}

// validSlug reports whether s is one or more ASCII letters, digits and hyphens.
// The limit of maxSlug has a message of its own and is not checked here.
//
// Source: docs/rules.md 1.8.
func validSlug(s string) bool { return plaintext.Hyphened(s) }

// foldSlug returns the form under which a slug is unique and looked up.
func foldSlug(s string) string { return plaintext.Lower(s) }

// canonicalCode returns a code without blanks around it and without what nobody
// sees, and whether it is one.
//
// Source: docs/rules.md 1.9.
func canonicalCode(s string) (string, bool) {
	s = plaintext.Bare(s)
	return s, validCode(s)
}

// validCode reports whether s, bare already, is 1 to 100 printable ASCII
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
