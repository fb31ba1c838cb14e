package affiliate

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// mask is what stands for the characters that are not shown, however many.
const mask = "***"

// fromThree is how many characters a part must have to show its first one.
const fromThree = 3

// MaskEmail is an email as a partner may see it: tomas@example.net becomes
// t***@e***.net. The first character of the local part and that of the domain are
// there where that part has three or more; of the domain the last label is there.
// A text that is no email, or whose domain is one label, shows nothing of that
// part.
//
// Source: docs/partner-pages.md 1.
func MaskEmail(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return mask
	}
	local, domain := email[:at], email[at+1:]
	dot := strings.LastIndexByte(domain, '.')
	if dot < 0 {
		return masked(local) + "@" + mask
	}
	return masked(local) + "@" + masked(domain[:dot]) + domain[dot:]
}

// masked is the first character of a part, and nothing else of it.
func masked(part string) string {
	if utf8.RuneCountInString(part) < fromThree {
		return mask
	}
	first, _ := utf8.DecodeRuneInString(part)
	return string(first) + mask
}

// maskedCustomer is a customer as a partner may see them; empty: there is neither
// an email nor a referral.
func maskedCustomer(referral uuid.UUID, email string) string {
	switch {
	case email != "":
		return MaskEmail(email)
	case referral == uuid.Nil:
		return ""
	}
	id := referral.String()
	return "customer-" + id[len(id)-4:]
}
