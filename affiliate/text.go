package affiliate

import "github.com/tributary-go/tributary/internal/mailbox"

// SameEmail reports whether two texts are the same email: after removing blanks
// around them and invisible characters, in any letter case, and with the domain
// in Unicode or in ASCII. A text that is not an email is never the same as
// another.
//
// Source: docs/rules.md 1.7.
func SameEmail(a, b string) bool {
	one, ok := mailbox.Canonical(a)
	other, _ := mailbox.Canonical(b)
	return ok && one == other
}
