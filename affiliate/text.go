package affiliate

import "github.com/tributary-go/tributary/internal/mailbox"

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
