package affiliate

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// MaskEmail returns a customer's email as affiliates see it: t***@e***.net for
// tomas@example.net. Of a part with fewer than three characters nothing is shown:
// ***@***.io for ab@x.io. Without an email, the last four digits of the
// referral's id tell customers apart: customer-9f31.
//
// Source: docs/contract.md 4.7.
func MaskEmail(email string, referral uuid.UUID) string {
	local, domain, ok := strings.Cut(email, "@")
	dot := strings.LastIndexByte(domain, '.')
	if !ok || dot < 0 {
		id := referral.String()
		return "customer-" + id[len(id)-4:]
	}
	first, _, _ := strings.Cut(domain[:dot], ".")
	return masked(local) + "@" + masked(first) + domain[dot:]
}

func masked(part string) string {
	if utf8.RuneCountInString(part) < 3 {
		return "***"
	}
	_, size := utf8.DecodeRuneInString(part)
	return part[:size] + "***"
}
