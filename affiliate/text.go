package affiliate

import (
	"strings"

	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
)

const (
	maxSlug = 100 // bytes, all ASCII
	maxCode = 100 // bytes, all ASCII
)

// SameEmail reports whether two texts are the same email: without blanks around
// them and what nobody sees in them, in any letter case, and with a domain in its
// own letters or in ASCII. Texts that are no emails are never the same.
//
// Source: docs/rules.md 1.7.
func SameEmail(a, b string) bool {
	one, ok := mailbox.Canonical(a)
	other, _ := mailbox.Canonical(b)
	return ok && one == other
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
