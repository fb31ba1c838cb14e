// Package mailbox reads email addresses.
package mailbox

import (
	"strings"

	"github.com/tributary-go/tributary/internal/idn"
	"github.com/tributary-go/tributary/internal/plaintext"
)

const maxLength = 254 // bytes, all ASCII

// Canonical returns s in lower case without blanks around it and without
// what nobody sees, its domain in ASCII, and whether it then is one ASCII
// addr-spec of at most 254 bytes. The local part is a dot-atom; the domain is
// labels of letters, digits and inner hyphens, one at least. Quoted local parts,
// address literals, comments and display names are refused.
//
// Source: docs/rules.md 1.7.
func Canonical(s string) (string, bool) {
	s = plaintext.Bare(s)
	if len(s) > 4*maxLength { // no domain is so much shorter in ASCII
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
	if len(s) > maxLength {
		return "", false
	}
	return plaintext.Lower(s), true
}

// Of returns the form that all addresses of one mailbox share: without what follows the first +
// of the local part and, at gmail.com and googlemail.com, which count as one domain, without
// dots. A text that is not an address stays as it is.
func Of(s string) string {
	email, ok := Canonical(s)
	if !ok {
		return s
	}
	local, domain, _ := strings.Cut(email, "@")
	name, _, tagged := strings.Cut(local, "+")
	tagged = tagged && name != "" // without a name before it, the + belongs to the name
	if tagged {
		local = name
	}
	if domain == "gmail.com" || domain == "googlemail.com" {
		local, domain, tagged = strings.ReplaceAll(local, ".", ""), "gmail.com", true
	}
	if !tagged {
		return email // which is not copied
	}
	return local + "@" + domain
}
