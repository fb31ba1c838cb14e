package refusal

import (
	"strings"

	"github.com/tributary-go/tributary/internal/plaintext"
)

const (
	MaxSlug = 100 // bytes, all ASCII
	maxCode = 100 // bytes, all ASCII
)

// ValidSlug reports whether s is one or more ASCII letters, digits and hyphens.
// The limit of maxSlug has a message of its own and is not checked here.
//
// Source: docs/rules.md 1.8.
func ValidSlug(s string) bool { return plaintext.Hyphened(s) }

// ValidCode reports whether s, bare already, is 1 to 100 printable ASCII
// characters without space, the first of them none that a spreadsheet takes for
// a formula.
//
// Source: docs/rules.md 1.9.
func ValidCode(s string) bool {
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
